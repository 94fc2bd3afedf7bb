#include "elevator.h"

void elevator_init(elevator_t *e)
{
    e->floor = 0u;
    e->motor = MOTOR_STOP;
    e->heading = MOTOR_STOP;
    door_init(&e->door);
    requests_clear(&e->requests);
}

static motor_t choose(const elevator_t *e)
{
    const bool above = requests_above(&e->requests, e->floor);
    const bool below = requests_below(&e->requests, e->floor);

    if (e->heading == MOTOR_DOWN) {
        return below ? MOTOR_DOWN : above ? MOTOR_UP : MOTOR_STOP;
    }
    return above ? MOTOR_UP : below ? MOTOR_DOWN : MOTOR_STOP;
}

static void arrive(elevator_t *e)
{
    if (e->motor == MOTOR_UP) {
        e->floor++;
    } else {
        e->floor--;
    }
    if (requests_at(&e->requests, e->floor)) {
        e->motor = MOTOR_STOP;
        requests_serve(&e->requests, e->floor);
        door_open(&e->door);
    } else {
        e->motor = e->heading = choose(e);
    }
}

static void rest(elevator_t *e)
{
    if (requests_at(&e->requests, e->floor)) {
        requests_serve(&e->requests, e->floor);
        door_open(&e->door);
        return;
    }
#ifdef SEEDED_BUG
    if (e->door.state == DOOR_CLOSED || e->door.state == DOOR_CLOSING) { /* nearly closed */
#else
    if (e->door.state == DOOR_CLOSED) {
#endif
        e->motor = e->heading = choose(e);
    }
}

void elevator_step(elevator_t *e, bool sensor, bool blocked)
{
    door_step(&e->door, blocked);
    if (e->motor == MOTOR_STOP) {
        rest(e);
    } else if (sensor) {
        arrive(e);
    }
}
