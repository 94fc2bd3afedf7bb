// Pointers are stored in memory of bytes, beside numbers: those that are read lie elsewhere. Functions in one table
// with other parameters are not called by each other's pointers.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct device { struct operations *ops; union { int minor; short parts[2]; } id; int open; };
struct operations { int (*open)(struct device *, int *); int (*write)(int *, int); };
static int opened(struct device *d, int *mode) { d->open = *mode; return 0; }
static int written(int *buffer, int n) { *buffer += n; return *buffer; }
static struct operations ops = {opened, written};
static struct device devices[2];
int main(void) {
  int i = __VERIFIER_nondet_int() != 0, mode = 3, buffer = 4;
  devices[i].ops = &ops;
  devices[i].id.minor = 5;
  devices[i].ops->open(&devices[i], &mode);
  devices[i].ops->write(&buffer, 2);
  if (devices[i].open != 3 || buffer != 6 || devices[i].ops != &ops || devices[1 - i].open != 0)
    reach_error();
  return 0;
}
