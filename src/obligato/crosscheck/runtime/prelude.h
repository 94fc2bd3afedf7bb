/* What programs printed by `obligato show --as c` are written in: words, wide words, floats and memories. */
#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What the harness provides. Inputs are named by the function of the original program that gives them. */
uint64_t cc_input(const char *name, unsigned width);
unsigned cc_choose(unsigned count);
void cc_step(void);                                           /* called once per iteration, label and call */
void cc_result(const char *name, uint64_t value);             /* what a global, or the entry's result, holds at the end */
void cc_beyond(const char *limit);                            /* goes on, but a difference means nothing any more */
_Noreturn void cc_ends(const char *how, const char *detail);  /* error, limit, approximation, assume, halt, return */

/* Words: a bit-vector of up to 64 bits is held in a uint64_t whose upper bits are zero. */
static inline uint64_t cut(uint64_t a, unsigned w) { return w < 64 ? a & ((UINT64_C(1) << w) - 1) : a; }
static inline int64_t sx(uint64_t a, unsigned w) {
    uint64_t sign = UINT64_C(1) << (w - 1);
    return (int64_t)((a ^ sign) - sign);
}
static inline uint64_t bv_udiv(uint64_t a, uint64_t b, unsigned w) { return b ? a / b : cut(~UINT64_C(0), w); }
static inline uint64_t bv_urem(uint64_t a, uint64_t b) { return b ? a % b : a; }
static inline uint64_t magnitude(uint64_t a, unsigned w) { return sx(a, w) < 0 ? cut(-a, w) : a; }
static inline uint64_t bv_sdiv(uint64_t a, uint64_t b, unsigned w) {
    uint64_t q = bv_udiv(magnitude(a, w), magnitude(b, w), w);
    return (sx(a, w) < 0) != (sx(b, w) < 0) ? cut(-q, w) : q;
}
static inline uint64_t bv_srem(uint64_t a, uint64_t b, unsigned w) {
    uint64_t r = bv_urem(magnitude(a, w), magnitude(b, w));
    return sx(a, w) < 0 ? cut(-r, w) : r;
}
static inline uint64_t bv_smod(uint64_t a, uint64_t b, unsigned w) {
    uint64_t r = bv_srem(a, b, w);
    return r && (sx(r, w) < 0) != (sx(b, w) < 0) ? cut(r + b, w) : r;
}
static inline uint64_t bv_shl(uint64_t a, uint64_t b, unsigned w) { return b < w ? cut(a << b, w) : 0; }
static inline uint64_t bv_lshr(uint64_t a, uint64_t b, unsigned w) { return b < w ? a >> b : 0; }
static inline uint64_t bv_ashr(uint64_t a, uint64_t b, unsigned w) {
    uint64_t fill = sx(a, w) < 0 ? cut(~UINT64_C(0), w) : 0;
    return b < w ? a >> b | (b ? cut(fill << (w - b), w) : 0) : fill;
}
#ifdef JUNK /* where any value will do: the bytes that the compiled original has there, too */
static inline uint64_t junk(uint64_t n) { (void)n; return JUNK * UINT64_C(0x0101010101010101); }
#else
static inline uint64_t junk(uint64_t n) { return (n + 1) * UINT64_C(0x9E3779B97F4A7C15); }
#endif

