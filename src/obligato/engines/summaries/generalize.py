"""From a blocked cube to a lemma:
fewer literals, sums of inequalities, relaxed bounds [Bra12; HB12].

A cube is *blocked* at a level if no rule derives an element of it from the frames of the level
before, where atoms of the same relation may be taken outside the cube (induction relative to the
frame). Every candidate contains the cube before it, and is kept only if it is blocked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from obligato.engines.summaries.options import Options
from obligato.engines.summaries.queries import Cube
from obligato.smt.implicant import halves
from obligato.smt.projection.linear import add
from obligato.terms import INT, REAL, Kind, Op, Term, TermStore
from obligato.terms.rules.arith import Linear, from_linear, linear_of

# None: not blocked; else a part of the cube that is blocked, too
Blocked = Callable[[Cube], Cube | None]
STEPS = 12  # of the search for a bound
MOST = 24  # inequalities of a cube that are combined


class Generalizer:
    """Makes lemmas of blocked cubes; the options say by which steps."""

    def __init__(self, store: TermStore, options: Options) -> None:
        self.store, self.options = store, options

    def generalize(self, cube: Cube, blocked: Blocked) -> Cube:
        """Requires: blocked(cube). Ensures: blocked(result), and the result contains the cube."""
        cube = self._residues(cube, blocked)
        cube = tuple(dict.fromkeys(half for c in cube for half in halves(c)))
        cube = self._dropped(cube, blocked)
        if self.options.combine:
            cube = self._combined(cube, blocked)
        if self.options.weaken:
            for n in range(len(cube)):
                cube = self._relaxed(cube, n, blocked)
        return cube

    def _residues(self, cube: Cube, blocked: Blocked) -> Cube:
        """Replace literals by what they say about the lowest bit of a value, where that is enough
        for the cube to be blocked.
        """
        for literal in cube:
            weaker = parity(literal) if literal in cube else None
            if weaker is not None:
                found = blocked(tuple(weaker if c is literal else c for c in cube))
                cube = cube if found is None else found
        return cube

    def _dropped(self, cube: Cube, blocked: Blocked) -> Cube:
        """Literals are left out one by one; equations first, because they say most."""
        for literal in sorted(cube, key=lambda c: (c.op is Op.NOT, len(c.args)), reverse=True):
            if literal in cube:
                found = blocked(tuple(c for c in cube if c is not literal))
                cube = cube if found is None else found
        return cube

    def _combined(self, cube: Cube, blocked: Blocked) -> Cube:
        changed = True
        while changed:
            changed = False
            for a, b, total in self._sums(cube):
                found = blocked((*(c for c in cube if c is not a and c is not b), total))
                if found is not None:
                    cube, changed = found, True
                    break
        return cube

    def _sums(self, cube: Cube) -> Iterator[tuple[Term, Term, Term]]:
        """Pairs of inequalities of one sort and their sum."""
        linear = [(c, form) for c in cube[:MOST] if (form := inequality(c)) is not None]
        for n, (a, p) in enumerate(linear):
            for b, q in linear[n + 1 :]:
                if sort_of(a) is not sort_of(b):
                    continue
                total = add(p, q)
                if total[0] and at_most(self.store, total, sort_of(a)) not in (a, b):
                    yield a, b, at_most(self.store, total, sort_of(a))

    def _relaxed(self, cube: Cube, n: int, blocked: Blocked) -> Cube:
        """The n-th literal with a bound as weak as the search finds."""
        form = inequality(cube[n]) if n < len(cube) else None
        if form is None or sort_of(cube[n]) is not INT:
            return cube

        def attempt(slack: int) -> Cube | None:
            weaker = at_most(self.store, (form[0], form[1] - slack), INT)
            candidate = tuple(weaker if m == n else c for m, c in enumerate(cube))
            return candidate if blocked(candidate) is not None else None

        best, low, step = cube, 0, 1
        for _ in range(STEPS):
            found = attempt(low + step)
            if found is None:
                break
            best, low, step = found, low + step, step * 4
        while step > 1 and low:
            step //= 2
            found = attempt(low + step)
            if found is not None:
                best, low = found, low + step
        return best


def parity(literal: Term) -> Term | None:
    """What t = k says about the lowest bit."""
    if (
        literal.op is not Op.EQ
        or literal.args[1].op is not Op.CONST
        or not isinstance(literal.args[1].data, int)
    ):
        return None
    s, (t, k) = literal.store, literal.args
    assert isinstance(k.data, int)
    if t.sort is INT and t.op is not Op.MOD:
        return s.eq(s.mod(t, s.int_(2)), s.int_(k.data % 2))
    if t.sort.kind is Kind.BITVEC and t.width > 1:
        return s.eq(s.extract(t, 0, 0), s.bv(k.data % 2, 1))
    return None


def inequality(literal: Term) -> Linear | None:
    """The sum that the literal says is at most 0; None where it is no inequality of that form."""
    negated = literal.op is Op.NOT
    atom = literal.args[0] if negated else literal
    if atom.op is not Op.LE or (negated and atom.args[0].sort is not INT):
        return None
    total = add(linear_of(atom.args[0]), linear_of(atom.args[1]), -1)
    return add(({}, 1), total, -1) if negated else total


def at_most(store: TermStore, total: Linear, sort: object) -> Term:
    """The literal total <= 0."""
    kind = INT if sort is INT else REAL
    return store.le(
        from_linear(store, total, kind), store.const(0 if kind is INT else Fraction(0), kind)
    )


def sort_of(literal: Term) -> object:
    """The sort of the terms that an inequality compares."""
    return literal.atom.args[0].sort


def clause_of(store: TermStore, cube: Sequence[Term]) -> Term:
    """The clause that says that a literal of the cube is false."""
    return store.not_(store.all_of(cube))
