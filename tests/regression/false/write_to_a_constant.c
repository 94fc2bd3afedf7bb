// property: memsafety
// A constant of static storage is where a write is a fault.
static const int table[3] = {1, 2, 3};
static void set(int *p) { *p = 4; }
int main(void) {
  int own;
  set(&own);
  set((int *)&table[1]);
  return own;
}