#ifdef WORDS /* Wide words: 32 bits each, least first; bits beyond the width are zero. */
typedef struct { uint32_t w[WORDS]; } wide;
static inline wide w_of(uint64_t a) { wide r = {{0}}; r.w[0] = (uint32_t)a; r.w[1] = (uint32_t)(a >> 32); return r; }
static inline uint64_t w_low(wide a) { return a.w[0] | (uint64_t)a.w[1] << 32; }
static inline wide w_cut(wide a, unsigned width) {
    for (unsigned i = 0; i < WORDS; i++)
        if (32 * i >= width) a.w[i] = 0;
        else if (32 * i + 32 > width) a.w[i] &= ((uint32_t)1 << width % 32) - 1;
    return a;
}
static inline wide w_left(wide a, unsigned n) {
    wide r = {{0}};
    for (unsigned i = n / 32; i < WORDS; i++) {
        uint64_t low = i > n / 32 ? a.w[i - n / 32 - 1] : 0;
        r.w[i] = (uint32_t)(((uint64_t)a.w[i - n / 32] << 32 | low) >> (32 - n % 32));
    }
    return r;
}
static inline wide w_right(wide a, unsigned n) {
    wide r = {{0}};
    for (unsigned i = 0; i + n / 32 < WORDS; i++) {
        uint64_t high = i + n / 32 + 1 < WORDS ? a.w[i + n / 32 + 1] : 0;
        r.w[i] = (uint32_t)((high << 32 | a.w[i + n / 32]) >> n % 32);
    }
    return r;
}
static inline wide w_or(wide a, wide b) { for (unsigned i = 0; i < WORDS; i++) a.w[i] |= b.w[i]; return a; }
static inline wide w_and(wide a, wide b) { for (unsigned i = 0; i < WORDS; i++) a.w[i] &= b.w[i]; return a; }
static inline wide w_xor(wide a, wide b) { for (unsigned i = 0; i < WORDS; i++) a.w[i] ^= b.w[i]; return a; }
static inline wide w_not(wide a, unsigned width) { for (unsigned i = 0; i < WORDS; i++) a.w[i] = ~a.w[i]; return w_cut(a, width); }
static inline wide w_add(wide a, wide b, unsigned width) {
    uint64_t carry = 0;
    for (unsigned i = 0; i < WORDS; i++) { carry += (uint64_t)a.w[i] + b.w[i]; a.w[i] = (uint32_t)carry; carry >>= 32; }
    return w_cut(a, width);
}
static inline wide w_neg(wide a, unsigned width) { return w_add(w_not(a, width), w_of(1), width); }
static inline wide w_sub(wide a, wide b, unsigned width) { return w_add(a, w_neg(b, width), width); }
static inline wide w_mul(wide a, wide b, unsigned width) {
    wide r = {{0}};
    for (unsigned i = 0; i < WORDS; i++) {
        uint64_t carry = 0;
        for (unsigned j = 0; i + j < WORDS; j++) {
            carry += (uint64_t)a.w[i] * b.w[j] + r.w[i + j];
            r.w[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    return w_cut(r, width);
}
static inline int w_order(wide a, wide b) {
    for (unsigned i = WORDS; i-- > 0;) if (a.w[i] != b.w[i]) return a.w[i] < b.w[i] ? -1 : 1;
    return 0;
}
static inline bool w_bit(wide a, unsigned n) { return a.w[n / 32] >> n % 32 & 1; }
static inline int w_signed_order(wide a, wide b, unsigned width) {
    return w_bit(a, width - 1) != w_bit(b, width - 1) ? (w_bit(a, width - 1) ? -1 : 1) : w_order(a, b);
}
static inline wide w_sext(wide a, unsigned from, unsigned to) {
    return w_bit(a, from - 1) ? w_cut(w_or(a, w_left(w_not(w_of(0), 32 * WORDS), from)), to) : a;
}
static inline wide w_divide(wide a, wide b, unsigned width, bool remainder) {
    wide q = {{0}}, r = {{0}};
    if (w_order(b, q) == 0) return remainder ? a : w_not(q, width);
    for (unsigned i = width; i-- > 0;) {
        r = w_left(r, 1);
        r.w[0] |= w_bit(a, i);
        if (w_order(r, b) >= 0) { r = w_sub(r, b, width); q.w[i / 32] |= (uint32_t)1 << i % 32; }
    }
    return remainder ? r : q;
}
static inline wide w_magnitude(wide a, unsigned width) { return w_bit(a, width - 1) ? w_neg(a, width) : a; }
static inline wide w_sdivide(wide a, wide b, unsigned width, bool remainder) {
    wide r = w_divide(w_magnitude(a, width), w_magnitude(b, width), width, remainder);
    bool negative = w_bit(a, width - 1) != (!remainder && w_bit(b, width - 1));
    return negative ? w_neg(r, width) : r;
}
static inline unsigned w_amount(wide b) { return w_order(b, w_of(32 * WORDS)) < 0 ? b.w[0] : 32 * WORDS; }
static inline wide w_ashr(wide a, unsigned n, unsigned width) { return w_cut(w_right(w_sext(a, width, 32 * WORDS), n), width); }
#endif

/* Floats: arithmetic in a rounding mode of <fenv.h>; a conversion to integers of what does not fit is 0. */
#define FLOATS(T, S, SQRT)                                                                                               \
    static T S##_calculate(int mode, char sign, T a, T b) {                                                              \
        volatile T x = a, y = b, r;                                                                                      \
        int old = fegetround();                                                                                          \
        fesetround(mode);                                                                                                \
        r = sign == '+' ? x + y : sign == '-' ? x - y : sign == '*' ? x * y : sign == '/' ? x / y : SQRT(x);             \
        fesetround(old);                                                                                                 \
        return r;                                                                                                        \
    }                                                                                                                    \
    static T S##_from_word(int mode, bool negative, uint64_t magnitude) {                                                \
        volatile uint64_t m = magnitude;                                                                                 \
        int old = fegetround();                                                                                          \
        fesetround(mode);                                                                                                \
        volatile T r = negative ? (T)-(long double)m : (T)(long double)m;                                                \
        fesetround(old);                                                                                                 \
        return r;                                                                                                        \
    }                                                                                                                    \
    static T S##_from(int mode, long double a) {                                                                         \
        volatile long double x = a;                                                                                      \
        int old = fegetround();                                                                                          \
        fesetround(mode);                                                                                                \
        volatile T r = (T)x;                                                                                             \
        fesetround(old);                                                                                                 \
        return r;                                                                                                        \
    }                                                                                                                    \
    static inline bool S##_same(T a, T b) { return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b); }        \
    static inline T S##_min(T a, T b) { return isnan(a) ? b : isnan(b) ? a : a < b ? a : b; }                            \
    static inline T S##_max(T a, T b) { return isnan(a) ? b : isnan(b) ? a : a > b ? a : b; }
