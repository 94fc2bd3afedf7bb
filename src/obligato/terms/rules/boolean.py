"""Boolean rules: flat, sorted, duplicate-free AND/OR; no double negation;
ITE and EQ with constants resolved."""

from __future__ import annotations

from collections.abc import Hashable

from obligato.terms.sorts import BOOL
from obligato.terms.store import Rule, TermStore
from obligato.terms.term import Op, Term

Args = tuple[Term, ...]
FLAT = 32  # a nested junction or product with more arguments is not flattened
# nothing to simplify in a junction of two of these
_ATOMS = frozenset(Op) - {Op.CONST, Op.NOT, Op.AND, Op.OR}


def not_(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Involution; constants fold before."""
    a = args[0]
    return a.args[0] if a.op is Op.NOT else None


def _junction(s: TermStore, args: Args, op: Op, unit: Term, zero: Term) -> Term:
    """Flatten, drop units, dedupe, detect x and not x, sort by id.

    A long nested junction stays as it is: a chain of n binary ones would otherwise cost n^2.
    """
    if len(args) == 2:
        a, b = args
        if a is not b and a.op in _ATOMS and b.op in _ATOMS:  # the common case
            return s.intern(op, args if a.id < b.id else (b, a), None, BOOL)
    flat: dict[Term, None] = {}
    stack = list(reversed(args))
    while stack:
        a = stack.pop()
        if a is unit or a in flat:
            continue
        if a is zero:
            return zero
        if a.op is op and len(a.args) <= FLAT:
            stack.extend(reversed(a.args))
        else:
            flat[a] = None
    for a in flat:
        if a.op is Op.NOT and a.args[0] in flat:
            return zero
    if len(flat) < 2:
        return next(iter(flat), unit)
    return s.intern(op, tuple(sorted(flat, key=_ident)), None, BOOL)


def _ident(t: Term) -> int:
    return t.id


def and_(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """n-ary conjunction."""
    return _junction(s, args, Op.AND, s.true, s.false)


def or_(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """n-ary disjunction."""
    return _junction(s, args, Op.OR, s.false, s.true)


def xor(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """a xor b is not (a = b)."""
    return s.not_(s.eq(args[0], args[1]))


def implies(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """a => b is (not a) or b."""
    return s.or_(s.not_(args[0]), args[1])


def distinct(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Pairwise disequalities."""
    return s.all_of(s.ne(a, b) for i, a in enumerate(args) for b in args[i + 1 :])


def eq_bool(s: TermStore, a: Term, b: Term) -> Term | None:
    """Equality of Booleans: no constant, no outer negation on both sides, sorted."""
    if a.op is Op.CONST:
        return b if a.data else s.not_(b)
    if b.op is Op.CONST:
        return a if b.data else s.not_(a)
    flip = False
    if a.op is Op.NOT:
        a, flip = a.args[0], not flip
    if b.op is Op.NOT:
        b, flip = b.args[0], not flip
    if a is b:
        return s.bool_(not flip)
    same = s.intern(Op.EQ, (a, b) if a.id < b.id else (b, a))
    return s.not_(same) if flip else same


def ite(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Constant or equal branches; Boolean ite with a constant branch becomes and/or;
    negated conditions are swapped."""
    c, a, b = args
    if c.op is Op.CONST:
        return a if c.data else b
    if a is b:
        return a
    if c.op is Op.NOT:
        return s.ite(c.args[0], b, a)
    if a.op is Op.ITE and a.args[0] is c:
        return s.ite(c, a.args[1], b)
    if b.op is Op.ITE and b.args[0] is c:
        return s.ite(c, a, b.args[2])
    if a.sort is BOOL:
        return _ite_bool(s, c, a, b)
    return _ite_sum(s, c, a, b) if a.op is Op.BVADD or b.op is Op.BVADD else None


def _ite_sum(s: TermStore, c: Term, a: Term, b: Term) -> Term | None:
    """(ite c x+y x+z) is x + (ite c y z):
    what the branches share cancels later, which SAT cannot see through adders."""
    there = dict.fromkeys(b.args if b.op is Op.BVADD else (b,))
    shared = [
        m for m in (a.args if a.op is Op.BVADD else (a,)) if m in there and m.op is not Op.CONST
    ]
    if not shared:
        return None
    common = s.mk(Op.BVADD, tuple(shared)) if len(shared) > 1 else shared[0]
    rest = s.ite(c, s.mk(Op.BVSUB, (a, common)), s.mk(Op.BVSUB, (b, common)))
    return s.mk(Op.BVADD, (common, rest))


def _ite_bool(s: TermStore, c: Term, a: Term, b: Term) -> Term | None:
    if a.op is Op.CONST:
        return s.or_(c, b) if a.data else s.and_(s.not_(c), b)
    if b.op is Op.CONST:
        return s.or_(s.not_(c), a) if b.data else s.and_(c, a)
    if a is c:
        return s.or_(c, b)
    if b is c:
        return s.and_(c, a)
    return None


def eq_ite(s: TermStore, a: Term, b: Term) -> Term | None:
    """(ite c k1 k2) = k with constants: c, not c, true or false.
    This undoes C's comparisons-as-integers.

    A chain of them (a switch, or with constants added in between a counter that a loop resets) is
    worked off without recursion.
    """
    if b.op is not Op.CONST or a.op is not Op.ITE or not _has_constant_branch(a):
        return None
    # condition, decided equality, is it the one of the first branch
    chain: list[tuple[Term, Term, bool]] = []
    while a.op is Op.ITE and _has_constant_branch(a):
        c, x, y = a.args
        first = x.op is Op.CONST
        chain.append((c, s.eq(x if first else y, b), first))
        a, b = _without_summand(s, y if first else x, b)
    out = s.eq(a, b)
    for c, decided, first in reversed(chain):
        out = s.ite(c, decided, out) if first else s.ite(c, out, decided)
    return out


def _without_summand(s: TermStore, a: Term, b: Term) -> tuple[Term, Term]:
    """The equation of words a = b as x = b - k, where a is x + k."""
    if a.op is not Op.BVADD or len(a.args) != 2 or a.args[1].op is not Op.CONST:
        return a, b
    return a.args[0], s.mk(Op.BVSUB, (b, a.args[1]))


def _has_constant_branch(a: Term) -> bool:
    return a.args[1].op is Op.CONST or a.args[2].op is Op.CONST


def eq_default(s: TermStore, a: Term, b: Term) -> Term:
    """Equality of any other sort: reflexive, constants right, else sorted by id."""
    if a is b:
        return s.true
    if a.op is Op.CONST or (b.op is not Op.CONST and b.id < a.id):
        a, b = b, a
    return eq_ite(s, a, b) or s.intern(Op.EQ, (a, b))


BOOLEAN_RULES: dict[Op, Rule] = {
    Op.NOT: not_,
    Op.AND: and_,
    Op.OR: or_,
    Op.XOR: xor,
    Op.IMPLIES: implies,
    Op.DISTINCT: distinct,
    Op.ITE: ite,
}
