// Facts about all cells: what a loop wrote, copies of copies, an exception, cells of every other index.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[5000], b[5000], c[5000], d[5000];

int main(void) {
  int i, hole = __VERIFIER_nondet_int();
  for (i = 0; i < 5000; i++) a[i] = __VERIFIER_nondet_int();
  for (i = 0; i < 5000; i++) b[i] = a[i];
  for (i = 0; i < 5000; i++)
    if (i != hole) c[i] = b[i];
  for (i = 0; i < 5000; i += 2) d[i] = 7;
  for (i = 0; i < 5000; i++)
    if (i != hole && c[i] != a[i]) reach_error();
  for (i = 0; i < 5000; i += 2)
    if (d[i] != 7) reach_error();
  return 0;
}
