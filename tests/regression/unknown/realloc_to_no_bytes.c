// expected: realloc to no bytes at all
#include <stdlib.h>
extern void reach_error(void);
int main(void) { char *p = malloc(1); p = realloc(p, 0); if (!p) reach_error(); return 0; }
