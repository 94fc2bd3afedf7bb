"""String literals, from the canonical text that libclang prints for them."""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]+)|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))|(.)", re.DOTALL
)
_NAMED = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}


def string_values(text: str) -> list[int]:
    """The elements of a literal such as ``"a\\n"`` or ``L"x"``, the terminating zero included."""
    prefix, _, rest = text.partition('"')
    values: list[int] = []
    for octal, hexa, short, long, named, plain in _ESCAPE.findall(rest.removesuffix('"')):
        if octal or hexa:
            values.append(int(octal, 8) if octal else int(hexa, 16))
        elif short or long:
            values += _encode(chr(int(short or long, 16)), prefix)
        elif named:
            values.append(_NAMED.get(named, ord(named)))
        elif plain != '"':  # two of them end an escape of hexadecimal digits before another digit
            values += _encode(plain, prefix)
    return [*values, 0]


def _encode(character: str, prefix: str) -> list[int]:
    if prefix in ("L", "U"):
        return [ord(character)]
    if prefix == "u":
        raw = character.encode("utf-16-le")
        return [int.from_bytes(raw[i : i + 2], "little") for i in range(0, len(raw), 2)]
    return list(character.encode("utf-8"))
