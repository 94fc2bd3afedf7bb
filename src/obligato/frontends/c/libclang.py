"""A thin binding to libclang's C interface (the library that the `libclang` wheel carries).

`clang.cindex` wraps every cursor and type in checked Python objects; here only the handful of calls
that the front end needs are bound directly, which is several times faster.  Names follow libclang's
without the ``clang_`` prefix. Calls go through `ctypes.PyDLL` (no lock juggling for calls of a
microsecond); only parsing releases the lock.
"""

from __future__ import annotations

import ctypes
import os
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_double,
    c_int,
    c_longlong,
    c_uint,
    c_ulonglong,
    c_void_p,
)
from functools import lru_cache
from typing import Any


class CXString(Structure):
    _fields_ = (("data", c_void_p), ("flags", c_uint))


class CXCursor(Structure):
    _fields_ = (("kind", c_int), ("xdata", c_int), ("data", c_void_p * 3))


class CXType(Structure):
    _fields_ = (("kind", c_int), ("data", c_void_p * 2))


class CXSourceLocation(Structure):
    _fields_ = (("ptr_data", c_void_p * 2), ("int_data", c_uint))


class CXSourceRange(Structure):
    _fields_ = (("ptr_data", c_void_p * 2), ("begin", c_uint), ("end", c_uint))


class CXToken(Structure):
    _fields_ = (("int_data", c_uint * 4), ("ptr_data", c_void_p))


class CXUnsavedFile(Structure):
    _fields_ = (("filename", c_char_p), ("contents", c_char_p), ("length", ctypes.c_ulong))


Visitor = CFUNCTYPE(c_int, CXCursor, CXCursor, c_void_p)
FieldVisitor = CFUNCTYPE(c_int, CXCursor, c_void_p)

_UINTP = POINTER(c_uint)
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "createIndex": (c_void_p, [c_int, c_int]),
    "disposeIndex": (None, [c_void_p]),
    "disposeTranslationUnit": (None, [c_void_p]),
    "getCString": (c_char_p, [CXString]),
    "disposeString": (None, [CXString]),
    "getNumDiagnostics": (c_uint, [c_void_p]),
    "getDiagnostic": (c_void_p, [c_void_p, c_uint]),
    "disposeDiagnostic": (None, [c_void_p]),
    "getDiagnosticSeverity": (c_int, [c_void_p]),
    "getDiagnosticSpelling": (CXString, [c_void_p]),
    "getDiagnosticLocation": (CXSourceLocation, [c_void_p]),
    "getTranslationUnitCursor": (CXCursor, [c_void_p]),
    "visitChildren": (c_uint, [CXCursor, Visitor, c_void_p]),
    "getCursorType": (CXType, [CXCursor]),
    "isConstQualifiedType": (c_uint, [CXType]),
    "isVolatileQualifiedType": (c_uint, [CXType]),
    "getCursorReferenced": (CXCursor, [CXCursor]),
    "getCanonicalCursor": (CXCursor, [CXCursor]),
    "getCursorDefinition": (CXCursor, [CXCursor]),
    "getCursorSemanticParent": (CXCursor, [CXCursor]),
    "getCursorSpelling": (CXString, [CXCursor]),
    "getCursorKindSpelling": (CXString, [c_int]),
    "getCursorLocation": (CXSourceLocation, [CXCursor]),
    "getCursorExtent": (CXSourceRange, [CXCursor]),
    "getRangeStart": (CXSourceLocation, [CXSourceRange]),
    "getRangeEnd": (CXSourceLocation, [CXSourceRange]),
    "getFileLocation": (None, [CXSourceLocation, POINTER(c_void_p), _UINTP, _UINTP, _UINTP]),
    "getPresumedLocation": (None, [CXSourceLocation, POINTER(CXString), _UINTP, _UINTP]),
    "Cursor_getStorageClass": (c_int, [CXCursor]),
    "Cursor_getNumArguments": (c_int, [CXCursor]),
    "Cursor_getArgument": (CXCursor, [CXCursor, c_uint]),
    "Cursor_getVarDeclInitializer": (CXCursor, [CXCursor]),
    "Cursor_isBitField": (c_uint, [CXCursor]),
    "Cursor_isFunctionInlined": (c_uint, [CXCursor]),
    "getFieldDeclBitWidth": (c_int, [CXCursor]),
    "Cursor_getOffsetOfField": (c_longlong, [CXCursor]),
    "getEnumConstantDeclValue": (c_longlong, [CXCursor]),
    "getEnumDeclIntegerType": (CXType, [CXCursor]),
    "getCursorBinaryOperatorKind": (c_int, [CXCursor]),
    "getCursorUnaryOperatorKind": (c_int, [CXCursor]),
    "Cursor_Evaluate": (c_void_p, [CXCursor]),
    "EvalResult_getKind": (c_int, [c_void_p]),
    "EvalResult_getAsLongLong": (c_longlong, [c_void_p]),
    "EvalResult_getAsUnsigned": (c_ulonglong, [c_void_p]),
    "EvalResult_isUnsignedInt": (c_uint, [c_void_p]),
    "EvalResult_getAsDouble": (c_double, [c_void_p]),
    "EvalResult_dispose": (None, [c_void_p]),
    "getCanonicalType": (CXType, [CXType]),
    "getTypeSpelling": (CXString, [CXType]),
    "getPointeeType": (CXType, [CXType]),
    "getArrayElementType": (CXType, [CXType]),
    "getArraySize": (c_longlong, [CXType]),
    "getTypeDeclaration": (CXCursor, [CXType]),
    "Type_getSizeOf": (c_longlong, [CXType]),
    "Type_getAlignOf": (c_longlong, [CXType]),
    "Type_visitFields": (c_uint, [CXType, FieldVisitor, c_void_p]),
    "getResultType": (CXType, [CXType]),
    "getNumArgTypes": (c_int, [CXType]),
    "getArgType": (CXType, [CXType, c_uint]),
    "isFunctionTypeVariadic": (c_uint, [CXType]),
    "tokenize": (None, [c_void_p, CXSourceRange, POINTER(POINTER(CXToken)), _UINTP]),
    "getRange": (CXSourceRange, [CXSourceLocation, CXSourceLocation]),
    "disposeTokens": (None, [c_void_p, POINTER(CXToken), c_uint]),
    "getTokenSpelling": (CXString, [c_void_p, CXToken]),
    "getTokenLocation": (CXSourceLocation, [c_void_p, CXToken]),
}


