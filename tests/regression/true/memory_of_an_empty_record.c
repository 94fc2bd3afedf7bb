// property: memsafety
struct none {};
int main(void) {
  struct none a, b, *p = &a, *q = &b;
  *p = *q;
  return 0;
}
