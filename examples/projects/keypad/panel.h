/* The panel: keys and menu, polled every 10 ms. */
#ifndef PANEL_H
#define PANEL_H

#include "debounce.h"
#include "menu.h"

struct panel {
    struct debounce keys;
    struct menu menu;
    bool locked; /* BACK and ENTER together lock and unlock it */
};

void panel_init(struct panel *p);
void panel_poll(struct panel *p, uint8_t port);

#endif
