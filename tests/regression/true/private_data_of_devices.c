// Records of different types that hold pointers go through void pointers, and come back as what they are.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int sent, lit;
struct uart { int *counter; int baud; };
struct led { int on; const char *colour; int *counter; };
static struct uart uart = {&sent, 9600};
static struct led led = {0, "red", &lit};
struct device { const char *name; int (*write)(void *, int); void *data; };
static int uart_write(void *data, int v) {
  struct uart *u = data;
  if (*u->counter < 10) ++*u->counter;
  return v;
}
static int led_write(void *data, int v) {
  struct led *l = data;
  l->on = v != 0;
  *l->counter = l->on;
  return 1;
}
static const struct device devices[] = {{"uart", uart_write, &uart}, {"led", led_write, &led}};
int main(void) {
  for (;;) {
    unsigned i = __VERIFIER_nondet_int() & 1;
    devices[i].write(devices[i].data, __VERIFIER_nondet_int());
    if (sent > 10 || lit != led.on || uart.baud != 9600)
      reach_error();
  }
}
