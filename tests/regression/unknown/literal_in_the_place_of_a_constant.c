// expected: where objects lie in memory
// A compiler may keep a text literal where a constant of the same contents is: clang -O2 finds the
// pointers equal. We said true.
#include <assert.h>

static const char unit[] = "mm";

int main(void)
{
    const char *text = "mm";
    assert(text != unit);
    return 0;
}
