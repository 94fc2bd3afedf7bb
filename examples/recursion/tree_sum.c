// The sum of a complete tree whose leaves are ones is the number of its leaves.
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
void reach_error(void) { abort(); }

int sum(int depth) {
  if (depth == 0) return 1;
  return sum(depth - 1) + sum(depth - 1);
}

int main(void) {
  int depth = __VERIFIER_nondet_int();
  if (depth < 0 || depth > 4) return 0;
  if (sum(depth) != 1 << depth) reach_error();
  return 0;
}
