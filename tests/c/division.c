// Signed division and remainder truncate towards zero.
int main(void) {
  int a[] = {7, -7, 7, -7, 0, -1, 2147483647}, b[] = {3, 3, -3, -3, 5, -1, -2}; int i; unsigned u = 4294967289u; long long l = -7; signed char c = -128;
  for (i = 0; i < 7; i++) { observe(a[i] / b[i]); observe(a[i] % b[i]); }
  observe(u / 3); observe(u % 3); observe(l / 2); observe(l % 2); observe(c / -1); observe(-7 / 2u); observe(-7ll / 2u); observe(c % 7); observe(1 - 8 / 3 * 3);
  return 0;
}
