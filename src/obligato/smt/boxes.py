"""What comparisons with constants say about floats: the box that a search for a model starts from."""

from __future__ import annotations

from collections.abc import Iterable

from obligato.smt.range_values import Range, abstract, whole
from obligato.terms import Kind, Op, Term, free_vars, postorder

_FLIPPED = {Op.FP_LE: Op.FP_GE, Op.FP_LT: Op.FP_GT, Op.FP_GE: Op.FP_LE, Op.FP_GT: Op.FP_LT}
COMPARISONS = frozenset(_FLIPPED)
_NEGATED = {Op.FP_LE: Op.FP_GT, Op.FP_LT: Op.FP_GE, Op.FP_GE: Op.FP_LT, Op.FP_GT: Op.FP_LE}


def conjuncts_of(formulas: Iterable[Term]) -> list[Term]:
    """The formulas, conjunctions and negated disjunctions taken apart."""
    todo, found = list(formulas)[::-1], dict[Term, None]()
    while todo:
        t = todo.pop()
        if t.op is Op.AND:
            todo += reversed(t.args)
        elif t.op is Op.NOT and t.args[0].op is Op.OR:
            todo += (t.store.not_(a) for a in reversed(t.args[0].args))
        elif t.op is Op.NOT and t.args[0].op is Op.NOT:
            todo.append(t.args[0].args[0])
        else:
            found[t] = None
    return list(found)


def box_of(roots: Iterable[Term]) -> dict[Term, Range]:
    """What comparisons with constants among the `roots` say about variables."""
    box: dict[Term, Range] = {}
    for root in roots:
        negated = root.op is Op.NOT
        atom = root.args[0] if negated else root
        if atom.op in COMPARISONS or (atom.op in (Op.EQ, Op.FP_EQ) and not negated):
            bound(box, atom, negated)
    return box


def bound(box: dict[Term, Range], atom: Term, negated: bool) -> None:
    """Narrow the range of a variable that is compared with a constant."""
    op, (x, k) = atom.op, atom.args
    if k.op is Op.VAR:
        op, x, k = _FLIPPED.get(op, op), k, x
    if x.op is not Op.VAR or x.sort.kind is not Kind.FLOAT or free_vars(k):
        return
    limit = abstract(list(postorder((k,))), {}, {})[k]  # raw terms may negate a constant
    if not isinstance(limit, Range) or limit.empty or limit.nan:
        return  # of a constant that may be NaN: x may be NaN, too, or anything if negated
    r, op = box.get(x, whole(x.sort)), _NEGATED[op] if negated else op
    gap = op in (Op.FP_LT, Op.FP_GT)
    low = r.low if op in (Op.FP_LE, Op.FP_LT) else limit.low + gap
    high = r.high if op in (Op.FP_GE, Op.FP_GT) else limit.high - gap
    box[x] = Range(max(r.low, low), min(r.high, high), r.nan and negated)
