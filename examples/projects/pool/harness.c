/* Blocks are taken and given back in any order, also those that nobody has. */
#include <assert.h>

#include "pool.h"

extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    pool_t *pool = pool_instance();

    pool_init(pool);
    for (;;) {
        const uint8_t before = pool_free_blocks(pool);

        if (__VERIFIER_nondet_bool()) {
            const block_t b = pool_take(pool);

            assert((b == POOL_NONE) == (before == 0u));
            assert(b == POOL_NONE || pool_is_taken(pool, b));
        } else {
            const block_t b = __VERIFIER_nondet_uchar();
            const bool mine = pool_is_taken(pool, b);

            assert(pool_give(pool, b) == mine);
        }
        assert(pool_free_blocks(pool) <= POOL_BLOCKS);
        assert(pool_is_sound(pool));
    }
}
