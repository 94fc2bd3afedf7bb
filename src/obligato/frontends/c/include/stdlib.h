#ifndef OBLIGATO_STDLIB_H
#define OBLIGATO_STDLIB_H
#include <stddef.h>
#include <alloca.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
#define MB_CUR_MAX ((__SIZE_TYPE__)1)
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void *aligned_alloc(size_t, size_t);
void free(void *);
_Noreturn void abort(void);
_Noreturn void exit(int);
_Noreturn void _Exit(int);
_Noreturn void quick_exit(int);
int atexit(void (*)(void));
int at_quick_exit(void (*)(void));
char *getenv(const char *);
int system(const char *);
int abs(int);
long labs(long);
long long llabs(long long);
div_t div(int, int);
ldiv_t ldiv(long, long);
lldiv_t lldiv(long long, long long);
int atoi(const char *);
long atol(const char *);
long long atoll(const char *);
double atof(const char *);
long strtol(const char *restrict, char **restrict, int);
long long strtoll(const char *restrict, char **restrict, int);
unsigned long strtoul(const char *restrict, char **restrict, int);
unsigned long long strtoull(const char *restrict, char **restrict, int);
float strtof(const char *restrict, char **restrict);
double strtod(const char *restrict, char **restrict);
long double strtold(const char *restrict, char **restrict);
int rand(void);
void srand(unsigned int);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
#endif
