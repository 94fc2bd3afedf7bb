// Blocks that grow and shrink keep what fits.
#include <stdlib.h>
#include <string.h>
struct vec { int *d; size_t n, cap; };
struct item { char tag; long v; };
int out[16]; int k;
static void push(struct vec *v, int x) { if (v->n == v->cap) { v->cap = v->cap ? 2 * v->cap : 2; v->d = realloc(v->d, v->cap * sizeof *v->d); if (!v->d) abort(); } v->d[v->n++] = x; }
int main(void) {
  int x = 77;
  struct vec v = {0}; for (int i = 0; i < 5; i++) push(&v, i * i + x); for (int i = 0; i < 5; i++) out[k++] = v.d[i]; free(v.d);
  struct item *t = malloc(2 * sizeof *t); t[0].tag = 'a'; t[0].v = 5; t[1].tag = 'b'; t[1].v = x; t = realloc(t, 3 * sizeof *t); t[2].v = 9; out[k++] = t[0].v + t[1].v * 7 + t[2].v + t[1].tag; t = realloc(t, sizeof *t); out[k++] = t->v; free(t);
  char *s = malloc(4); strcpy(s, "abc"); s = realloc(s, 10); strcat(s, "def"); out[k++] = strlen(s) * 100 + s[5]; s = (char *)realloc(s, 3); out[k++] = s[2]; free(s);
  int *p = realloc(NULL, 8); p[0] = 1; p[1] = 2; int *q = realloc(p, 16); out[k++] = q[0] + q[1] * 10; free(q);
  for (int i = 0; i < k; i++) observe(out[i]);
  return 0;
}
