#include "panel.h"

static const struct menu_item items[ITEMS] = {
    { "temperature", 50, 300, 5 },
    { "brightness", 0, 100, 10 },
    { "offset", -20, 20, 1 },
};

void panel_init(struct panel *p)
{
    debounce_init(&p->keys);
    menu_init(&p->menu, items);
    p->locked = false;
}

void panel_poll(struct panel *p, uint8_t port)
{
    const uint8_t pressed = debounce_sample(&p->keys, (uint8_t)~port); /* a key pulls its line down */
    const uint8_t both = KEY_BACK | KEY_ENTER;

    if ((p->keys.state & both) == both && (pressed & both) != 0u) {
        p->locked = !p->locked;
        menu_keys(&p->menu, 0u);
    } else if (!p->locked) {
        menu_keys(&p->menu, pressed);
    }
}
