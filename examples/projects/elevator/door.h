/* The door: it needs time to open and close, and does not close on somebody. */
#ifndef DOOR_H
#define DOOR_H

#include <stdbool.h>
#include <stdint.h>

enum door_state { DOOR_CLOSED, DOOR_OPENING, DOOR_OPEN, DOOR_CLOSING };

#define DOOR_MOVE 3u
#define DOOR_WAIT 10u

struct door {
    enum door_state state;
    uint8_t timer;
};

void door_init(struct door *d);
void door_open(struct door *d);
void door_step(struct door *d, bool blocked);

#endif
