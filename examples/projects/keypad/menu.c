#include "menu.h"

void menu_init(struct menu *m, const struct menu_item *items)
{
    m->items = items;
    m->selected = 0u;
    m->editing = false;
    for (unsigned i = 0; i < ITEMS; i++) {
        m->values[i] = items[i].low;
    }
    m->before = 0;
    m->idle = 0u;
}

static void change(struct menu *m, bool up)
{
    const struct menu_item *item = &m->items[m->selected];
    int16_t *value = &m->values[m->selected];

#ifdef SEEDED_BUG
    *value = (int16_t)(up ? *value + item->step : *value - item->step);
    if (*value > item->high) {
        *value = item->high;
    }
#else
    if (up) {
        *value = *value > item->high - item->step ? item->high : (int16_t)(*value + item->step);
    } else {
        *value = *value < item->low + item->step ? item->low : (int16_t)(*value - item->step);
    }
#endif
}

static void move(struct menu *m, bool up)
{
    if (up) {
        m->selected = m->selected == 0u ? ITEMS - 1u : (uint8_t)(m->selected - 1u);
    } else {
        m->selected = (uint8_t)((m->selected + 1u) % ITEMS);
    }
}

static void leave(struct menu *m, bool restore)
{
    if (m->editing && restore) {
        m->values[m->selected] = m->before;
    }
    m->editing = false;
}

void menu_keys(struct menu *m, uint8_t pressed)
{
    if (pressed == 0u) {
        if (m->idle < MENU_TIMEOUT) {
            m->idle++;
        } else {
            leave(m, true);
        }
        return;
    }
    m->idle = 0u;
    if (pressed & KEY_BACK) {
        leave(m, true);
    } else if (pressed & KEY_ENTER) {
        if (m->editing) {
            leave(m, false);
        } else {
            m->before = m->values[m->selected];
            m->editing = true;
        }
    } else if (m->editing) {
        change(m, (pressed & KEY_UP) != 0u);
    } else {
        move(m, (pressed & KEY_UP) != 0u);
    }
}
