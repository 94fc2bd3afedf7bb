// property: memsafety
// The last round of the loop writes behind the block.
void *malloc(unsigned);
int main(void) {
  char *p = malloc(3);
  for (int i = 0; i <= 3; i++) p[i] = 0;
  return 0;
}
