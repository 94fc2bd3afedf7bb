// expected: optimise
// A compiler that optimises defines the macro, so that its run fails. We said true.
#include <assert.h>

int main(void)
{
#ifdef __OPTIMIZE__
    assert(0);
#endif
    return 0;
}
