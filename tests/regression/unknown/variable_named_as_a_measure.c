// property: valid-memsafety
// expected: run that does not end
// The second variable `before` of main had the name of a measure of the loop, so that x seemed to rise
// in each round: the run never ends, and the block that is lost was not counted. We said true.
#include <stdlib.h>

int main(void)
{
    char *lost = malloc(1);
    lost = 0;
    unsigned before = 0;
    if (before == 0) {
        unsigned before = 0, x = 1;
        while (x > before) {
            x = x == 1 ? 2 : 1;
            before = 0;
        }
    }
    return 0;
}
