/* The queue: every message that was sent is received, and all blocks come back. */
#include <assert.h>

#include "queue.h"

extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    static queue_t queue;
    message_t m;

    queue_init(&queue, pool_instance());
    for (;;) {
        if (__VERIFIER_nondet_bool()) {
            (void)queue_send(&queue, __VERIFIER_nondet_uchar(), __VERIFIER_nondet_uchar());
        } else if (queue_receive(&queue, &m)) {
            assert(m.length <= BLOCK_SIZE);
        }
        assert(queue.count <= POOL_BLOCKS && queue.head < POOL_BLOCKS);
        assert(queue.count + pool_free_blocks(queue.pool) == POOL_BLOCKS);
    }
}
