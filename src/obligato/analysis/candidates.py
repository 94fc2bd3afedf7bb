"""Candidate invariants for seeding engines: what the analyses know, and what the program text
suggests.

Dropping literals of cubes only recombines atoms of the program; an invariant such as ``x + y == n``
must come from elsewhere (DESIGN 5).  Sources, in this order: the states of the only run, if there
is only one; intervals; affine equalities, modulo 2^w for bit-vectors; atoms of conditions and their
negations; for pairs of variables of one sort that occur together ``x <= y`` both ways (signed and
unsigned) and ``x == y``; comparisons of a variable with the constants it meets, and one less and
one more; sign and lowest bit; differences compared with constants; contents of constant tables, and
ends of texts.

All are only candidates: `houdini.houdini` keeps an inductive subset.  At a location only needed
variables are spoken of, and at most `limit` candidates (tables not counted), earlier sources first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from obligato.analysis.affine import affine_equalities
from obligato.analysis.commands import terms_of
from obligato.analysis.dataflow import solve
from obligato.analysis.intervals import IntervalAnalysis, as_formulas
from obligato.analysis.maps import NeededAt
from obligato.analysis.single_run import states_of_single_run
from obligato.models.cfa import CFA
from obligato.models.gcl import Assign, Assume, walk
from obligato.terms import BOOL, Kind, Op, Term, TermStore, free_vars, postorder

LIMIT = 150
CELLS = 300
MARKS = 60
DIFFERENCES = 6
FEW = 6
NARROWING = 3


def candidates(cfa: CFA, locations: Iterable[int], limit: int = LIMIT) -> dict[int, list[Term]]:
    """Candidates at `locations` of a CFA before large blocks (initial and error location
    left out).
    """
    wanted = [loc for loc in locations if loc not in (cfa.initial, cfa.error)]
    needed = NeededAt.of(cfa)
    only = {loc: [f] for loc, f in states_of_single_run(cfa, wanted, needed).items()}
    known = [only, _intervals(cfa, wanted, needed), affine_equalities(cfa, wanted)]
    miner = _Miner(cfa)
    mined = list(dict.fromkeys(t for t in miner.mined() if not t.is_const))
    cells = list(dict.fromkeys(miner.cells()))[:CELLS]
    marks = list(dict.fromkeys(miner.marks()))[:MARKS]
    masks = {t: needed.numbering.in_term(t) for t in (*mined, *cells, *marks)}
    out: dict[int, list[Term]] = {}
    for loc in wanted:
        here = dict.fromkeys(t for source in known for t in source.get(loc, ()))
        unspoken = ~(needed.at(loc) | _related(here, needed, loc))
        tables = [t for t in cells if masks[t] & ~needed.at(loc) == 0] + [
            t for t in marks if masks[t] & unspoken == 0
        ]
        for t in mined:
            if len(here) >= limit:
                break
            if masks[t] & unspoken == 0:
                here[t] = None
        out[loc] = [*list(here)[:limit], *tables]
    return out


def _related(facts: Iterable[Term], needed: NeededAt, location: int) -> int:
    """The variables of facts about more than one variable, one of them needed: an old counter may
    still bound a new one.
    """
    masks = [needed.numbering.in_term(t) for t in facts]
    related = 0
    for m in masks:
        if m & needed.at(location) and m & (m - 1):
            related |= m
    return related


def _intervals(cfa: CFA, locations: list[int], needed: NeededAt) -> dict[int, list[Term]]:
    if not any(x.sort.kind in (Kind.INT, Kind.BITVEC) for x in cfa.variables):
        return {}  # reals have none
    states = solve(cfa, IntervalAnalysis(cfa, needed), NARROWING).at(locations)
    # membership only: an assumption may have said something about an input, too
    variables = frozenset(cfa.variables)
    return {
        loc: [f for x, r in s.items() if x in variables for f in as_formulas(cfa.store, x, r)]
        for loc, s in states.items()
    }


class _Miner:
    """Candidates from the program text, over variables only."""

    def __init__(self, cfa: CFA) -> None:
        self.store = cfa.store
        self.variables = frozenset(cfa.variables)  # membership only
        leaves = [c for e in cfa.edges for c in walk(e.command) if isinstance(c, Assign | Assume)]
        self.conditions = list(dict.fromkeys(c.condition for c in leaves if isinstance(c, Assume)))
        self.leaves = leaves

    def mined(self) -> Iterator[Term]:
        """All candidates, the likelier ones first."""
        atoms = [a for a in self.atoms() if all(v in self.variables for v in free_vars(a))]
        pairs = self.pairs()
        for x, y in pairs:
            yield from orderings(self.store, x, y)
        yield from atoms
        for x, values in self.constants().items():
            yield from bounds(self.store, x, values)
        for a in atoms:
            yield self.store.not_(a)
        for x in dict.fromkeys(v for pair in pairs for v in pair):
            yield from signs(self.store, x)
        for x, y in pairs:
            yield from self.differences(x, y)

    def differences(self, x: Term, y: Term) -> Iterator[Term]:
        """x - y <= k and k <= x - y (bit-vectors: signed) for the first constants of that sort in
        conditions.
        """
        s, compare = self.store, Op.BVSLE if x.sort.kind is Kind.BITVEC else Op.LE
        difference = s.mk(Op.BVSUB if x.sort.kind is Kind.BITVEC else Op.SUB, (x, y))
        values = [t for t in postorder(self.conditions) if t.is_const and t.sort is x.sort][
            :DIFFERENCES
        ]
        for k in values:
            yield s.mk(compare, (difference, k))
            yield s.mk(compare, (k, difference))

    def cells(self) -> Iterator[Term]:
        """The contents of constant tables: ``a[k] == c`` where the program writes the constant c at
        the constant index k.
        """
        for c in self.leaves:
            for x, e in c.pairs if isinstance(c, Assign) else ():
                while e.op is Op.STORE:
                    e, index, value = e.args
                    if index.is_const and value.is_const:
                        yield self.store.eq(self.store.select(x, index), value)

    def marks(self) -> Iterator[Term]:
        """The end of a text: ``a[i] == c`` where the program writes the constant c at i, and ``j <=
        i`` where it reads at j; what i is the sum of is not above it, or above j, either.
        """
        for c in self.leaves:
            for x, e in c.pairs if isinstance(c, Assign) else ():
                if (
                    e.op is Op.STORE
                    and e.args[0] is x
                    and e.args[2].is_const
                    and self._is_spoken(e.args[1])
                ):
                    end, places = e.args[1], self._read_at(x)
                    summands = [v for v in free_vars(end) if v.sort is end.sort]
                    yield self.store.eq(self.store.select(x, end), e.args[2])
                    yield from (
                        self.store.mk(Op.BVULE, (j, end))
                        for j in dict.fromkeys([*places, *summands])
                    )
                    yield from (self.store.mk(Op.BVULE, (v, j)) for j in places for v in summands)

    def _is_spoken(self, index: Term) -> bool:
        return (
            not index.is_const
            and index.sort.kind is Kind.BITVEC
            and all(v in self.variables for v in free_vars(index))
        )

    def _read_at(self, x: Term) -> list[Term]:
        """The indices at which an array is read, and what they are copies of."""
        reads = postorder([t for c in self.leaves for t in terms_of(c)])
        found = dict.fromkeys(t.args[1] for t in reads if t.op is Op.SELECT and t.args[0] is x)
        pairs = [pair for c in self.leaves if isinstance(c, Assign) for pair in c.pairs]
        copies = [e for y, e in pairs if y in found and e.op is Op.VAR]
        return [j for j in (found | dict.fromkeys(copies)) if self._is_spoken(j)][:FEW]

    def atoms(self) -> Iterator[Term]:
        """The atoms of conditions."""
        for t in postorder(self.conditions):
            if t.sort is BOOL and t.op is not Op.NOT and t.is_literal and t.args:
                yield t

    def pairs(self) -> list[tuple[Term, Term]]:
        """Variables of one sort that occur in one condition, or in an assignment and its target,
        few per leaf.

        In a small program: all pairs.
        """
        found: dict[tuple[Term, Term], None] = {}
        for c in self.leaves:
            targets = [x for x, _ in c.pairs] if isinstance(c, Assign) else []
            vs = [
                v
                for v in dict.fromkeys([*targets, *free_vars(*terms_of(c))])
                if v in self.variables and _ordered(v)
            ]
            for i, x in enumerate(vs[:6]):
                for y in vs[i + 1 : 6]:
                    if x.sort is y.sort:
                        found[(x, y) if x.id < y.id else (y, x)] = None
        changing = dict.fromkeys(
            x for c in self.leaves if isinstance(c, Assign) for x, _ in c.pairs if _ordered(x)
        )
        if len(changing) <= FEW:
            found.update(
                dict.fromkeys(
                    (x, y) for x in changing for y in changing if x.id < y.id and x.sort is y.sort
                )
            )
        return list(found)

    def constants(self) -> dict[Term, dict[int, None]]:
        """The integer constants that a variable is compared with or assigned."""
        found: dict[Term, dict[int, None]] = {}
        for a in self.atoms():
            vs = [v for v in free_vars(a) if v in self.variables and _ordered(v)]
            if len(vs) == 1:
                for t in postorder((a,)):
                    if t.is_const and t.sort is vs[0].sort and isinstance(t.data, int):
                        found.setdefault(vs[0], {}).update(
                            dict.fromkeys((t.data, t.data - 1, t.data + 1))
                        )
        for c in self.leaves:
            for x, e in c.pairs if isinstance(c, Assign) else ():
                if e.is_const and isinstance(e.data, int) and _ordered(x):
                    found.setdefault(x, {})[e.data] = None
        return found


def _ordered(v: Term) -> bool:
    return v.sort.kind in (Kind.INT, Kind.REAL, Kind.BITVEC)


def orderings(s: TermStore, x: Term, y: Term) -> Iterator[Term]:
    """x == y, x <= y, y <= x; for bit-vectors signed and unsigned."""
    yield s.eq(x, y)
    for op in (Op.BVSLE, Op.BVULE) if x.sort.kind is Kind.BITVEC else (Op.LE,):
        yield s.mk(op, (x, y))
        yield s.mk(op, (y, x))


def bounds(s: TermStore, x: Term, values: Iterable[int]) -> Iterator[Term]:
    """x <= k and k <= x."""
    for op in (Op.BVSLE, Op.BVULE) if x.sort.kind is Kind.BITVEC else (Op.LE,):
        for k in values:
            yield s.mk(op, (x, s.const(k, x.sort)))
            yield s.mk(op, (s.const(k, x.sort), x))


def signs(s: TermStore, x: Term) -> Iterator[Term]:
    """x >= 0; the lowest bit of a bit-vector."""
    zero = s.const(0, x.sort)
    if x.sort.kind is not Kind.BITVEC:
        yield s.le(zero, x)
        return
    yield s.mk(Op.BVSLE, (zero, x))
    if x.width > 1:
        yield s.eq(s.extract(x, 0, 0), s.bv(0, 1))
        yield s.eq(s.extract(x, 0, 0), s.bv(1, 1))
