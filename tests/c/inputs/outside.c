/* What comes from outside: undefined functions, library functions without a model, numbers at random. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <time.h>
#include <ctype.h>
extern int elsewhere(int), *where(void); extern struct pair { int a; char b[3]; } made(void); extern void silent(const char *, int);
int mine = 4, table[3]; static int hidden = 7; char buffer[4];
static int apply(int (*f)(int), int x) { return f(x); }
int main(int argc, char **argv) {
  if (argc < 1) return 9;
  mine = rand() % 3 + elsewhere(mine); hidden += mine & 1;
  table[mine & 1] = getchar(); silent("x", hidden); printf("%d\n", mine++);
  if (isdigit(mine & 127)) hidden = toupper('a');
  table[2] = apply(elsewhere, mine & 3); if (puts("x") < 0) hidden++;
  mine = time(0) != (time_t)0; if (sin(hidden) > 2) mine = 5; struct pair p = made(); mine += p.a; fflush(stdout);
  if (mine == 3) scanf("%d %3s", &mine, buffer);
  return argv[0] != 0 ? hidden : mine;
}
