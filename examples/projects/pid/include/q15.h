/* Numbers in Q16.15: 1.0 is 32768. All operations saturate, none overflows. */
#ifndef Q15_H
#define Q15_H

#include <stdint.h>

typedef int32_t q15_t;

#define Q15_ONE ((q15_t)32768)
#define Q15(x) ((q15_t)((x) * 32768.0))
#define Q15_MAX INT32_MAX
#define Q15_MIN INT32_MIN

q15_t q15_add(q15_t a, q15_t b);
q15_t q15_sub(q15_t a, q15_t b);
q15_t q15_mul(q15_t a, q15_t b);
q15_t q15_clamp(q15_t x, q15_t low, q15_t high);

#endif
