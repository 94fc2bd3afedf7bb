// goto into and out of scopes and loops.
int f(int n) { int s = 0; if (n > 5) goto inside; while (n < 10) { s += 1; inside: s += 100; n++; } return s; }
int g(int n) { int r = 0; again: { int t = 3; r += t; if (n-- > 0) goto again; } goto out; r = 1000; out: return r; }
int h(int n) { { int x; goto skip; x = 3; skip: x = n; n = x + 1; } for (int i = 0; ; i++) { for (int j = 0; j < 3; j++) { if (i * j == 4) goto done; n++; } } done: return n; }
int s(int n) { int r = 0; if (n) { l1: r += 2; } else { r += 1; if (r < 4) goto l1; } return r; }
int main(void) { int i; for (i = 0; i < 12; i++) observe(f(i)); observe(g(3)); observe(h(5)); observe(s(0)); observe(s(1)); return 0; }
