// property: memsafety
// Undefined, but the memory is there; constants that are only read, and pointers to constants, are no matter.
static const int table[2] = {1, 2};
static const char *names[] = {"a", "b"};
static int sum(const int *p) { return p[0] + p[1]; }
int main(void) {
  const int local[2] = {4, 5};
  *(int *)local = 3;
  names[1] = "c";
  return sum(table) + sum(local) + names[1][0];
}
