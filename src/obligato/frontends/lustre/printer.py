"""Formulas over the state as Lustre expressions: a state variable is `pre x`, the first step
`(true -> false)`.

`lustre_text` gives None where an operator has no counterpart in the language.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from fractions import Fraction

from obligato.terms import BOOL, Kind, Op, Term, postorder

MAX_CHARACTERS = 20_000
_INFIX = {
    Op.AND: " and ",
    Op.OR: " or ",
    Op.XOR: " xor ",
    Op.IMPLIES: " => ",
    Op.EQ: " = ",
    Op.ADD: " + ",
    Op.SUB: " - ",
    Op.MUL: " * ",
    Op.LE: " <= ",
    Op.LT: " < ",
    Op.GE: " >= ",
    Op.GT: " > ",
    Op.IDIV: " div ",
    Op.MOD: " mod ",
    Op.RDIV: " / ",
    Op.BVADD: " + ",
    Op.BVSUB: " - ",
    Op.BVMUL: " * ",
    Op.BVUDIV: " div ",
    Op.BVSDIV: " div ",
    Op.BVUREM: " mod ",
    Op.BVSREM: " mod ",
    Op.BVAND: " && ",
    Op.BVOR: " || ",
    Op.BVULT: " < ",
    Op.BVULE: " <= ",
    Op.BVUGT: " > ",
    Op.BVUGE: " >= ",
    Op.BVSLT: " < ",
    Op.BVSLE: " <= ",
    Op.BVSGT: " > ",
    Op.BVSGE: " >= ",
    Op.BVSHL: " lsh ",
    Op.BVLSHR: " rsh ",
    Op.BVASHR: " rsh ",
}
_PREFIX = {
    Op.NOT: "not ",
    Op.NEG: "-",
    Op.BVNEG: "-",
    Op.BVNOT: "!",
    Op.TO_REAL: "real ",
    Op.TO_INT: "int ",
}
_UNSIGNED = frozenset((Op.BVULT, Op.BVULE, Op.BVUGT, Op.BVUGE, Op.BVUDIV, Op.BVUREM))
_RELATIONS = {Op.LE: " > ", Op.LT: " >= ", Op.GE: " < ", Op.GT: " <= ", Op.EQ: " <> "}


def lustre_text(formula: Term, names: Mapping[str, str], unsigned: AbstractSet[str]) -> str | None:
    """`formula` in Lustre, with the names that state variables are shown by."""
    done: dict[Term, str] = {}
    for t in postorder((formula,)):
        text = _text(t, done, names)
        if text is None or len(text) > MAX_CHARACTERS:
            return None
        done[t] = text
    text = done[formula]
    return (
        text[1:-1] if formula.args and text.startswith("(") and formula.op is not Op.NOT else text
    )


def _text(t: Term, done: Mapping[Term, str], names: Mapping[str, str]) -> str | None:
    if t.op is Op.VAR:
        shown = names.get(t.name, t.name)
        return f"({shown})" if shown.startswith("pre ") else shown
    if t.op is Op.CONST:
        return _constant(t, signed=True)
    args = [
        _constant(a, False) if a.op is Op.CONST and t.op in _UNSIGNED else done[a] for a in t.args
    ]
    if t.op is Op.ITE:
        return f"(if {args[0]} then {args[1]} else {args[2]})"
    if t.op is Op.NOT and t.args[0].op in _RELATIONS and t.args[0].args[0].sort is not BOOL:
        a, b = t.args[0].args
        return f"({done[a]}{_RELATIONS[t.args[0].op]}{done[b]})"
    if t.op in _PREFIX:
        return f"({_PREFIX[t.op]}{args[0]})"
    return f"({_INFIX[t.op].join(args)})" if t.op in _INFIX else None


def _constant(t: Term, signed: bool) -> str:
    value = t.data
    if isinstance(value, bool):
        return "true" if value else "false"
    if t.sort.kind is Kind.BITVEC:
        assert isinstance(value, int)
        width = t.sort.width
        if signed and value >> (width - 1):
            value -= 1 << width
        return f"({'' if signed else 'u'}int{width} {value})"
    if isinstance(value, Fraction):
        number = f"{abs(value.numerator)}.0" + (
            f" / {value.denominator}.0" if value.denominator != 1 else ""
        )
        return f"(-{number})" if value < 0 else f"({number})" if "/" in number else number
    return f"({value})" if isinstance(value, int) and value < 0 else str(value)
