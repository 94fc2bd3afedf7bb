/* A queue of messages whose contents lie in blocks of the pool. */
#ifndef QUEUE_H
#define QUEUE_H

#include "pool.h"

#define BLOCK_SIZE 8u

typedef struct {
    uint8_t length;
    uint8_t bytes[BLOCK_SIZE];
} message_t;

typedef struct {
    pool_t *pool;
    message_t store[POOL_BLOCKS];
    block_t waiting[POOL_BLOCKS];
    uint8_t head;
    uint8_t count;
} queue_t;

void queue_init(queue_t *q, pool_t *pool);
bool queue_send(queue_t *q, uint8_t byte, uint8_t length);
bool queue_receive(queue_t *q, message_t *m);

#endif
