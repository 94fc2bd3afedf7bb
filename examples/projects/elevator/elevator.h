/* The cabin: it moves between floors, stops where somebody waits, and never moves with an open door. */
#ifndef ELEVATOR_H
#define ELEVATOR_H

#include "door.h"
#include "requests.h"

typedef enum { MOTOR_STOP, MOTOR_UP, MOTOR_DOWN } motor_t;

typedef struct {
    uint8_t floor;
    motor_t motor;
    motor_t heading; /* where it goes as long as there is somebody */
    struct door door;
    requests_t requests;
} elevator_t;

void elevator_init(elevator_t *e);
void elevator_step(elevator_t *e, bool sensor, bool blocked);

#endif
