#include "pool.h"

struct pool {
    uint8_t next[POOL_BLOCKS]; /* the list of free blocks */
    uint8_t first;
    uint8_t free;
    bool taken[POOL_BLOCKS];
    uint8_t most_taken; /* ever */
};

static struct pool instance;

pool_t *pool_instance(void)
{
    return &instance;
}

void pool_init(pool_t *p)
{
    for (unsigned i = 0; i < POOL_BLOCKS; i++) {
        p->next[i] = (uint8_t)(i + 1u < POOL_BLOCKS ? i + 1u : POOL_NONE);
        p->taken[i] = false;
    }
    p->first = 0u;
    p->free = POOL_BLOCKS;
    p->most_taken = 0u;
}

block_t pool_take(pool_t *p)
{
    const block_t b = p->first;

    if (b == POOL_NONE) {
        return POOL_NONE;
    }
    p->first = p->next[b];
    p->taken[b] = true;
    p->free--;
    if (POOL_BLOCKS - p->free > p->most_taken) {
        p->most_taken = (uint8_t)(POOL_BLOCKS - p->free);
    }
    return b;
}

bool pool_give(pool_t *p, block_t b)
{
#ifdef SEEDED_BUG
    if (b >= POOL_BLOCKS) { /* given back twice? */
#else
    if (b >= POOL_BLOCKS || !p->taken[b]) {
#endif
        return false;
    }
    p->taken[b] = false;
    p->next[b] = p->first;
    p->first = b;
    p->free++;
    return true;
}

uint8_t pool_free_blocks(const pool_t *p)
{
    return p->free;
}

bool pool_is_taken(const pool_t *p, block_t b)
{
    return b < POOL_BLOCKS && p->taken[b];
}

/* the list of free blocks has as many blocks as are said to be free, and none of them is taken */
bool pool_is_sound(const pool_t *p)
{
    uint8_t b = p->first;

    for (unsigned n = 0; n < POOL_BLOCKS; n++) {
        if (b == POOL_NONE) {
            return n == p->free;
        }
        if (b >= POOL_BLOCKS || p->taken[b]) {
            return false;
        }
        b = p->next[b];
    }
    return b == POOL_NONE && p->free == POOL_BLOCKS;
}
