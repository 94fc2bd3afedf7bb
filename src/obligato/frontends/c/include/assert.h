/* No guard: each inclusion obeys NDEBUG as it is then [C11, 7.2]. */
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
_Noreturn void __assert_fail(const char *, const char *, unsigned int, const char *);
#define assert(condition) ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, ""))
#endif
#ifndef static_assert
#define static_assert _Static_assert
#endif
