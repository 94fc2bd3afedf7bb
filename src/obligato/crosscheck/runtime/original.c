/* What the original program calls: its ends, its errors, its assumptions; and how its variables are read. */
#include <stdint.h>
uint64_t cc_input(const char *name, unsigned width);
void cc_result(const char *name, uint64_t value);
_Noreturn void cc_ends(const char *how, const char *detail);
int original_main(int count, char **values, char **environment);

_Noreturn void reach_error(void) { cc_ends("error", "unreach-call"); }
_Noreturn void __VERIFIER_error(void) { cc_ends("error", "unreach-call"); }
_Noreturn void original___assert_fail(void) { cc_ends("assertion", ""); }
_Noreturn void original_abort(void) { cc_ends("halt", ""); }
_Noreturn void original_exit(int status) { (void)status; cc_ends("halt", ""); }
_Noreturn void original__exit(int status) { (void)status; cc_ends("halt", ""); }
_Noreturn void original__Exit(int status) { (void)status; cc_ends("halt", ""); }
/* where the program does not define them itself */
__attribute__((weak)) void __VERIFIER_assume(int condition) { if (!condition) cc_ends("assume", ""); }
__attribute__((weak)) void assert(int condition) { if (!condition) cc_ends("assertion", ""); }
__attribute__((weak)) void __VERIFIER_assert(int condition) { if (!condition) cc_ends("error", "unreach-call"); }

static uint64_t part(const unsigned char *object, unsigned bit, unsigned width) {
    uint64_t v = 0;
    for (unsigned i = 0; i < width; i++) v |= (uint64_t)(object[(bit + i) / 8] >> (bit + i) % 8 & 1) << i;
    return v;
}
static uint64_t number(uint64_t bits, unsigned width) { /* one pattern for all NaNs */
    uint64_t infinity = width == 32 ? 0x7F800000 : 0x7FF0000000000000, sign = (uint64_t)1 << (width - 1);
    return (bits & ~sign) > infinity ? infinity | (width == 32 ? 0x400000 : 0x8000000000000) : bits;
}
