// Memory, pointers and a structure; the loop writes within bounds.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct pair { int low, high; };

int main(void) {
  int a[4] = {0};
  struct pair p = {0, 3};
  int *q = &p.high;
  for (int i = p.low; i <= *q; i++) a[i] = i;
  if (a[2] != 2) reach_error();
  return 0;
}
