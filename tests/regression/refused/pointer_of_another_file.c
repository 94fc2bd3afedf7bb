// expected: external variable p in memory
// Another file may define the pointer as one to the variable, which has external linkage.
extern void reach_error(void);
extern int *p;
int x;
int main(void) {
  *p = 1;
  if (x)
    reach_error();
  return 0;
}
