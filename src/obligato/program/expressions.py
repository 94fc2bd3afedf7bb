"""Terms as IVL expressions.

`expression(term, name)` prints any term such that the reader rebuilds exactly that term:
parentheses are meaningful (``(a + b) + c`` is not the ternary ``a + b + c``), and what has no sign
is written as a function.  Without recursion. Limitation: text shows shared subterms again and
again; a term beyond MAX_TREE is refused, or cut by `limit`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from obligato.errors import ResourceOut
from obligato.program.literals import type_text, value_text
from obligato.program.operators import (
    INFIX,
    NARY,
    PARTIAL,
    PREFIX,
    ROUNDED,
    Level,
    apply,
    function_name,
)
from obligato.terms import Kind, Op, Sort, Term, postorder
from obligato.terms.softfloat import RoundingMode

Name = Callable[[str], str]
MAX_TREE = 1_000_000
_TIGHTER = dict(zip(Level, list(Level)[1:], strict=False))
Piece = str | tuple[Term, Level]  # text, or a term that must bind at least that strongly


def expression(root: Term, name: Name, limit: int | None = None) -> str:
    """`root` as IVL text; `name` gives the text of a variable.
    Longer than `limit` characters ends in ``...``."""
    if limit is None and _tree_size(root) > MAX_TREE:
        raise ResourceOut(
            "text size", f"an expression of more than {MAX_TREE} operators, written without sharing"
        )
    out: list[str] = []
    length = 0
    stack: list[Piece] = [(root, Level.ITE)]
    while stack:
        piece = stack.pop()
        if isinstance(piece, str):
            out.append(piece)
            length += len(piece)
            if limit is not None and length > limit:
                return "".join(out)[:limit] + "..."
            continue
        level, pieces = _pieces(piece[0], name)
        if level < piece[1]:
            pieces = ["(", *pieces, ")"]
        stack.extend(reversed(pieces))
    return "".join(out)


def _tree_size(root: Term) -> int:
    """Number of subterms, each counted as often as it is shown."""
    sizes: dict[Term, int] = {}
    for t in postorder((root,)):
        sizes[t] = 1 + sum(sizes[a] for a in t.args)
    return sizes[root]


def _pieces(t: Term, name: Name) -> tuple[Level, Sequence[Piece]]:
    if t.op is Op.VAR:
        return Level.POSTFIX, [name(t.name)]
    if t.op is Op.CONST:
        text = value_text(t.data, t.sort)
        return Level.UNARY if text.startswith("-") else Level.POSTFIX, [text]
    special = _SPECIAL.get(t.op)
    found = special(t) if special else None
    if found is not None:
        return found
    if (
        t.op in INFIX
        and (t.op in NARY or len(t.args) == 2)
        and len(t.args) > 1
        and t.op not in PARTIAL
    ):
        return _infix(t.op, t.args)
    if t.op in PREFIX:  # -(3) is the negation of a literal, -3 is a literal
        inner: list[Piece] = (
            ["(", (t.args[0], Level.ITE), ")"] if t.args[0].is_const else [(t.args[0], Level.UNARY)]
        )
        return Level.UNARY, [PREFIX[t.op], *inner]
    return _function(t)


def _infix(op: Op, args: Sequence[Term]) -> tuple[Level, list[Piece]]:
    """``a op b op c``. The first operand may be a chain of the same level,
    unless the reader would merge the two."""
    sign, level = INFIX[op]
    first = tighter = _TIGHTER[level]
    if level in (Level.SUM, Level.PRODUCT, Level.SHIFT) and not (op in NARY and args[0].op is op):
        first = level
    last = level if level is Level.IMPLIES else tighter  # ==> associates to the right
    pieces: list[Piece] = [(args[0], first)]
    for a in args[1:]:
        pieces += [f" {sign} ", (a, last)]
    return level, pieces


def _function(t: Term) -> tuple[Level, list[Piece]]:
    index = (
        "" if t.data is None else f"{{{type_text(t.data) if isinstance(t.data, Sort) else t.data}}}"
    )
    pieces: list[Piece] = [f"{function_name(t.op)}{index}("]
    for i, a in enumerate(t.args):
        pieces += [", " if i else "", (a, Level.ITE)]
    return Level.POSTFIX, [*pieces, ")"]


Found = tuple[Level, Sequence[Piece]] | None


def _not(t: Term) -> Found:
    inner = t.args[0]
    if inner.op is not Op.EQ:
        return None
    a, b = inner.args
    return Level.COMPARE, [(a, Level.BITOR), " != ", (b, Level.BITOR)]


def _ite(t: Term) -> Found:
    total = total_application(t)
    if total is not None:
        return _infix(total.op, total.args) if total.op in INFIX else _function(total)
    c, a, b = t.args
    return Level.ITE, [(c, Level.IMPLIES), " ? ", (a, Level.ITE), " : ", (b, Level.ITE)]


def total_application(t: Term) -> Term | None:
    """The partial operator that the ite `t` completes in the way of `operators.PARTIAL`;
    None for other terms."""
    for d in t.args[1:]:
        if d.op in PARTIAL and apply(d.op, d.args, d.data) is t:
            return d
    return None


def _division(t: Term) -> Found:
    a, b = t.args
    return _infix(t.op, (a, b)) if b.is_const and b.data else None


def _rounded(t: Term) -> Found:
    rm = t.args[0]
    return _infix(t.op, t.args[1:]) if rm.is_const and rm.data is RoundingMode.RNE else None


def _extract(t: Term) -> Found:
    assert isinstance(t.data, tuple)
    return Level.POSTFIX, [(t.args[0], Level.POSTFIX), f"[{t.data[0]}:{t.data[1]}]"]


def _extend(t: Term) -> Found:
    name = "zext" if t.op is Op.ZERO_EXT else "sext"
    return Level.POSTFIX, [f"{name}(", (t.args[0], Level.ITE), f", {t.sort.width})"]


def _select(t: Term) -> Found:
    return Level.POSTFIX, [(t.args[0], Level.POSTFIX), "[", (t.args[1], Level.ITE), "]"]


def _store(t: Term) -> Found:
    a, i, v = t.args
    return Level.POSTFIX, [(a, Level.POSTFIX), "[", (i, Level.ITE), " := ", (v, Level.ITE), "]"]


def _const_array(t: Term) -> Found:
    assert isinstance(t.data, Sort) and t.data.kind is Kind.ARRAY
    return Level.POSTFIX, [f"{type_text(t.data)}(", (t.args[0], Level.ITE), ")"]


_SPECIAL: dict[Op, Callable[[Term], Found]] = {
    Op.NOT: _not,
    Op.ITE: _ite,
    Op.EXTRACT: _extract,
    Op.ZERO_EXT: _extend,
    Op.SIGN_EXT: _extend,
    Op.SELECT: _select,
    Op.STORE: _store,
    Op.CONST_ARRAY: _const_array,
    **dict.fromkeys((Op.IDIV, Op.MOD, Op.RDIV), _division),
    **dict.fromkeys(ROUNDED, _rounded),
}
