// expected: memory is accessed by another type
// A void pointer to a record that holds pointers comes back as one to another record.
extern void reach_error(void);
static char text[4] = "abc";
struct uart { char *label; int sent; };
struct led { int on, level; char *label; };
static struct uart uart = {text, 1};
static struct led led = {2, 3, text};
static void *data[2] = {&uart, &led};
int main(void) {
  ((struct uart *)data[0])->sent = 5;
  ((struct led *)data[1])->on = 6;
  ((struct uart *)data[1])->label = 0;
  if (led.label != text || led.on == 6 || uart.sent != 5)
    reach_error();
  return 0;
}
