/* Times in ticks of 100 ms. */
#ifndef CONFIG_H
#define CONFIG_H

#define GREEN_MIN 50u
#define GREEN_MAX 300u
#define YELLOW_TIME 30u
#define ALL_RED_TIME 20u
#define WALK_TIME 60u
#define LAMP_CHECK_LIMIT 5u

#endif
