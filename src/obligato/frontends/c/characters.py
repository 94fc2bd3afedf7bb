"""The functions of <ctype.h> in the C locale [C11, 7.4]: ranges of characters.

For a character of a class C promises some value that is not zero. Either it is 1, or any other one;
no run is refuted by such a number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from obligato.program.syntax import Assume, Havoc, If
from obligato.terms import Op, Term, bitvec

if TYPE_CHECKING:
    from obligato.frontends.c.code import Code

_DIGIT, _LOWER, _UPPER = (ord("0"), ord("9")), (ord("a"), ord("z")), (ord("A"), ord("Z"))
CLASSES: dict[str, tuple[tuple[int, int], ...]] = {
    "isdigit": (_DIGIT,),
    "islower": (_LOWER,),
    "isupper": (_UPPER,),
    "isalpha": (_LOWER, _UPPER),
    "isalnum": (_DIGIT, _LOWER, _UPPER),
    "isxdigit": (_DIGIT, (ord("a"), ord("f")), (ord("A"), ord("F"))),
    "isblank": ((ord(" "), ord(" ")), (ord("\t"), ord("\t"))),
    "isspace": ((ord(" "), ord(" ")), (ord("\t"), ord("\r"))),
    "iscntrl": ((0, 31), (127, 127)),
    "isprint": ((32, 126),),
    "isgraph": ((33, 126),),
    "ispunct": (
        (33, ord("0") - 1),
        (ord("9") + 1, ord("A") - 1),
        (ord("Z") + 1, ord("a") - 1),
        (ord("z") + 1, 126),
    ),
}
# What glibc gives for characters of a class; C promises that it is not zero.
USUAL = {
    "isupper": 256,
    "islower": 512,
    "isalpha": 1024,
    "isdigit": 2048,
    "isxdigit": 4096,
    "isspace": 8192,
    "isprint": 16384,
    "isgraph": 32768,
    "isblank": 1,
    "iscntrl": 2,
    "ispunct": 4,
    "isalnum": 8,
}
SHIFTED = {"tolower": (_UPPER, 32), "toupper": (_LOWER, -32)}


def character_function(code: Code, name: str, c: Term) -> Term:
    """The value of a function of <ctype.h> for the int `c`."""
    s = code.store
    if name in SHIFTED:
        between, by = SHIFTED[name]
        return s.ite(_in(c, between), s.mk(Op.BVADD, (c, s.bv(by, c.sort.width))), c)
    return truth_value(code, name, is_in_class(name, c), USUAL[name])


def is_in_class(name: str, c: Term) -> Term:
    """Is the int `c` a character of the class?"""
    return c.store.or_(*(_in(c, part) for part in CLASSES[name]))


def truth_value(code: Code, name: str, holds: Term, usual: int) -> Term:
    """An int that is not zero iff something holds: the usual one, or any other; but no run is
    refuted by such a number.
    """
    s, int_ = code.store, bitvec(32)
    zero, result = s.bv(0, 32), code.local(name, int_)
    code.assign(result, s.ite(holds, s.bv(usual, 32), zero))
    with code.block() as other:
        number = code.local(name, int_)
        code.emit(Havoc((number,), f"library function {name}", code.span))
        code.emit(Assume(s.eq(s.eq(number, zero), s.eq(result, zero)), code.span))
        code.assign(result, number)
    code.emit(If(None, (), tuple(other), code.span))
    return result


def _in(c: Term, between: tuple[int, int]) -> Term:
    s, width = c.store, c.sort.width
    low, high = (s.bv(x, width) for x in between)
    return s.and_(s.mk(Op.BVSLE, (low, c)), s.mk(Op.BVSLE, (c, high)))