ALIGNED_ATTRIBUTE = 441


class Library:
    """The bound functions, plus the few helpers that hide string and location handling."""

    def __init__(self) -> None:
        from clang import cindex

        # parse on the caller's stack: source.py gives it a large one
        os.environ.setdefault("LIBCLANG_NOTHREADS", "1")
        name = cindex.conf.get_filename()
        quick = ctypes.PyDLL(name)
        for short, (result, arguments) in _SIGNATURES.items():
            function = getattr(quick, "clang_" + short)
            function.restype, function.argtypes = result, arguments
            setattr(self, short, function)
        parse = ctypes.CDLL(name).clang_parseTranslationUnit2
        parse.restype = c_int
        parse.argtypes = [
            c_void_p,
            c_char_p,
            POINTER(c_char_p),
            c_int,
            POINTER(CXUnsavedFile),
            c_uint,
            c_uint,
            POINTER(c_void_p),
        ]
        self.parse = parse

    # for the type checker: the functions are set in __init__
    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    def text(self, string: CXString) -> str:
        """The Python string of a CXString, which is disposed of."""
        raw: bytes | None = self.getCString(string)
        value = raw.decode("utf-8", "replace") if raw is not None else ""
        self.disposeString(string)
        return value

    def fields(self, record: CXType) -> list[CXCursor]:
        """The declarations of the members of a record."""
        found: list[CXCursor] = []

        def collect(cursor: CXCursor, data: Any) -> int:
            found.append(cursor)
            return 1

        self.Type_visitFields(record, FieldVisitor(collect), None)
        return found

    def is_aligned(self, field: CXCursor) -> bool:
        """Has a member an alignment of its own, or that of a type with a name of its own
        (``typedef``)?
        """
        found: list[int] = []

        def collect(cursor: CXCursor, parent: CXCursor, data: Any) -> int:
            found.append(cursor.kind)
            return 1

        self.visitChildren(field, Visitor(collect), None)
        t = self.getCursorType(field)
        own: int = self.Type_getAlignOf(t)
        return ALIGNED_ATTRIBUTE in found or bool(
            own != self.Type_getAlignOf(self.getCanonicalType(t))
        )

    def offset(self, location: CXSourceLocation) -> int:
        """Where a location is in the text that was read (its column would cost time proportional to
        the line's length).
        """
        offset = c_uint()
        self.getFileLocation(location, None, None, None, byref(offset))
        return offset.value

    def presumed(self, location: CXSourceLocation) -> tuple[str, int, int]:
        """File, line and column after ``#line`` directives."""
        name, line, column = CXString(), c_uint(), c_uint()
        self.getPresumedLocation(location, byref(name), byref(line), byref(column))
        return self.text(name), line.value, column.value


@lru_cache(maxsize=1)
def library() -> Library:
    """The library, loaded once (it has no state of its own that we use)."""
    return Library()
