#ifndef OBLIGATO_STDDEF_H
#define OBLIGATO_STDDEF_H
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __WCHAR_TYPE__ wchar_t;
typedef struct {
    _Alignas(__alignof__(long long)) long long obligato_a;
    _Alignas(__alignof__(long double)) long double obligato_b;
#ifdef __i386__
    _Alignas(16) char obligato_c[16]; /* gcc has a __float128 here */
#endif
} max_align_t;
#ifndef NULL
#define NULL ((void *)0)
#endif
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
