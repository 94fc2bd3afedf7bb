#include "shared.h"
int result; static int limit = 3; static int next(int x) { return x * limit + 1; } struct local { int a; } here = {5};
int main(void) {
  ring_t *r = ring_new(4); result = ring_kind(r) == NONE;
  for (int i = 0; i < 6; i++) { struct point p = {i, next(i)}; ring_put(r, p); }
  for (int i = 0; i < 3; i++) { struct point p = ring_get(r); result = result * 7 + p.x * 3 + p.y; }
  result += total + (ring_kind(r) == MANY) + here.a + (newest == r); return 0;
}
