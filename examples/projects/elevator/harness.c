/* Buttons, floor sensor and light barrier do what they like. */
#include <assert.h>

#include "elevator.h"

extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    elevator_t e;

    elevator_init(&e);
    while (1) {
        if (__VERIFIER_nondet_bool()) {
            requests_press(&e.requests, __VERIFIER_nondet_uchar(), __VERIFIER_nondet_uchar());
        }
        elevator_step(&e, __VERIFIER_nondet_bool(), __VERIFIER_nondet_bool());
        assert(e.floor < FLOORS);
        assert(e.motor == MOTOR_STOP || e.door.state == DOOR_CLOSED);
        assert(e.motor != MOTOR_UP || e.floor < FLOORS - 1u);
        assert(e.motor != MOTOR_DOWN || e.floor > 0u);
        assert(e.door.timer <= DOOR_WAIT);
    }
}
