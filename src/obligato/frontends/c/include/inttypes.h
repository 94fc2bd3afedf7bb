#ifndef OBLIGATO_INTTYPES_H
#define OBLIGATO_INTTYPES_H
#include <stdint.h>
typedef struct { intmax_t quot, rem; } imaxdiv_t;
intmax_t imaxabs(intmax_t);
imaxdiv_t imaxdiv(intmax_t, intmax_t);
intmax_t strtoimax(const char *restrict, char **restrict, int);
uintmax_t strtoumax(const char *restrict, char **restrict, int);
#if __SIZEOF_LONG__ == 8
#define OBLIGATO_64 "l"
#define OBLIGATO_PTR "l"
#else
#define OBLIGATO_64 "ll"
#define OBLIGATO_PTR ""
#endif
#define PRId8 "d"
#define PRIi8 "i"
#define PRIu8 "u"
#define PRIx8 "x"
#define PRIX8 "X"
#define PRId16 "d"
#define PRIi16 "i"
#define PRIu16 "u"
#define PRIx16 "x"
#define PRIX16 "X"
#define PRId32 "d"
#define PRIi32 "i"
#define PRIu32 "u"
#define PRIx32 "x"
#define PRIX32 "X"
#define PRId64 OBLIGATO_64 "d"
#define PRIi64 OBLIGATO_64 "i"
#define PRIu64 OBLIGATO_64 "u"
#define PRIx64 OBLIGATO_64 "x"
#define PRIX64 OBLIGATO_64 "X"
#define PRIdMAX PRId64
#define PRIuMAX PRIu64
#define PRIxMAX PRIx64
#define PRIdPTR OBLIGATO_PTR "d"
#define PRIuPTR OBLIGATO_PTR "u"
#define PRIxPTR OBLIGATO_PTR "x"
#endif
