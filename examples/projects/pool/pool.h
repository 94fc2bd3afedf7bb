/* Memory without malloc: a fixed number of blocks of one size. What a pool is made of is nobody's business. */
#ifndef POOL_H
#define POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POOL_BLOCKS 4u
#define POOL_NONE 0xFFu

typedef uint8_t block_t; /* a handle */
typedef struct pool pool_t;

pool_t *pool_instance(void);
void pool_init(pool_t *p);
block_t pool_take(pool_t *p);
bool pool_give(pool_t *p, block_t b);
uint8_t pool_free_blocks(const pool_t *p);
bool pool_is_taken(const pool_t *p, block_t b);
bool pool_is_sound(const pool_t *p);

#endif
