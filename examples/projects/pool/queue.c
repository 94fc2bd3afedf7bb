#include "queue.h"

void queue_init(queue_t *q, pool_t *pool)
{
    q->pool = pool;
    q->head = 0u;
    q->count = 0u;
    for (unsigned i = 0; i < POOL_BLOCKS; i++) {
        q->waiting[i] = POOL_NONE;
        q->store[i].length = 0u;
    }
    pool_init(pool);
}

bool queue_send(queue_t *q, uint8_t byte, uint8_t length)
{
    block_t b;

    if (length > BLOCK_SIZE) {
        return false;
    }
    b = pool_take(q->pool);
    if (b == POOL_NONE) {
        return false;
    }
    q->store[b].length = length;
    for (uint8_t i = 0u; i < length; i++) {
        q->store[b].bytes[i] = byte;
    }
    q->waiting[(q->head + q->count) % POOL_BLOCKS] = b;
    q->count++;
    return true;
}

bool queue_receive(queue_t *q, message_t *m)
{
    block_t b;

    if (q->count == 0u) {
        return false;
    }
    b = q->waiting[q->head];
    q->head = (uint8_t)((q->head + 1u) % POOL_BLOCKS);
    q->count--;
    *m = q->store[b];
    return pool_give(q->pool, b);
}
