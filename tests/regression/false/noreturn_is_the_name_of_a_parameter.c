extern void reach_error(void);
struct noreturn;
extern void f(int noreturn), g(struct noreturn *p), h(void (*q)(void) __attribute__((noreturn)));
int main(void) {
  f(1);
  g(0);
  h(0);
  reach_error();
  return 0;
}
