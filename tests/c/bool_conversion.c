// Conversion to _Bool compares with zero.
struct S { _Bool b; int i; };
_Bool f(int x) { return x; }
int main(void) {
  _Bool b = 256; int i = 2; double d = 0.25; float z = -0.0f; int *p = &i; struct S s = {2, 3}; unsigned char c;
  observe(b); b = 0.5; observe(b); b = z; observe(b); b = p; observe(b); b = (int *)0; observe(b); observe((_Bool)d + (_Bool)i); observe(s.b); s.b = s.i; observe(s.b);
  observe(f(512)); observe(f(0)); b = 1; b++; observe(b); b--; observe(b); b--; observe(b); b |= 4; observe(b); b ^= 1; observe(b); c = (unsigned char)(_Bool)256; observe(c);
  observe(!d); observe(!!i); observe(b == 2); observe((_Bool)0x100000000ll); observe(-(_Bool)5); observe(sizeof(b)); observe(~b);
  return 0;
}
