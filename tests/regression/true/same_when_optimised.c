// The macro is asked for, but what is left of the program is the same.
#include <assert.h>

#ifdef __OPTIMIZE__
#define QUICK 1
#else
#define QUICK 0
#endif

int main(void)
{
    int x = 1;
    assert(x == 1);
    return 0;
}
