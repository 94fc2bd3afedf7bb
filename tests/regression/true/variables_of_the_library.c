// The C library says what its variables are when a program starts: the streams are there, and not one.
#include <stdio.h>
extern void reach_error(void);
extern int optind, opterr;
extern char *optarg, **environ;
int main(void) {
  FILE *from = stdin, *to = stdout;
  if (from == NULL || from == to || stderr == to) reach_error();
  if (optind != 1 || opterr != 1 || optarg || !environ) reach_error();
  return 0;
}