static long double to_integral(int mode, long double a) {
    volatile long double x = a, r;
    int old = fegetround();
    fesetround(mode);
    r = rintl(x);
    fesetround(old);
    return r;
}
static inline uint64_t to_unsigned(int mode, long double a, unsigned w) {
    long double r = to_integral(mode, a);
    return r >= 0 && r < ldexpl(1, (int)w) ? (uint64_t)r : 0;
}
static inline uint64_t to_signed(int mode, long double a, unsigned w) {
    long double r = to_integral(mode, a), bound = ldexpl(1, (int)w - 1);
    if (!(r >= -bound && r < bound)) return 0;
    return r < 0 ? cut(-(uint64_t)-r, w) : (uint64_t)r;
}
FLOATS(float, f32, sqrtf)
FLOATS(double, f64, sqrt)
FLOATS(long double, f80, sqrtl)
static inline float f32_bits(uint64_t a) { uint32_t b = (uint32_t)a; float r; memcpy(&r, &b, 4); return r; }
static inline double f64_bits(uint64_t a) { double r; memcpy(&r, &a, 8); return r; }
static inline uint64_t bits_f32(float a) { uint32_t r; memcpy(&r, &a, 4); return isnan(a) ? UINT64_C(0x7FC00000) : r; }
static inline uint64_t bits_f64(double a) { uint64_t r; memcpy(&r, &a, 8); return isnan(a) ? UINT64_C(0x7FF8000000000000) : r; }

/* Memories: total maps from words; M_all has one value everywhere, M_set changes it at one place. */
#define MEMORY(M, T)                                                                                                     \
    typedef struct { uint64_t *keys; T *values; bool *used; size_t size, count; T other; } M;                            \
    static size_t M##_find(const M *m, uint64_t key) {                                                                   \
        size_t i = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (m->size - 1);                                   \
        while (m->used[i] && m->keys[i] != key) i = (i + 1) & (m->size - 1);                                             \
        return i;                                                                                                        \
    }                                                                                                                    \
    static M M##_sized(size_t size, T other) {                                                                           \
        M m = {calloc(size, sizeof(uint64_t)), calloc(size, sizeof(T)), calloc(size, 1), size, 0, other};                \
        if (!m.keys || !m.values || !m.used) cc_ends("limit", "memory of the harness");                                     \
        return m;                                                                                                        \
    }                                                                                                                    \
    static M M##_all(T other) { return M##_sized(16, other); }                                                           \
    static void M##_free(M *m) { free(m->keys); free(m->values); free(m->used); }                                        \
    static T M##_get(const M *m, uint64_t key) { size_t i = M##_find(m, key); return m->used[i] ? m->values[i] : m->other; } \
    static void M##_set(M *m, uint64_t key, T value);                                                                    \
    static M M##_resized(const M *m, size_t size) {                                                                      \
        M r = M##_sized(size, m->other);                                                                                 \
        for (size_t i = 0; i < m->size; i++) if (m->used[i]) M##_set(&r, m->keys[i], m->values[i]);                      \
        return r;                                                                                                        \
    }                                                                                                                    \
    static M M##_copy(const M *m) { return M##_resized(m, m->size); }                                                    \
    static void M##_become(M *m, M value) { M##_free(m); *m = value; }                                                   \
    static void M##_set(M *m, uint64_t key, T value) {                                                                   \
        size_t i = M##_find(m, key);                                                                                     \
        if (!m->used[i] && 2 * ++m->count > m->size) { M##_become(m, M##_resized(m, 2 * m->size)); m->count++; i = M##_find(m, key); } \
        m->used[i] = true; m->keys[i] = key; m->values[i] = value;                                                       \
    }
