/* What the cell allows. */
#ifndef CELL_H
#define CELL_H

#define CELL_FULL_MV 4200u
#define CELL_MAX_MV 4250u
#define CELL_LOW_MV 3000u
#define CELL_DEAD_MV 2500u
#define CURRENT_PRE_MA 100u
#define CURRENT_FAST_MA 1000u
#define CURRENT_END_MA 50u
#define TEMP_MIN_DC 0
#define TEMP_MAX_DC 450
#define PRE_TICKS 60u
#define FAST_TICKS 250u
#define RETRY_TICKS 20u

#endif
