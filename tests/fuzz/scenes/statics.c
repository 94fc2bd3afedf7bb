static int count@(int d) { static int n = #{3|-1}; static #{unsigned char|short} calls; calls += #{100|7};
    n += d; return n * 2 + calls; }
static int gcd@(int a, int b) { return b ? gcd@(b, a % b) : a; } static unsigned fib@(unsigned n) {
    return n < 2 ? n : fib@(n - 1) + fib@(n - 2); }
static unsigned statics@(int x, int y) { int i, r = 0; for (i = 0; i < 3; i++) r = r * 5 + count@(x & 3);
    #{r += gcd@(x < 0 ? -x : x, 12);|r += fib@(y & 7);} return r + count@(y); }
