#include "charger.h"

#include "cell.h"

static void go(charger_t *c, charger_state_t state, uint16_t current)
{
    c->state = state;
    c->ticks = 0u;
    c->set_ma = current;
    c->switch_on = current != 0u;
}

static void stop(charger_t *c, charger_fault_t why)
{
    c->fault = why;
    go(c, CH_FAULT, 0u);
}

void charger_init(charger_t *c)
{
    c->fault = FAULT_NONE;
    c->voltage_mv = 0u;
    c->retries = 0u;
    go(c, CH_IDLE, 0u);
}

static bool too_warm_or_cold(const reading_t *r)
{
    return r->temperature_dc < TEMP_MIN_DC || r->temperature_dc > TEMP_MAX_DC;
}

static bool check(charger_t *c, const reading_t *r)
{
    if (too_warm_or_cold(r)) {
        stop(c, FAULT_TEMPERATURE);
        return false;
    }
    if (r->voltage_mv > CELL_MAX_MV) {
        stop(c, FAULT_VOLTAGE);
        return false;
    }
    return true;
}

static void idle(charger_t *c, const reading_t *r)
{
    if (r->voltage_mv < CELL_DEAD_MV) {
        stop(c, FAULT_CELL);
    } else if (r->voltage_mv < CELL_LOW_MV) {
        go(c, CH_PRE, CURRENT_PRE_MA);
    } else if (r->voltage_mv < CELL_FULL_MV) {
        go(c, CH_FAST, CURRENT_FAST_MA);
    }
}

static void pre(charger_t *c, const reading_t *r)
{
    if (r->voltage_mv >= CELL_LOW_MV) {
        go(c, CH_FAST, CURRENT_FAST_MA);
    } else if (c->ticks >= PRE_TICKS) {
        stop(c, FAULT_TIME);
    }
}

static void fast(charger_t *c)
{
    if (c->voltage_mv >= CELL_FULL_MV) {
        go(c, CH_TOP, CURRENT_FAST_MA / 2u);
    } else if (c->ticks >= FAST_TICKS) {
        stop(c, FAULT_TIME);
    }
}

static void top(charger_t *c, const reading_t *r)
{
    if (r->current_ma <= CURRENT_END_MA) {
        go(c, CH_DONE, 0u);
    } else if (c->set_ma > CURRENT_END_MA && c->voltage_mv > CELL_FULL_MV) {
        c->set_ma = (uint16_t)(c->set_ma - CURRENT_END_MA);
    }
}

static void fault(charger_t *c, const reading_t *r)
{
    if (c->fault == FAULT_TEMPERATURE && c->ticks >= RETRY_TICKS && c->retries < 3u && !too_warm_or_cold(r)) {
        c->retries++;
#ifdef SEEDED_BUG
        go(c, CH_FAST, CURRENT_FAST_MA); /* where we were, but is the voltage still all right? */
#else
        c->fault = FAULT_NONE;
        go(c, CH_IDLE, 0u);
#endif
    }
}

void charger_tick(charger_t *c, bool plugged, const reading_t *r)
{
    if (!plugged) {
        charger_init(c);
        return;
    }
    if (c->ticks < UINT16_MAX) {
        c->ticks++;
    }
    c->voltage_mv = adc_filter(c->voltage_mv, r->voltage_mv);
    if (c->state == CH_FAULT) {
        fault(c, r);
        return;
    }
    if (!check(c, r)) {
        return;
    }
    switch (c->state) {
    case CH_IDLE:
        idle(c, r);
        break;
    case CH_PRE:
        pre(c, r);
        break;
    case CH_FAST:
        fast(c);
        break;
    case CH_TOP:
        top(c, r);
        break;
    case CH_DONE:
    case CH_FAULT:
        break;
    }
}
