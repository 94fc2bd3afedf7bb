"""From libclang's types to ours: one for each canonical unqualified type, with the layout that
libclang computes.
"""

from __future__ import annotations

from collections.abc import Callable

from obligato.errors import Span, Unsupported
from obligato.frontends.c import kinds as k
from obligato.frontends.c.libclang import CXCursor, CXType, Library
from obligato.frontends.c.types import (
    QUAD,
    X87,
    ArrayType,
    CType,
    Field,
    FloatType,
    FunctionType,
    IntType,
    PointerType,
    RecordType,
    UnknownType,
    VoidType,
)
from obligato.terms import FLOAT32, FLOAT64

_FLOATS = {
    k.T_FLOAT: ("float", FLOAT32),
    k.T_DOUBLE: ("double", FLOAT64),
    k.T_LONGDOUBLE: ("long double", X87),
    k.T_FLOAT128: ("_Float128", QUAD),
}
_RANKS = {
    k.T_BOOL: 0,
    k.T_CHAR_U: 1,
    k.T_CHAR_S: 1,
    k.T_UCHAR: 1,
    k.T_SCHAR: 1,
    k.T_SHORT: 2,
    k.T_USHORT: 2,
    k.T_CHAR16: 2,
    k.T_INT: 3,
    k.T_UINT: 3,
    k.T_CHAR32: 3,
    k.T_WCHAR: 3,
    k.T_LONG: 4,
    k.T_ULONG: 4,
    k.T_LONGLONG: 5,
    k.T_ULONGLONG: 5,
    k.T_INT128: 6,
    k.T_UINT128: 6,
}


class TypeTable:
    """Interns types; holds the common ones."""

    def __init__(self, lib: Library, pointer_size: int, locate: Callable[[CXCursor], Span]) -> None:
        self.lib, self._locate = lib, locate
        self.pointer_size = pointer_size
        self._pointers: dict[CType, PointerType] = {}
        self._by_pointer: dict[int, CType] = {}
        self._ints: dict[int, IntType] = {}
        self.int = self._integer(k.T_INT, "int", 4)
        self.char = self._integer(k.T_CHAR_S, "char", 1)
        self.unsigned = self._integer(k.T_UINT, "unsigned int", 4)
        self.void = VoidType()

    def of(self, clang: CXType) -> CType:
        """The type of a libclang type."""
        known = self._by_pointer.get(clang.data[0] or 0)
        if known is None:
            canonical = self.lib.getCanonicalType(clang)
            key = (canonical.data[0] or 0) & ~7  # the low bits are qualifiers
            known = self._by_pointer.get(key)
            if known is None:
                known = self._by_pointer[key] = self._build(canonical)
            self._by_pointer[clang.data[0] or 0] = known
        return known

    def _build(self, t: CXType) -> CType:
        lib, kind = self.lib, t.kind
        # of a builtin function where it is called: the library dies when asked for its size
        if kind == k.T_UNEXPOSED:
            return UnknownType(lib.text(lib.getTypeSpelling(t)))
        size = lib.Type_getSizeOf(t)
        if kind in _RANKS:
            return self._integer(kind, lib.text(lib.getTypeSpelling(t)), size)
        if kind in _FLOATS:
            return FloatType(_FLOATS[kind][0], size, _FLOATS[kind][1])
        if kind == k.T_VOID:
            return self.void
        if kind == k.T_ENUM:
            return self.of(lib.getEnumDeclIntegerType(lib.getTypeDeclaration(t)))
        name = lib.text(lib.getTypeSpelling(t))
        if kind == k.T_POINTER:
            return PointerType(name, size, lambda: self.of(lib.getPointeeType(t)))
        return self._compound(t, name, size)

    def _compound(self, t: CXType, name: str, size: int) -> CType:
        lib, kind = self.lib, t.kind
        if kind in (k.T_ARRAY, k.T_INCOMPLETE_ARRAY, k.T_VARIABLE_ARRAY):
            count = lib.getArraySize(t) if kind == k.T_ARRAY else None
            return ArrayType(
                name, size, self.of(lib.getArrayElementType(t)), count, kind == k.T_VARIABLE_ARRAY
            )
        if kind == k.T_RECORD:
            is_union = lib.getTypeDeclaration(t).kind == k.UNION_DECL
            for c in lib.fields(t):
                if lib.Cursor_isBitField(c) and lib.is_aligned(c):
                    raise Unsupported(
                        "an aligned bit-field: compilers differ",
                        self._locate(c),
                        "aligned bit-field",
                    )
            return RecordType(name, size, is_union, lambda: self._fields(t))
        if kind in (k.T_FUNCTION, k.T_FUNCTION_NO_PROTO):
            parameters = [
                self.of(lib.getArgType(t, i)) for i in range(max(0, lib.getNumArgTypes(t)))
            ]
            variadic = bool(lib.isFunctionTypeVariadic(t)) or kind == k.T_FUNCTION_NO_PROTO
            return FunctionType(
                name, self.of(lib.getResultType(t)), parameters, variadic, kind == k.T_FUNCTION
            )
        return UnknownType(name)

    def _integer(self, kind: int, name: str, size: int) -> IntType:
        known = self._ints.get(kind)
        if known is None:
            known = self._ints[kind] = IntType(
                name, size, kind in k.T_SIGNED, _RANKS[kind], kind == k.T_BOOL
            )
        return known

    def decayed(self, t: CType) -> CType:
        """What a parameter of type `t` is adjusted to [C11, 6.7.6.3p7-8]."""
        if not isinstance(t, ArrayType | FunctionType):
            return t
        to = t.element if isinstance(t, ArrayType) else t
        if to not in self._pointers:
            self._pointers[to] = PointerType(f"{to} *", self.pointer_size, lambda: to)
        return self._pointers[to]

    def unsigned_of(self, t: IntType) -> IntType:
        """The unsigned type of the same rank."""
        unsigned = next(
            kind for kind, rank in _RANKS.items() if rank == t.rank and kind in k.T_UNSIGNED
        )
        return self._integer(unsigned, f"unsigned {t.name}", t.size)

    def _fields(self, t: CXType) -> list[Field]:
        lib, fields = self.lib, []
        for c in lib.fields(t):
            bits = lib.getFieldDeclBitWidth(c) if lib.Cursor_isBitField(c) else None
            name = lib.text(lib.getCursorSpelling(c))
            field_type = self.of(lib.getCursorType(c))
            if not name or "(" in name:
                if not isinstance(field_type, RecordType):
                    continue  # an unnamed bit-field is padding
                name = ""
            fields.append(
                Field(name, field_type, lib.Cursor_getOffsetOfField(c), bits, c.data[0] or 0, c)
            )
        return fields
