"""What functions that print read of the memory their arguments point to.

They change nothing, so only memory safety asks: a text is read up to its zero character, as
`strlen` reads it.
"""

from __future__ import annotations

import re

from obligato.frontends.c.literals import string_values
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.patterns import string_literal
from obligato.frontends.c.types import IntType, PointerType

_WHOLE = {"puts": 0, "fputs": 0, "perror": 0}  # which argument is one text
_FORMATS = {"printf": 0, "__builtin_printf": 0, "printk": 0, "fprintf": 1, "syslog": 1}
_CONVERSION = re.compile(r"%(?P<flags>[-+ #0]*)(?P<width>\*|\d*)(?P<least>\.\*|\.\d*|)[hlLjzt]*(.)")


def texts_read(name: str, arguments: list[Node]) -> list[Node] | None:
    """The arguments that a function reads as texts up to their zeros; none for a literal, which has
    one. None where this is not known: other functions, formats that are no literals, conversions
    that read so many characters (`%.3s`) or wide ones.
    """
    if name in _WHOLE and len(arguments) > _WHOLE[name]:
        found: list[Node] | None = [arguments[_WHOLE[name]]]
    elif name in _FORMATS and len(arguments) > _FORMATS[name]:
        start = _FORMATS[name]
        form = string_literal(arguments[start])
        found = None if form is None else _converted(form, arguments[start + 1 :])
    else:
        return None
    return None if found is None else [a for a in found if string_literal(a) is None]


def may_be_null(name: str) -> bool:
    """Does the C library print something for a null pointer where C leaves it undefined?"""
    return name in _FORMATS


def _converted(form: str, arguments: list[Node]) -> list[Node] | None:
    """The arguments of `%s`, if all arguments are as the format says."""
    values = string_values(form)
    plain = "".join(map(chr, values[: values.index(0)])).replace("%%", "")
    wanted = "".join(map(_letters, _CONVERSION.finditer(plain)))
    if "?" in wanted or len(wanted) > len(arguments):
        return None
    texts = []
    for letter, a in zip(wanted, arguments, strict=False):
        if isinstance(a.type, PointerType) != (letter in "sp"):
            return None
        if letter == "s":
            texts.append(a)
    return None if any(not _is_char(a) for a in texts) else texts


def _letters(m: re.Match[str]) -> str:
    """A letter for each argument of a conversion: s of a text, p of a pointer, d of a number, ? of
    what is not known here.
    """
    counts = "d" * ((m["width"] == "*") + (m["least"] == ".*"))
    letter = m[4]
    if letter in "sp":
        plain = m[0][-2] not in "hlLjzt" and (letter == "p" or not m["least"])
        return counts + (letter if plain else "?")
    return counts + ("d" if letter in "diouxXcfFeEgGaA" else "?")


def _is_char(a: Node) -> bool:
    """Does a pointer lead to characters?"""
    t = a.type
    return (
        isinstance(t, PointerType)
        and isinstance(t.to, IntType)
        and t.to.width == 8
        and not t.to.is_bool
    )
