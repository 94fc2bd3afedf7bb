// expected: more arguments than a system passes
void reach_error(void);

int main(int argc, char **argv) {
  if (argc > 100000000)
    reach_error();
  return 0;
}
