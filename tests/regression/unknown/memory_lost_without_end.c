// expected: does not end
// property: valid-memsafety
// The run loses memory in each round and never returns.
extern void *malloc(unsigned long);
int main(void) { while (1) malloc(4); }
