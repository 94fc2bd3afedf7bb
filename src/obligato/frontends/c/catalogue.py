"""Which library functions have a model: the names only (the models are in builtins.py,
mathematics.py, allocations.py; standard.py has the functions without one).

A function that the program defines itself is used as defined, except the error functions of the
property.
"""

from __future__ import annotations

import re

from obligato.frontends.c.characters import CLASSES, SHIFTED

ERRORS = frozenset(("reach_error", "__VERIFIER_error"))
ASSERT_FAILS = frozenset(("__assert_fail", "__assert_rtn", "__assert", "__assert_perror_fail"))
HALTS = frozenset(
    (
        "abort",
        "exit",
        "_exit",
        "_Exit",
        "quick_exit",
        "__builtin_abort",
        "__builtin_unreachable",
        "__builtin_trap",
    )
)
ASSERTS = frozenset(("assert", "__VERIFIER_assert"))  # where nothing defines them
ASSUMES = frozenset(("__VERIFIER_assume",))
NONDET = "__VERIFIER_nondet_"
MARK = "__obligato_mark"  # markers.py; in a program of its own the name is refused
ARGUMENTS = "__obligato_arguments"  # the variable arguments of a function (library/varargs.h)
CHOICE = "__obligato_choice"  # what C leaves open, in functions of the folder `library`
UNMODELLED = "__obligato_unmodelled"  # what they do not model
SEGMENT = "witness$segment"  # the variable that markers change; no name of C
ALLOCATIONS = frozenset(
    (
        "malloc",
        "calloc",
        "alloca",
        "__builtin_alloca",
        "__builtin_malloc",
        "kmalloc",
        "xmalloc",
        "valloc",
    )
)
REALLOCATIONS = frozenset(("realloc", "__builtin_realloc"))
FREES = frozenset(("free", "kfree", "cfree", "__builtin_free"))
# No effect on the program's own state; the value (if any) is arbitrary but the call is harmless.
NO_EFFECT = frozenset(
    (
        "printf",
        "fprintf",
        "vprintf",
        "vfprintf",
        "puts",
        "fputs",
        "putchar",
        "putc",
        "fputc",
        "fflush",
        "perror",
        "printk",
        "__builtin_printf",
        "fclose",
        "fopen",
        "setbuf",
        "setvbuf",
        "fwrite",
        "syslog",
        "usleep",
        "sleep",
        "__VERIFIER_atomic_begin",
        "__VERIFIER_atomic_end",
        "__builtin_prefetch",
    )
)
# Values from outside and their range; None where it is not known, which makes "anything" an
# approximation.
INPUTS: dict[str, tuple[int, int] | None] = {
    **dict.fromkeys(("rand", "random"), (0, 2**31 - 1)),
    **dict.fromkeys(("getchar", "fgetc", "getc"), (-1, 255)),
    **dict.fromkeys(("time", "clock", "getpid", "lrand48", CHOICE, UNMODELLED), None),
}
MEMORY_FUNCTIONS = frozenset(
    (
        "memcpy",
        "memmove",
        "memset",
        "memcmp",
        "strlen",
        "strcmp",
        "strncmp",
        "strcpy",
        "strncpy",
        "strcat",
        "__builtin_memcpy",
        "__builtin_memset",
        "__builtin_strlen",
        "__builtin_memcmp",
        "__builtin_strcmp",
        "__builtin_memmove",
        "bzero",
    )
)
MATHS = frozenset(
    (
        "fabs",
        "floor",
        "ceil",
        "trunc",
        "round",
        "rint",
        "nearbyint",
        "sqrt",
        "fmod",
        "remainder",
        "fmin",
        "fmax",
        "fdim",
        "copysign",
        "isnan",
        "isinf",
        "isfinite",
        "finite",
        "signbit",
        "fma",
        "isnormal",
        "nan",
        "fpclassify",
        "lrint",
        "llrint",
        "lround",
        "llround",
        "huge_val",
        "inf",
        "isgreater",
        "isgreaterequal",
        "isless",
        "islessequal",
        "islessgreater",
        "isunordered",
        "isinf_sign",
        "modf",
    )
)
SCANS = frozenset(
    ("scanf", "fscanf", "sscanf", "__isoc99_scanf", "__isoc99_fscanf", "__isoc99_sscanf")
)
ROUNDING = frozenset(("fesetround", "fegetround"))
INTEGERS = frozenset(("abs", "labs", "llabs", "__builtin_abs", "__builtin_labs", "__builtin_llabs"))
CHARACTERS = frozenset((*CLASSES, *SHIFTED))
TRANSPARENT = frozenset(
    ("__builtin_expect", "__builtin_expect_with_probability", "__builtin_assume_aligned")
)
CONSTANTS = frozenset(
    ("__builtin_constant_p", "__builtin_types_compatible_p", "__builtin_choose_expr")
)
# Keywords of C23, which a call under an older standard does not mean as functions.
KEYWORDS = frozenset(
    (
        "static_assert",
        "alignas",
        "alignof",
        "thread_local",
        "typeof",
        "typeof_unqual",
        "constexpr",
        "nullptr",
    )
)
THREADS = ("pthread_", "thrd_", "__VERIFIER_thread")
BIT_COUNTS = re.compile(r"__builtin_(popcount|parity|ffs|clz|ctz)(l|ll)?")
BIT_SWAPS = re.compile(r"__builtin_bswap(16|32|64)")
OVERFLOWS = re.compile(r"__builtin_[su]?(add|sub|mul)(?:l|ll)?_overflow")
PURE = INTEGERS | CHARACTERS | TRANSPARENT | CONSTANTS


def math_name(name: str) -> tuple[str, str] | None:
    """(operation, "float" | "double" | "long double") of a mathematical function in any of its
    spellings.
    """
    base = name.removeprefix("__builtin_")
    if base.startswith("__") and base not in MATHS:
        base = base[2:]
    if base in MATHS:
        return base, "double"
    if base[-1:] in ("f", "d", "l") and base[:-1] in MATHS:
        return base[:-1], {"f": "float", "d": "double", "l": "long double"}[base[-1]]
    return None


def is_bit_function(name: str) -> bool:
    """Is it one of the operations of bits.py?"""
    return any(form.fullmatch(name) for form in (BIT_COUNTS, BIT_SWAPS, OVERFLOWS))


def is_pure(name: str) -> bool:
    """Is a call of a library function an expression without effects?"""
    counts, math = BIT_COUNTS.fullmatch(name), math_name(name)
    if (
        name in PURE
        or BIT_SWAPS.fullmatch(name)
        or (counts is not None and counts[1] in ("popcount", "parity"))
    ):
        return True
    return math is not None and math[0] != "modf"


def is_harmless(name: str) -> bool:
    """Is only the effect of its arguments of interest?"""
    return name in NO_EFFECT or name in FREES


def is_known(name: str) -> bool:
    """Is there a model for this function?"""
    return (
        name in ERRORS
        or name in ASSERT_FAILS
        or name in HALTS
        or name in ASSUMES
        or name.startswith(NONDET)
        or name in ALLOCATIONS
        or name in FREES
        or name in NO_EFFECT
        or name in INPUTS
        or name in ASSERTS
        or name in MEMORY_FUNCTIONS
        or name in (MARK, ARGUMENTS)
        or name in REALLOCATIONS
        or name in PURE
        or name in SCANS
        or name in ROUNDING
        or is_bit_function(name)
        or math_name(name) is not None
    )
