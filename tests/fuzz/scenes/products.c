static int square@(int v) { return v * v; } static long long cube@(long long v) { return v * v * v; }
static unsigned products@(int x, int y) { int p = x * y #{* 7|* 3000|* 65537|}, q = square@(x) #{- y|* y|}, s = 1, i;
  for (i = 0; i < #{4|9|20}; i++) s *= #{y|x & 7|3}; observe(cube@(x * 100003LL) % 1009); q -= #{-2147483647|x * 2000000|5};
  return (unsigned)p ^ (unsigned)q ^ (unsigned)s ^ (unsigned)-#{x|p}; }
