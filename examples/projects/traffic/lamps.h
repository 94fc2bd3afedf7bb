/* The lamps of the crossing and the relays behind them. */
#ifndef LAMPS_H
#define LAMPS_H

#include <stdbool.h>
#include <stdint.h>

enum road { NORTH_SOUTH, EAST_WEST, ROADS };
enum colour { RED, RED_YELLOW, GREEN, YELLOW, DARK };

/* one bit for each relay, as on the output port */
#define PORT_NS_RED 0x01u
#define PORT_NS_YELLOW 0x02u
#define PORT_NS_GREEN 0x04u
#define PORT_EW_RED 0x08u
#define PORT_EW_YELLOW 0x10u
#define PORT_EW_GREEN 0x20u
#define PORT_WALK 0x40u

struct lamps {
    enum colour road[ROADS];
    bool walk;
};

void lamps_all_red(struct lamps *l);
void lamps_set(struct lamps *l, enum road r, enum colour c);
uint8_t lamps_port(const struct lamps *l);
bool lamps_conflict(uint8_t port);

#endif
