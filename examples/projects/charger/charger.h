/* The charger of one lithium cell: pre-charge, constant current, constant voltage, done; faults end charging. */
#ifndef CHARGER_H
#define CHARGER_H

#include <stdbool.h>

#include "adc.h"

typedef enum { CH_IDLE, CH_PRE, CH_FAST, CH_TOP, CH_DONE, CH_FAULT } charger_state_t;

typedef enum { FAULT_NONE, FAULT_TEMPERATURE, FAULT_VOLTAGE, FAULT_TIME, FAULT_CELL } charger_fault_t;

typedef struct {
    charger_state_t state;
    charger_fault_t fault;
    uint16_t ticks;       /* in this state */
    uint16_t voltage_mv;  /* filtered */
    uint16_t set_ma;      /* what the power stage is told */
    uint8_t retries;
    bool switch_on;       /* the transistor between charger and cell */
} charger_t;

void charger_init(charger_t *c);
void charger_tick(charger_t *c, bool plugged, const reading_t *r);

#endif
