/* Anything in the flash: what is started lies inside of its slot, is not too old, and was not tried too often. */
#include <assert.h>

#include "boot.h"

extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern _Bool __VERIFIER_nondet_bool(void);

static uint8_t slot_a[SLOT_SIZE], slot_b[SLOT_SIZE];

int main(void)
{
    boot_t boot;

    for (unsigned i = 0; i < SLOT_SIZE; i++) {
        slot_a[i] = __VERIFIER_nondet_uchar();
        slot_b[i] = __VERIFIER_nondet_uchar();
    }
    boot_init(&boot, slot_a, slot_b, __VERIFIER_nondet_ushort());
    for (int restarts = 0; restarts < 3; restarts++) {
        const uint16_t oldest = boot.oldest_allowed;
        const boot_decision_t d = boot_decide(&boot);

        assert(!d.start || (d.address >= HEADER_SIZE && d.address < SLOT_SIZE));
        assert(!d.start || d.version >= oldest);
        assert(boot.attempts[SLOT_A] <= MAX_ATTEMPTS && boot.attempts[SLOT_B] <= MAX_ATTEMPTS);
        if (__VERIFIER_nondet_bool()) {
            boot_confirm(&boot, &d);
        }
        assert(boot.oldest_allowed >= oldest);
    }
    return 0;
}
