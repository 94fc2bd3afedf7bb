// expected: a use of a library function that is not modelled
#include <stdio.h>
extern void reach_error(void);
int main(void) {
  char text[10];
  int length = 7;
  snprintf(text, sizeof text, "%n", &length);
  if (length == 0) reach_error();
}
