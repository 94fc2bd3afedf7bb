"""Which library functions are known, and how: the names only (the models are in builtins.py, mathematics.py, blocks.py).

A function that the program defines itself is used as defined, except the error functions of the property.
"""

from __future__ import annotations

ERRORS = frozenset(("reach_error", "__VERIFIER_error"))
ASSERT_FAILS = frozenset(("__assert_fail", "__assert_rtn", "__assert", "__assert_perror_fail"))
HALTS = frozenset(("abort", "exit", "_exit", "_Exit", "quick_exit", "__builtin_abort",
                   "__builtin_unreachable", "__builtin_trap"))
ASSUMES = frozenset(("__VERIFIER_assume",))
NONDET = "__VERIFIER_nondet_"
ALLOCATIONS = frozenset(("malloc", "calloc", "alloca", "__builtin_alloca", "__builtin_malloc", "kmalloc", "xmalloc",
                         "valloc"))
FREES = frozenset(("free", "kfree", "cfree", "__builtin_free"))
# No effect on the program's own state; the value (if any) is arbitrary but the call is harmless.
NO_EFFECT = frozenset((
    "printf", "fprintf", "vprintf", "vfprintf", "puts", "fputs", "putchar", "putc", "fputc", "fflush", "perror", "printk",
    "__builtin_printf", "fclose", "fopen", "setbuf", "setvbuf", "fwrite", "syslog", "srand", "srandom", "usleep", "sleep",
    "__VERIFIER_atomic_begin", "__VERIFIER_atomic_end", "__builtin_prefetch", "__builtin_va_end", "atexit", "signal",
))
RETURNS_ANYTHING = frozenset(("rand", "random", "lrand48", "getchar", "fgetc", "getc", "time", "clock", "getpid"))
BLOCKS = frozenset(("memcpy", "memmove", "memset", "memcmp", "strlen", "strcmp", "strncmp", "strcpy", "strncpy", "strcat",
                    "strchr", "__builtin_memcpy", "__builtin_memset", "__builtin_strlen", "__builtin_memcmp",
                    "__builtin_strcmp", "__builtin_memmove", "bzero"))
MATHS = frozenset((
    "fabs", "floor", "ceil", "trunc", "round", "rint", "nearbyint", "sqrt", "fmod", "remainder", "fmin", "fmax", "fdim",
    "copysign", "isnan", "isinf", "isfinite", "finite", "signbit", "fma", "isnormal", "nan", "fpclassify",
    "lrint", "llrint", "lround", "llround", "huge_val", "inf", "isgreater", "isgreaterequal", "isless", "islessequal",
    "islessgreater", "isunordered", "isinf_sign", "modf",
))
SCANS = frozenset(("scanf", "fscanf", "sscanf", "__isoc99_scanf", "__isoc99_fscanf", "__isoc99_sscanf"))
INTEGERS = frozenset(("abs", "labs", "llabs", "__builtin_abs", "__builtin_labs", "__builtin_llabs"))
TRANSPARENT = frozenset(("__builtin_expect", "__builtin_expect_with_probability", "__builtin_assume_aligned"))
CONSTANTS = frozenset(("__builtin_constant_p", "__builtin_object_size", "__builtin_types_compatible_p",
                       "__builtin_choose_expr"))
THREADS = ("pthread_", "thrd_", "__VERIFIER_thread")
PURE = INTEGERS | TRANSPARENT | CONSTANTS | frozenset(("tolower", "toupper"))


def math_name(name: str) -> tuple[str, str] | None:
    """(operation, "float" | "double" | "long double") of a mathematical function in any of its spellings."""
    base = name.removeprefix("__builtin_")
    if base.startswith("__") and base not in MATHS:
        base = base[2:]
    if base in MATHS:
        return base, "double"
    if base[-1:] in ("f", "d", "l") and base[:-1] in MATHS:
        return base[:-1], {"f": "float", "d": "double", "l": "long double"}[base[-1]]
    return None


def is_known(name: str) -> bool:
    """Is there a model for this function?"""
    return (
        name in ERRORS or name in ASSERT_FAILS or name in HALTS or name in ASSUMES or name.startswith(NONDET)
        or name in ALLOCATIONS or name in FREES or name in NO_EFFECT or name in RETURNS_ANYTHING or name in BLOCKS
        or name in PURE or name in SCANS or math_name(name) is not None
    )
