// property: memsafety
// A byte of the pointer was changed; there is no memory but the program's own.
extern void *malloc(unsigned long);
extern void free(void *);
union { int *pointer; char bytes[sizeof(int *)]; } both;
int main(void) {
  both.pointer = malloc(4);
  both.bytes[1] ^= 64;
  free(both.pointer);
  return 0;
}
