// Variable arguments of all kinds, lists that are passed on, copied and stepped through by pointers.
#include <stdarg.h>
#include <stddef.h>
int total, seen; double last; long long big; char letters[4]; int at;
static int sum(int n, ...) { va_list ap; va_start(ap, n); int s = 0; for (int i = 0; i < n; i++) s += va_arg(ap, int); va_end(ap); return s; }
static int vmax(int n, va_list ap) { int m = -1000; while (n-- > 0) { int x = va_arg(ap, int); if (x > m) m = x; } return m; }
static int max(int n, ...) { va_list ap, again; va_start(ap, n); va_copy(again, ap); int a = vmax(n, ap), b = vmax(n, again); va_end(ap); va_end(again); return a == b ? a : 9999; }
static void mixed(const char *f, ...) {
  va_list ap; va_start(ap, f);
  for (; *f; f++) switch (*f) {
    case 'i': total += va_arg(ap, int); break;
    case 'u': total += va_arg(ap, unsigned) & 255; break;
    case 'l': big += va_arg(ap, long); break;
    case 'L': big += va_arg(ap, long long); break;
    case 'd': last = va_arg(ap, double); break;
    
    case 's': letters[at++ & 3] = *va_arg(ap, const char *); break;
    case 'p': *va_arg(ap, int *) += 7; break;
    case 'f': total += va_arg(ap, int (*)(int))(5); break;
    case 'z': big += va_arg(ap, size_t); break;
    case 'c': letters[at++ & 3] = (char)va_arg(ap, int); break;
  }
  va_end(ap);
}
static int twice(int x) { return 2 * x; }
static int count(const char *first, ...) { int n = 0; va_list ap; va_start(ap, first); for (const char *p = first; p; p = va_arg(ap, char *)) n++; va_end(ap); return n; }
static int skip(va_list *ap) { int a = va_arg(*ap, int); return a + va_arg(*ap, int); }
static int third(int n, ...) { va_list ap; va_start(ap, n); int s = skip(&ap); int t = va_arg(ap, int); va_end(ap); return s * 100 + t; }
static int depth(int n, ...) { va_list ap; va_start(ap, n); int x = va_arg(ap, int); va_end(ap); return n ? x + depth(n - 1, x + 1) : x; }
static int (*volatile pick)(int, ...) = sum;
int sizes;
int main(void) {
  int x = 77, k = 1; signed char c = -3; unsigned short us = 65535; float fl = 1.5f;
  observe(sum(0) == 0); observe(sum(3, 1, x, 3) == 4 + x); observe(max(3, x, 2000, -5) == 2000);
  mixed("iulLdspfzc", 5, 300u, -4L, 1LL << 40, fl, "hello", &k, twice, sizeof(int), 'q');
  mixed("ii", c, us);
  total += count("a", "b", (char *)0) * 1000 + count(NULL) ;
  total += third(3, 1, 2, x);
  total += depth(3, x);
  observe(pick(2, 4, 5) == 9);
  seen = k; sizes = sizeof(va_list);
  for (int i = 0; i < 3; i++) total += sum(2, i, sum(2, i, i));
  observe(total); observe(seen); observe_double(last); observe(big); observe(letters[0] + 256 * letters[1]); observe(sizes);
  return 0;
}
