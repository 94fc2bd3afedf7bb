#include "q15.h"

static q15_t saturate(int64_t x)
{
    if (x > Q15_MAX) {
        return Q15_MAX;
    }
    if (x < Q15_MIN) {
        return Q15_MIN;
    }
    return (q15_t)x;
}

q15_t q15_add(q15_t a, q15_t b)
{
    return saturate((int64_t)a + b);
}

q15_t q15_sub(q15_t a, q15_t b)
{
    return saturate((int64_t)a - b);
}

q15_t q15_mul(q15_t a, q15_t b)
{
    return saturate(((int64_t)a * b) / Q15_ONE);
}

q15_t q15_clamp(q15_t x, q15_t low, q15_t high)
{
    return x < low ? low : x > high ? high : x;
}
