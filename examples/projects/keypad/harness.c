/* Whatever the keys do: values stay within the limits of their items. */
#include <assert.h>

#include "panel.h"

extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    static struct panel panel;

    panel_init(&panel);
    for (;;) {
        panel_poll(&panel, __VERIFIER_nondet_uchar());
        assert(panel.keys.state < (1u << KEYS));
        assert(panel.keys.counter[0] < STABLE_SAMPLES && panel.keys.counter[3] < STABLE_SAMPLES);
        assert(panel.menu.selected < ITEMS);
        assert(panel.menu.values[0] >= 50 && panel.menu.values[0] <= 300);
        assert(panel.menu.values[1] >= 0 && panel.menu.values[1] <= 100);
        assert(panel.menu.values[2] >= -20 && panel.menu.values[2] <= 20);
        assert(panel.menu.idle <= MENU_TIMEOUT);
    }
}
