"""Printing terms in SMT-LIB 2.6.

`to_smtlib` writes one term; a subterm that is used more than once is bound by `let`, so the text is
linear in the number of nodes.  Definitions of the same depth share one `let`.

Notes: n-ary bit-vector operators are written as nested binary ones, as the standard has them.
FP_TO_BITS has no standard name: it is written with z3's ``fp.to_ieee_bv`` and NaN decided by an
ite.  ``|`` and ``\\`` cannot occur in a symbol and are written %7C and %5C.  Reading the text back
gives the same term in a simplifying store.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from fractions import Fraction

from obligato.terms.float_semantics import format_of
from obligato.terms.numerals import int_text
from obligato.terms.semantics import ArrayValue
from obligato.terms.softfloat import RoundingMode
from obligato.terms.sorts import Kind, Sort
from obligato.terms.term import Op, Term
from obligato.terms.traversal import free_vars, postorder

SMT_NAMES: dict[Op, str] = {
    Op.NOT: "not",
    Op.AND: "and",
    Op.OR: "or",
    Op.XOR: "xor",
    Op.IMPLIES: "=>",
    Op.EQ: "=",
    Op.DISTINCT: "distinct",
    Op.ITE: "ite",
    Op.ADD: "+",
    Op.SUB: "-",
    Op.NEG: "-",
    Op.MUL: "*",
    Op.LE: "<=",
    Op.LT: "<",
    Op.GE: ">=",
    Op.GT: ">",
    Op.IDIV: "div",
    Op.MOD: "mod",
    Op.RDIV: "/",
    Op.ABS: "abs",
    Op.TO_REAL: "to_real",
    Op.TO_INT: "to_int",
    Op.IS_INT: "is_int",
    Op.SELECT: "select",
    Op.STORE: "store",
    Op.CONCAT: "concat",
    **{op: op.name.lower() for op in Op if op.name.startswith("BV")},
    Op.FP_ABS: "fp.abs",
    Op.FP_NEG: "fp.neg",
    Op.FP_ADD: "fp.add",
    Op.FP_SUB: "fp.sub",
    Op.FP_MUL: "fp.mul",
    Op.FP_DIV: "fp.div",
    Op.FP_FMA: "fp.fma",
    Op.FP_SQRT: "fp.sqrt",
    Op.FP_REM: "fp.rem",
    Op.FP_RTI: "fp.roundToIntegral",
    Op.FP_MIN: "fp.min",
    Op.FP_MAX: "fp.max",
    Op.FP_LE: "fp.leq",
    Op.FP_LT: "fp.lt",
    Op.FP_GE: "fp.geq",
    Op.FP_GT: "fp.gt",
    Op.FP_EQ: "fp.eq",
    Op.FP_IS_NORMAL: "fp.isNormal",
    Op.FP_IS_SUBNORMAL: "fp.isSubnormal",
    Op.FP_IS_ZERO: "fp.isZero",
    Op.FP_IS_INF: "fp.isInfinite",
    Op.FP_IS_NAN: "fp.isNaN",
    Op.FP_IS_NEG: "fp.isNegative",
    Op.FP_IS_POS: "fp.isPositive",
    Op.FP_TO_REAL: "fp.to_real",
}
_BINARY = frozenset((Op.BVADD, Op.BVMUL, Op.BVAND, Op.BVOR, Op.BVXOR, Op.CONCAT))
_JUNCTION = frozenset((Op.AND, Op.OR, Op.ADD, Op.MUL)) | _BINARY
_SIMPLE = re.compile(r"[A-Za-z~!@$%^&*_\-+=<>.?/][0-9A-Za-z~!@$%^&*_\-+=<>.?/]*\Z")
_RESERVED = frozenset(
    re.split(
        r"\s+",
        """_ ! as let exists forall match par BINARY DECIMAL HEXADECIMAL NUMERAL STRING assert check-sat
    check-sat-assuming declare-const declare-datatype declare-datatypes declare-fun declare-sort define-fun
    define-fun-rec define-funs-rec define-sort echo exit get-assertions get-assignment get-info get-model get-option
    get-proof get-unsat-assumptions get-unsat-core get-value pop push reset reset-assertions set-info set-logic
    set-option""",
    )
)


def symbol(name: str) -> str:
    """A symbol, quoted where it has to be."""
    if _SIMPLE.match(name) and name not in _RESERVED:
        return name
    return "|" + name.replace("|", "%7C").replace("\\", "%5C") + "|"


def value_text(value: Hashable, sort: Sort) -> str:
    """A value as SMT-LIB literal or ground term."""
    match sort.kind:
        case Kind.BOOL:
            return "true" if value else "false"
        case Kind.INT:
            assert isinstance(value, int)
            return int_text(value) if value >= 0 else f"(- {int_text(-value)})"
        case Kind.REAL:
            assert isinstance(value, Fraction)
            return _rational(value)
        case Kind.BITVEC:
            assert isinstance(value, int)
            return _bits(value, sort.width)
        case Kind.FLOAT:
            assert isinstance(value, int)
            return _float(value, sort)
        case Kind.RM:
            assert isinstance(value, RoundingMode)
            return str(value.value)
    assert isinstance(value, ArrayValue)
    return _array(value, sort)


def _rational(value: Fraction) -> str:
    n, d = int_text(abs(value.numerator)), int_text(value.denominator)
    text = f"{n}.0" if value.denominator == 1 else f"(/ {n}.0 {d}.0)"
    return text if value >= 0 else f"(- {text})"


def _bits(value: int, width: int) -> str:
    if width % 4 == 0:
        return f"#x{value:0{width // 4}x}"
    return f"#b{value:0{width}b}"


def _float(pattern: int, sort: Sort) -> str:
    eb, sb, fmt = sort.eb, sort.sb, format_of(sort)
    special = {
        fmt.nan: "NaN",
        fmt.inf(): "+oo",
        fmt.inf(True): "-oo",
        fmt.zero(): "+zero",
        fmt.zero(True): "-zero",
    }
    if pattern in special:
        return f"(_ {special[pattern]} {eb} {sb})"
    bits = f"{pattern:0{eb + sb}b}"
    return f"(fp #b{bits[0]} #b{bits[1 : eb + 1]} #b{bits[eb + 1 :]})"


def _array(value: ArrayValue, sort: Sort) -> str:
    entries = [
        (value_text(k, sort.index), value_text(v, sort.element)) for k, v in value.entries.items()
    ]
    entries.sort(key=lambda e: (len(e[0]), e[0]))
    base = f"((as const {sort}) {value_text(value.default, sort.element)})"
    return "(store " * len(entries) + base + "".join(f" {k} {v})" for k, v in entries)


def _leaf(t: Term) -> str:
    return symbol(t.name) if t.op is Op.VAR else value_text(t.data, t.sort)


def _head(t: Term) -> str:
    """The operator with its indices."""
    name = SMT_NAMES.get(t.op)
    if name is not None:
        return name
    match t.op, t.data:
        case Op.EXTRACT, (hi, lo):
            return f"(_ extract {hi} {lo})"
        case Op.ZERO_EXT, n:
            return f"(_ zero_extend {n})"
        case Op.SIGN_EXT, n:
            return f"(_ sign_extend {n})"
        case Op.CONST_ARRAY, sort:
            return f"(as const {sort})"
        case Op.FP_TO_SBV, n:
            return f"(_ fp.to_sbv {n})"
        case Op.FP_TO_UBV, n:
            return f"(_ fp.to_ubv {n})"
    name = "to_fp_unsigned" if t.op is Op.FP_FROM_UBV else "to_fp"
    return f"(_ {name} {t.sort.eb} {t.sort.sb})"


Part = str | Term


def _parts(t: Term) -> list[Part]:
    """An application as text with holes for its arguments."""
    args = t.args
    if len(args) == 1 and t.op in _JUNCTION:
        return [args[0]]
    if t.op is Op.FP_TO_BITS:
        nan = _bits(format_of(args[0].sort).nan, t.sort.width)
        return ["(ite (fp.isNaN ", args[0], f") {nan} (fp.to_ieee_bv ", args[0], "))"]
    head = _head(t)
    nested = len(args) - 2 if t.op in _BINARY else 0
    parts: list[Part] = [f"({head} " * nested + f"({head}"]
    for i, a in enumerate(args):
        parts += [") " if nested and i > 1 else " ", a]
    parts.append(")")
    return parts


def _write(root: Term, names: dict[Term, str], out: list[str]) -> None:
    """Append the text of `root`; a named subterm (not `root` itself) is written as its name."""
    stack: list[Part] = list(reversed(_parts(root))) if root.args else [_leaf(root)]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            out.append(part)
        elif part in names:
            out.append(names[part])
        elif part.args:
            stack.extend(reversed(_parts(part)))
        else:
            out.append(_leaf(part))


def _shared(root: Term) -> list[list[Term]]:
    """The applications with several uses, grouped by how deep definitions below them nest."""
    uses: dict[Term, int] = {}
    order = list(postorder((root,)))
    for t in order:
        for a in t.args:
            uses[a] = uses.get(a, 0) + (2 if t.op is Op.FP_TO_BITS else 1)
    levels: list[list[Term]] = []
    depth: dict[Term, int] = {}
    for t in order:
        depth[t] = max((depth[a] + (uses[a] > 1 and bool(a.args)) for a in t.args), default=0)
        if t.args and uses.get(t, 0) > 1:
            while len(levels) <= depth[t]:
                levels.append([])
            levels[depth[t]].append(t)
    return levels


def to_smtlib(term: Term, max_nodes: int | None = None) -> str:
    """The term as SMT-LIB text; beyond `max_nodes` nodes subterms are left out as ``...`` (for
    messages only)."""
    if max_nodes is not None and _exceeds(term, max_nodes):
        return _abbreviated(term, max_nodes)
    levels = _shared(term)
    prefix = "?"
    if levels:
        variables = [v.name for v in free_vars(term)]
        while any(name.startswith(prefix) for name in variables):
            prefix += "!"
    names: dict[Term, str] = {}
    out: list[str] = []
    for group in levels:
        out.append("(let (")
        for t in group:
            out.append(f"({prefix}{len(names)} ")
            _write(t, names, out)
            out.append(")")
            names[t] = f"{prefix}{len(names)}"
        out.append(") ")
    if term in names:
        out.append(names[term])
    else:
        _write(term, names, out)
    out.append(")" * len(levels))
    return "".join(out)


def _exceeds(term: Term, limit: int) -> bool:
    return any(i >= limit for i, _ in enumerate(postorder((term,)))) if term.args else False


def _abbreviated(term: Term, limit: int) -> str:
    out: list[str] = []
    stack: list[Part] = [term]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            out.append(part)
            continue
        limit -= 1
        if limit < 0:
            out.append("...")
        elif part.args:
            stack.extend(reversed(_parts(part)))
        else:
            out.append(_leaf(part))
    return "".join(out)


def declaration(var: Term) -> str:
    """The declare-fun of a variable."""
    return f"(declare-fun {symbol(var.name)} () {var.sort})"
