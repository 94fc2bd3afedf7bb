// A function that calls itself, and two that call each other.
extern void abort(void);
void reach_error(void) { abort(); }
int count(int x) { return x <= 0 ? 0 : 1 + count(x - 1); }
int odd(unsigned n);
int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
int main(void) {
  if (count(3) != 3) reach_error();
  if (even(5)) reach_error();
  return 0;
}
