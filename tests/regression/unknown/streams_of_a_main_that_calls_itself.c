// expected: variables of the library
// Only when the program starts the streams are known to be there.
#include <stdio.h>
extern void reach_error(void);
int main(int argc, char **argv) {
  if (!stdin) reach_error();
  stdin = NULL;
  if (argc == 3) main(4, NULL);
  return 0;
}
