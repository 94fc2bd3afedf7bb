// expected: copy of untyped memory
extern void *memcpy(void *, const void *, unsigned); extern void *malloc(unsigned);
struct s;
int main(void) { struct s *a = malloc(8), *b = malloc(8); memcpy(a, b, 8); return 0; }
