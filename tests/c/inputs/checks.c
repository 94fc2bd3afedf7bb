/* Assertions without a header, temporary objects, memory that depends on inputs. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
extern unsigned char __VERIFIER_nondet_uchar(void); extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
struct cell { int v; struct cell *next; } first; int seen; unsigned char raw[8]; void __VERIFIER_assert(int);
static int sum(const struct cell *c) { return c ? c->v + sum(c->next) : 0; }
int main(void) {
  unsigned n = __VERIFIER_nondet_uint() % 5, k = __VERIFIER_nondet_uchar() & 7; struct cell *list = 0;
  for (unsigned i = 0; i < n; i++) { struct cell *c = malloc(sizeof *c); c->v = i + k; c->next = list; list = c; }
  seen = sum(list); first.v = seen; assert(seen >= 0); unsigned short *t = calloc(n + 1, sizeof *t); t[n] = k; memset(raw, k, n);
  int *room = malloc((n + 1) * sizeof(int)); for (unsigned i = 0; i <= n; i++) room[i] = raw[i] + t[n];
  seen += room[n]; room = realloc(room, (n + 3) * sizeof(int)); room[n + 2] = 1; seen += room[n] + room[n + 2];
  struct cell copies[3] = {{1}, {2}, {3}}, *at = copies + k % 3; *at = first; at->v += 2; seen += copies[k % 3].v;
  memmove(raw + 1, raw, n); if (memcmp(raw, raw + 1, 2) == 0) seen++; __VERIFIER_assert(seen != 21);
  while (list) { struct cell *next = list->next; free(list); list = next; } free(t); free(room);
  if (seen > 60) reach_error();
  return seen;
}
