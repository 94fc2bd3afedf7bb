// expected: error
void error(int status, int number, const char *form, ...);
extern void reach_error(void);
int main(void) {
  error(1, 0, "glibc's ends the program here");
  reach_error();
  return 0;
}
