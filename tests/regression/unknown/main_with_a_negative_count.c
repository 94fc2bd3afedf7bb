// expected: a negative number of arguments
// That the number of arguments is not negative was assumed of each call of main.
extern void reach_error(void);
int main(int argc, char **argv) {
  if (argc < 0) reach_error();
  if (argc == 5) main(-1, 0);
  return 0;
}
