// The order of sums does not matter.
#include <assert.h>
static int calls, total, other;
static int log_(int x) { calls++; total += x; return x; }
static int sub_(int x) { calls -= 2; return x; }
int main(void) { int s = log_(1) + log_(2) * log_(3) - sub_(1); assert(s == 6 && calls == 1 && total == 6); return 0; }
