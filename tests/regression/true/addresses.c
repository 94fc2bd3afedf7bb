// What does not depend on where objects lie in memory.
extern void reach_error(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
struct s {
  int a, b, c[4];
};
int x, table[10];
void *find(int n) { return n < 0 ? (void *)(long)-12 : &x; }

int main(void) {
  int n = __VERIFIER_nondet_int(), count = 0;
  char c, *p = &c;
  if ((unsigned long)p == 0UL || (unsigned long)p == (unsigned long)((void *)0)) reach_error();
  void *found = find(n);
  if (n >= 0 && (unsigned long)found >= (unsigned long)-4095) reach_error();
  int *back = (int *)(unsigned long)&x;
  *back = 3;
  if (x != 3 || (unsigned long)back != (unsigned long)&x) reach_error();
  for (int *t = table; t < table + 10; t++) count++;
  if (count != 10 || &table[7] - table != 7) reach_error();
  if ((unsigned long)&((struct s *)0)->b != 4) reach_error();
  if (n >= 0 && n < 4 && (unsigned long)&((struct s *)0)->c[n] < 8) reach_error();
  int *first = malloc(4), *second = malloc(4);
  if (first == second) reach_error();
  free(first);
  if (back == second) reach_error();
  return 0;
}
