// expected: whether memory is lost is not decided
// property: valid-memsafety
extern void *malloc(unsigned long);
int **kept;
int main(void) { kept = malloc(sizeof *kept); *kept = malloc(4); return 0; }
