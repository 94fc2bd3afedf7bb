// switch: fall-through, default in the middle, ranges, nesting, Duff's device.
int f(int x) { int r = 0; switch (x) { case 1: r += 1; case 2: r += 10; break; default: r += 100; case 7: r += 1000; break; case 3: { r = 5; break; } case -1: case 'a': return 99; } return r; }
int g(unsigned char c) { switch (c) { case 'a' ... 'f': return c - 'a' + 10; case '0' ... '9': return c - '0'; } return -1; }
int h(long long l) { switch (l) { case 0x100000000ll: return 1; case 0: return 2; case -1ll: return 3; } return 4; }
int duff(int n) { int k = 0, c = (n + 3) / 4; switch (n % 4) { case 0: do { k++; case 3: k++; case 2: k++; case 1: k++; } while (--c > 0); } return k; }
int nest(int a, int b) { switch (a) { case 0: switch (b) { case 0: return 1; default: break; } b++; break; case 1: for (;;) { if (b++ > 3) break; else continue; } b += 10; } return b; }
int main(void) {
  int i; for (i = -2; i < 9; i++) observe(f(i)); observe(f('a')); observe(g('c')); observe(g('7')); observe(g('z')); observe(h(0x100000000ll)); observe(h(0)); observe(h(-1)); observe(h(1));
  for (i = 1; i < 10; i++) observe(duff(i)); observe(nest(0, 0)); observe(nest(0, 1)); observe(nest(1, 0)); observe(nest(2, 5)); switch (i) case 10: observe(1); switch (i) { int dead = 5; case 10: dead = 6; observe(dead); } switch (3) { default: observe(8); }
  return 0;
}
