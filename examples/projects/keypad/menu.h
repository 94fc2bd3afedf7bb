/* A menu of two levels with values that the keys change. */
#ifndef MENU_H
#define MENU_H

#include <stdbool.h>
#include <stdint.h>

enum { KEY_UP = 1, KEY_DOWN = 2, KEY_ENTER = 4, KEY_BACK = 8 };

#define ITEMS 3u
#define MENU_TIMEOUT 100u

struct menu_item {
    const char *title;
    int16_t low, high, step;
};

struct menu {
    const struct menu_item *items;
    uint8_t selected;
    bool editing;
    int16_t values[ITEMS];
    int16_t before; /* what is restored by BACK */
    uint8_t idle;
};

void menu_init(struct menu *m, const struct menu_item *items);
void menu_keys(struct menu *m, uint8_t pressed);

#endif
