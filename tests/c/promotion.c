// Integer promotion: char and short compute as int.
int main(void) {
  unsigned char a = 200, b = 100; signed char c = -5; unsigned short s = 65535; short t = -1;
  observe(a + b); observe(a * b); observe(c + a); observe(~a); observe(-a); observe(!a); observe((unsigned char)(a + b));
  observe(s * s); observe(s + t); observe(s == t); observe((unsigned short)t == s); observe(a << 4); observe((unsigned char)(a << 4) >> 2);
  observe(sizeof(a + b)); observe(sizeof(+a)); observe('a' + 1); observe(sizeof 'a'); observe(c >> 1); observe((char)200 < 0);
  return 0;
}
