"""Reading z3's values as Python values (terms.semantics says which).

`read` carries it: numerals by the fastest call that fits, arrays from store chains, constant arrays
and function graphs. A value that is none of these (a lambda, an irrational number) has no Python
counterpart: `SolverFailure`.
"""

from __future__ import annotations

import ctypes
from fractions import Fraction
from typing import Any

from obligato.errors import SolverFailure
from obligato.smt.z3_context import Z3Context
from obligato.terms import ArrayValue, Kind, Sort, Value
from obligato.terms.floatformat import FloatFormat
from obligato.terms.numerals import parse_int

_NUMERAL, _APP = 0, 1  # Z3_ast_kind
_TRUE = 1  # Z3_lbool
_STORE, _CONST_ARRAY, _AS_ARRAY = 768, 770, 778  # Z3_decl_kind


def read(c: Z3Context, model: int, ast: int, sort: Sort) -> Value:
    """The Python value of the value `ast` of `sort`; `model` interprets the functions behind
    arrays.
    """
    match sort.kind:
        case Kind.BOOL:
            return bool(c.lib.get_bool_value(c.handle, ast) == _TRUE)
        case Kind.BITVEC:
            return _bits(c, ast, sort.width)
        case Kind.INT:
            return _integer(c, ast)
        case Kind.REAL:
            return _rational(c, ast)
        case Kind.FLOAT:
            return _float(c, ast, sort)
        case Kind.RM:
            return _rounding_mode(c, ast)
        case Kind.ARRAY:
            return _array(c, model, ast, sort)


def _not_a_value(c: Z3Context, ast: int) -> SolverFailure:
    return SolverFailure(
        f"z3 gave a value that cannot be read: {c.lib.ast_to_string(c.handle, ast).decode()[:200]}"
    )


def _binary(c: Z3Context, ast: int) -> int:
    """A natural number of any size."""
    if c.lib.get_ast_kind(c.handle, ast) != _NUMERAL:
        raise _not_a_value(c, ast)
    return int(c.lib.get_numeral_binary_string(c.handle, ast), 2)


def _bits(c: Z3Context, ast: int, width: int) -> int:
    out = ctypes.c_uint64()
    if width <= 64 and c.lib.get_numeral_uint64(c.handle, ast, ctypes.byref(out)):
        return out.value
    return _binary(c, ast)


def _integer(c: Z3Context, ast: int) -> int:
    out = ctypes.c_int64()
    if c.lib.get_numeral_int64(c.handle, ast, ctypes.byref(out)):
        return out.value
    if c.lib.get_ast_kind(c.handle, ast) != _NUMERAL:
        raise _not_a_value(c, ast)
    text: bytes = c.lib.get_numeral_string(c.handle, ast)
    return parse_int(text.decode())


def _rational(c: Z3Context, ast: int) -> Fraction:
    if c.lib.get_ast_kind(c.handle, ast) != _NUMERAL:
        raise _not_a_value(c, ast)  # an irrational algebraic number
    parts = []
    for get in (c.lib.get_numerator, c.lib.get_denominator):
        part = get(c.handle, ast)
        c.lib.inc_ref(c.handle, part)
        parts.append(_integer(c, part))
        c.lib.dec_ref(c.handle, part)
    return Fraction(*parts)


def _float(c: Z3Context, ast: int, sort: Sort) -> int:
    """z3 folds the predicate and the bits of a float value, whatever its spelling, to a Boolean and
    a numeral.
    """
    lib, h = c.lib, c.handle
    if lib.get_bool_value(h, lib.simplify(h, lib.mk_fpa_is_nan(h, ast))) == _TRUE:
        return FloatFormat(sort.eb, sort.sb).nan
    return _bits(c, lib.simplify(h, lib.mk_fpa_to_ieee_bv(h, ast)), sort.width)


def _rounding_mode(c: Z3Context, ast: int) -> Value:
    for mode, known in c.rounding_modes.items():
        if known == ast:
            return mode
    raise _not_a_value(c, ast)


def _array(c: Z3Context, model: int, ast: int, sort: Sort) -> ArrayValue:
    """(store (store ... base) k v): the outermost store of an index counts."""
    lib, h = c.lib, c.handle
    entries: dict[Value, Value] = {}
    while True:
        if lib.get_ast_kind(h, ast) != _APP:
            raise _not_a_value(c, ast)
        kind = lib.get_decl_kind(h, lib.get_app_decl(h, ast))
        if kind != _STORE:
            break
        key = read(c, model, lib.get_app_arg(h, ast, 1), sort.index)
        entries.setdefault(key, read(c, model, lib.get_app_arg(h, ast, 2), sort.element))
        ast = lib.get_app_arg(h, ast, 0)
    if kind == _CONST_ARRAY:
        return ArrayValue(read(c, model, lib.get_app_arg(h, ast, 0), sort.element), entries)
    if kind != _AS_ARRAY:
        raise _not_a_value(c, ast)
    base = _graph(c, model, lib.get_as_array_func_decl(h, ast), sort)
    return ArrayValue(base.default, {**base.entries, **entries})


def _graph(c: Z3Context, model: int, decl: int, sort: Sort) -> ArrayValue:
    """A unary function given by its entries and its value elsewhere."""
    lib, h = c.lib, c.handle
    interp = lib.model_get_func_interp(h, model, decl)
    if not interp:
        raise c.failure("z3 gave an array without an interpretation")
    lib.func_interp_inc_ref(h, interp)
    entries: dict[Value, Value] = {}
    for i in range(lib.func_interp_get_num_entries(h, interp)):
        entry = lib.func_interp_get_entry(h, interp, i)
        lib.func_entry_inc_ref(h, entry)
        key = read(c, model, lib.func_entry_get_arg(h, entry, 0), sort.index)
        entries[key] = read(c, model, lib.func_entry_get_value(h, entry), sort.element)
        lib.func_entry_dec_ref(h, entry)
    default: Any = read(c, model, lib.func_interp_get_else(h, interp), sort.element)
    lib.func_interp_dec_ref(h, interp)
    return ArrayValue(default, entries)
