// expected: memory reachable by undefined functions
// What fgets reads is not what this fgetc returns: the library's own one is asked for each character.
#include <stdio.h>
void reach_error(void);
int fgetc(FILE *from) { return from ? 'x' : 'y'; }

int main(void) {
    char line[4];
    if (fgets(line, 4, stdin) && line[0] != 'x')
        reach_error();
    return 0;
}
