// As many characters as the width says, and no spaces.
#include <stdio.h>
#include <string.h>
extern void reach_error(void);
int main(void) { int a; char name[10] = "x"; if (scanf("%d %9s", &a, name) == 2) { if (strlen(name) > 9 || name[0] == 0 || name[0] == ' ') reach_error(); } return 0; }
