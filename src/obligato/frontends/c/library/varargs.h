/* <stdarg.h> as it is read: the arguments behind the named ones are an array of slots, which the call fills and which the
   function is given the address of. A slot has a member for each kind of scalar; which one is written and read, the type says.
   The sizes of va_list are those of the machine. */
struct __obligato_slot {
    long long i;
    void *p;
    double d;
    long double l;
} __attribute__((aligned(64)));
struct __obligato_slot *__obligato_arguments(void);
#ifdef __LP64__
struct __va_list_tag {
    struct __obligato_slot *next;
    long unused, unused_too;
};
typedef struct __va_list_tag __obligato_va_list[1];
#define __obligato_next(list) (list)->next
#else
typedef struct __obligato_slot *__obligato_va_list;
#define __obligato_next(list) (list)
#endif
#define __builtin_va_list __obligato_va_list
#define __builtin_va_start(list, last) ((void)(__obligato_next(list) = __obligato_arguments()))
#define __builtin_va_end(list) ((void)(list))
#define __builtin_va_copy(to, from) ((void)(__obligato_next(to) = __obligato_next(from)))
#define __obligato_kind(type) __builtin_classify_type(*(type *)0) + (sizeof(type) > 8)
#define __builtin_va_arg(list, ...) ((__VA_ARGS__)_Generic((char (*)[__obligato_kind(__typeof__(__VA_ARGS__))])0, \
    char (*)[1]: __obligato_next(list)++->i, char (*)[5]: __obligato_next(list)++->p, \
    char (*)[8]: __obligato_next(list)++->d, char (*)[9]: __obligato_next(list)++->l))
