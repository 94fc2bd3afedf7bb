#include "lamps.h"

static const uint8_t relays[ROADS][5] = {
    [NORTH_SOUTH] = {
        [RED] = PORT_NS_RED,
        [RED_YELLOW] = PORT_NS_RED | PORT_NS_YELLOW,
        [GREEN] = PORT_NS_GREEN,
        [YELLOW] = PORT_NS_YELLOW,
        [DARK] = 0u,
    },
    [EAST_WEST] = {
        [RED] = PORT_EW_RED,
        [RED_YELLOW] = PORT_EW_RED | PORT_EW_YELLOW,
        [GREEN] = PORT_EW_GREEN,
        [YELLOW] = PORT_EW_YELLOW,
        [DARK] = 0u,
    },
};

void lamps_all_red(struct lamps *l)
{
    for (int r = 0; r < ROADS; r++) {
        l->road[r] = RED;
    }
    l->walk = false;
}

void lamps_set(struct lamps *l, enum road r, enum colour c)
{
    l->road[r] = c;
}

uint8_t lamps_port(const struct lamps *l)
{
    uint8_t port = 0u;

    port |= relays[NORTH_SOUTH][l->road[NORTH_SOUTH]];
    port |= relays[EAST_WEST][l->road[EAST_WEST]];
    if (l->walk) {
        port |= PORT_WALK;
    }
    return port;
}

bool lamps_conflict(uint8_t port)
{
    const bool ns_moves = (port & (PORT_NS_GREEN | PORT_NS_YELLOW)) != 0u && (port & PORT_NS_RED) == 0u;
    const bool ew_moves = (port & (PORT_EW_GREEN | PORT_EW_YELLOW)) != 0u && (port & PORT_EW_RED) == 0u;

    return (ns_moves && ew_moves) || ((port & PORT_WALK) != 0u && (ns_moves || ew_moves));
}
