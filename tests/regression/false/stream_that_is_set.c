// The streams are there when the program starts, and may be set by it.
#include <stdio.h>
extern void reach_error(void);
int main(void) {
  FILE **p = &stdin;
  *p = NULL;
  if (!stdin) reach_error();
  return 0;
}
