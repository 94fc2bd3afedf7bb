/* What the rest of the program knows about the car. */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint16_t speed_kmh10;   /* tenths of km/h */
    uint16_t engine_rpm;
    int16_t coolant_c;
    uint8_t gear;           /* 0: neutral, 7: reverse */
    bool brake;
    uint8_t valid;          /* a bit for each message that is up to date */
} signals_t;

enum { MSG_ENGINE, MSG_SPEED, MSG_GEAR, MSG_COUNT };

#define SPEED_MAX 3000u
#define RPM_MAX 8000u

#endif
