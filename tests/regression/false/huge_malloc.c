// allocations that fill more than half of the address space, or ask for all of it by mistake, and go on
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned);

int main(void) {
  for (int i = 0; i < 3; i++) malloc(0x30000000);
  reach_error();
  return 0;
}
