"""The constants of enumerations, for those who show values: to the language an enumeration is its
integer type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from obligato.frontends.c import kinds as k
from obligato.frontends.c.libclang import CXCursor, Library, Visitor

_NOTHING: Mapping[int, str] = {}


class Enumerations:
    """The enumerations of a program, each looked at once."""

    def __init__(self, lib: Library) -> None:
        self.lib = lib
        self._known: dict[int, Mapping[int, str]] = {}

    def constants(self, declaration: CXCursor) -> Mapping[int, str]:
        """The constants of the type of a variable or member, by value; also where it is an array of
        such values, or points to them. The first name of a value counts.
        """
        lib = self.lib
        t = lib.getCanonicalType(lib.getCursorType(declaration))
        while t.kind in (k.T_POINTER, k.T_ARRAY, k.T_INCOMPLETE_ARRAY, k.T_VARIABLE_ARRAY):
            inner = lib.getPointeeType(t) if t.kind == k.T_POINTER else lib.getArrayElementType(t)
            t = lib.getCanonicalType(inner)
        return self._of(lib.getTypeDeclaration(t)) if t.kind == k.T_ENUM else _NOTHING

    def _of(self, enumeration: CXCursor) -> Mapping[int, str]:
        key = enumeration.data[0] or 0
        if key not in self._known:
            found: list[CXCursor] = []

            def collect(cursor: CXCursor, parent: CXCursor, data: Any) -> int:
                found.append(cursor)
                return 1

            lib = self.lib
            lib.visitChildren(enumeration, Visitor(collect), None)
            named: dict[int, str] = {}
            for c in found:
                if c.kind == k.ENUM_CONSTANT_DECL:
                    named.setdefault(
                        lib.getEnumConstantDeclValue(c), lib.text(lib.getCursorSpelling(c))
                    )
            self._known[key] = named
        return self._known[key]
