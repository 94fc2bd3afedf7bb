"""Arrays: eliminate an array variable, guided by the model.

Idea: in order, (1) an equality  store(... a ..., i, v) = t  determines a but for the place written,
whose element becomes a scratch variable; (2) a disequality of arrays is witnessed by an index where
the model's values differ; (3) reads over writes are decided by the model; (4) what is left reads a
at some indices: equal indices (under the model) share one scratch element, different ones are told
apart.  `eliminate_array` carries it; a plain equality a = t is solved before.

Exact where no decision of the model was needed.  Limitation: any other occurrence (an array inside
an array, an equality with a on both sides) is refused and the caller falls back on the model's
value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from obligato.smt.projection.elimination import Elimination, Scratch
from obligato.smt.projection.witness import constant
from obligato.terms import (
    ArrayValue,
    Kind,
    Op,
    Sort,
    Term,
    Value,
    evaluate,
    free_vars,
    postorder,
    substitute,
)

Model = Mapping[Term, Value]


def eliminate_array(
    a: Term, literals: Sequence[Term], model: Model, scratch: Scratch
) -> Elimination | None:
    """Remove the array a from literals that all contain it;
    None if an occurrence is out of reach."""
    solved = _solve_store(a, literals, model, scratch)
    if solved is not None:
        return solved
    plain, exact = _without_disequalities(a, literals, model)
    reads, decided = _without_writes(a, plain, model)
    return _name_reads(a, reads, exact and decided, model, scratch)


def _solve_store(
    a: Term, literals: Sequence[Term], model: Model, scratch: Scratch
) -> Elimination | None:
    """store(b, i, v) = t with a in b only: b = store(t, i, w) for a scratch w, and t[i] = v."""
    s = a.store
    for literal in literals:
        if literal.op is not Op.EQ or literal.args[0].sort is not a.sort:
            continue
        left, right = literal.args if a in free_vars(literal.args[0]) else reversed(literal.args)
        values: dict[Term, Value] = {}
        while left.op is Op.STORE and not any(a in free_vars(t) for t in (right, *left.args[1:])):
            w = scratch.new(a.sort.element)
            values[w] = evaluate(s.select(left.args[0], left.args[1]), model)
            left, right = left.args[0], s.store(right, left.args[1], w)
        if left is a and a not in free_vars(right):
            return Elimination([substitute(c, {a: right}) for c in literals], True, values)
    return None


def _without_disequalities(
    a: Term, literals: Sequence[Term], model: Model
) -> tuple[list[Term], bool]:
    """b != c becomes b[k] != c[k] for a value k."""
    s, out = a.store, []
    for literal in literals:
        index = None
        if (
            literal.op is Op.NOT
            and literal.args[0].op is Op.EQ
            and literal.args[0].args[0].sort.kind is Kind.ARRAY
        ):
            left, right = literal.args[0].args
            index = _difference(evaluate(left, model), evaluate(right, model), left.sort)
        if index is not None:
            k = constant(s, index, left.sort.index)
            literal = s.ne(s.select(left, k), s.select(right, k))
        out.append(literal)
    return out, out == list(literals)


def _difference(p: ArrayValue, q: ArrayValue, sort: Sort) -> Value | None:
    """An index at which two values differ; only written ones are tried."""
    for index in (*p.entries, *q.entries):
        if p.get(index) != q.get(index):
            return index
    return None if p.default == q.default else _unwritten(p, q, sort)


def _unwritten(p: ArrayValue, q: ArrayValue, sort: Sort) -> Value | None:
    """An index that neither value mentions."""
    kind = sort.index.kind
    if kind is not Kind.INT and kind is not Kind.BITVEC:
        return None
    k = 0
    while k in p.entries or k in q.entries:
        k += 1
    return k if kind is Kind.INT or k < 1 << sort.index.width else None


def _without_writes(a: Term, literals: Sequence[Term], model: Model) -> tuple[list[Term], bool]:
    """Each read over a write into a term with a is decided by the model."""
    out, exact = list(literals), True
    while True:
        read = next((t for t in postorder(out) if _over_write(t, a)), None)
        if read is None:
            return out, exact
        (written, i, v), j = read.args[0].args, read.args[1]
        s, exact = a.store, False
        hit = evaluate(i, model) == evaluate(j, model)
        image = v if hit else s.select(written, j)
        same = s.eq(i, j)
        out = [substitute(c, {read: image}) for c in out] + [same if hit else s.not_(same)]


def _over_write(t: Term, a: Term) -> bool:
    return t.op is Op.SELECT and t.args[0].op is Op.STORE and a in free_vars(t.args[0])


def _name_reads(
    a: Term, literals: Sequence[Term], exact: bool, model: Model, scratch: Scratch
) -> Elimination | None:
    """a[i], a[j], ...: one scratch element per index value, with the arrangement of the indices."""
    s = a.store
    reads = [t for t in postorder(literals) if t.op is Op.SELECT and t.args[0] is a]
    if any(a in free_vars(t.args[1]) for t in reads):
        return None
    groups: dict[Value, list[Term]] = {}
    for t in reads:
        groups.setdefault(evaluate(t.args[1], model), []).append(t)
    values: dict[Term, Value] = {}
    images: dict[Term, Term] = {}
    for group in groups.values():
        element = scratch.new(a.sort.element)
        values[element] = evaluate(group[0], model)
        images.update(dict.fromkeys(group, element))
    out = [substitute(c, images) for c in literals]
    if any(a in free_vars(c) for c in out):
        return None
    heads = [g[0].args[1] for g in groups.values()]
    arrangement = [s.eq(g[0].args[1], t.args[1]) for g in groups.values() for t in g[1:]]
    arrangement += [s.ne(p, q) for n, p in enumerate(heads) for q in heads[n + 1 :]]
    return Elimination(out + arrangement, exact and all(c is s.true for c in arrangement), values)
