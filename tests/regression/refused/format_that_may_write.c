// expected: printf with %n
#include <stdio.h>
extern void reach_error(void);
int main(void) {
  const char *form = "ab%n";
  int x = 5;
  printf(form, &x);
  if (x == 2) reach_error();
  return 0;
}
