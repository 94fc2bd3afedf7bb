// property: memsafety
#include <stdlib.h>
int main(void) { int *p = malloc(8); p[0] = 1; int *q = realloc(p, 16); q[3] = 2; int r = q[0]; free(p); return r; }
