"""Candidates about floats in loops: bounds of variables, and of sums of them, that last.

A *direction* is a sum of variables with constant factors; its bound starts where runs enter the loop
and climbs: while some edge leads from states within the bounds to one beyond a bound, over the
reals with rounding errors (`smt.real_terms`), that bound is raised to the next step, or given up.
So what is left is inductive as far as reals tell; Houdini and the checker decide about floats.

Steps of the variables themselves are the constants of the program and ten per decade. Where that
gives up, a variable of a linear filter such as ``s = 1.5 * s0 - 0.7 * s1 + u`` gets the directions
that are what it will be in the next rounds (`linear_forms`): with enough of them
the polygon of a stable filter is closed. `Climb` carries it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction

from obligato.analysis.linear_forms import Form, chains
from obligato.models.cfa import CFA, Edge
from obligato.models.effect import BlockEffect
from obligato.smt import SAT, UNKNOWN, UNSAT, Solver
from obligato.smt.boxes import box_of, conjuncts_of
from obligato.smt.range_values import value_of
from obligato.smt.real_terms import Relaxed
from obligato.terms import Kind, Op, Term, TermStore, evaluate, free_vars, postorder
from obligato.terms.float_semantics import format_of
from obligato.terms.softfloat import RoundingMode, from_real, to_fraction

MOST = 40  # directions, each of them both ways, at one location
NODES = 2_000  # terms of one edge
QUESTIONS = 4_000
BUDGET = 1_000_000  # of one question, in units of z3
RAISED = 60  # times, before a bound is given up
DECADES = 12
TENTHS = tuple(map(Fraction, ("1", "1.25", "1.6", "2", "2.5", "3.2", "4", "5", "6.3", "8")))
SMALL = tuple(map(Fraction, ("1e-9", "1e-6", "1e-4", "1e-3", "1e-2")))
GREATEST = Fraction(10) ** DECADES
SLACK = Fraction(21, 20)  # step of a sum of variables
EXACT = 5  # raises to what ranges say, if that is less than the next step
LATE = 12  # raises, after which steps are longer, and again


@dataclass(slots=True)
class Direction:
    """A float term over variables with the bound that it has not exceeded so far: None before a
    state is known.
    """

    term: Term
    form: Form
    bound: Fraction | None = None
    raised: int = 0
    lost: bool = False

    def claim(self) -> Term:
        """The candidate."""
        assert self.bound is not None
        s, sort = self.term.store, self.term.sort
        if self.term.op is Op.FP_NEG:
            limit = from_real(format_of(sort), RoundingMode.RTN, -self.bound)
            return s.fp_le(s.fp(limit, sort), self.term.args[0])
        limit = from_real(format_of(sort), RoundingMode.RTP, self.bound)
        return s.fp_le(self.term, s.fp(limit, sort))

    @property
    def limit(self) -> Fraction:
        """The bound as a float, which the claim has."""
        assert self.bound is not None
        fmt = format_of(self.term.sort)
        limit = to_fraction(fmt, from_real(fmt, RoundingMode.RTP, self.bound))
        assert limit is not None
        return limit

    @property
    def is_bounded(self) -> bool:
        """Has the direction a bound?"""
        return self.bound is not None and not self.lost


def float_bounds(blocks: CFA, make: Callable[[], Solver]) -> dict[int, list[Term]]:
    """Candidates at the locations of `blocks`; `make` makes solvers for reals and words."""
    loops = [loc for loc in blocks.inner if any(e.target == loc for e in blocks.out(loc))]
    variables = [v for v in blocks.variables if v.sort.kind is Kind.FLOAT]
    if not loops or not variables:
        return {}
    edges = [e for e in blocks.edges if e.target != blocks.error]
    effects = {e.id: BlockEffect(blocks.store, e.command, f"bounds!{e.id}!") for e in edges}
    used = _used(edges, effects, variables)
    plain = {loc: [d for v in used for d in _both(v, {v: Fraction(1)})] for loc in blocks.inner}
    climb = Climb(blocks, edges, effects, plain, make)
    climb.run()
    if climb.safe():
        return climb.claims()
    longer = _longer(loops, edges, effects, climb)
    if not longer:
        return climb.claims()
    more = {
        loc: [*_again(plain[loc]), *_sums(blocks.store, longer.get(loc, ()))]
        for loc in blocks.inner
    }
    second = Climb(blocks, edges, effects, more, make)
    second.run()
    return (second if second.left > 0 else climb).claims()


def _longer(
    loops: Sequence[int], edges: Sequence[Edge], effects: Mapping[int, BlockEffect], climb: Climb
) -> dict[int, list[tuple[Form, Fraction]]]:
    """Directions of filters, at loops where a variable has no bound."""
    out: dict[int, list[tuple[Form, Fraction]]] = {}
    for e in (e for e in edges if e.source == e.target and e.source in loops):
        ds = climb.directions[e.source]
        effect = effects[e.id]
        lost = _circular(effect, list(dict.fromkeys(v for d in ds for v in d.form)))
        limits = {**_limits_of(effect), **_between(ds)}
        found = chains(effect, lost, limits) if lost else []
        if found:
            out.setdefault(e.source, []).extend(found[:MOST])
    return out


def _circular(effect: BlockEffect, variables: Sequence[Term]) -> list[Term]:
    """The variables that change and depend on what they were some rounds ago."""
    pulled = {v: effect.pull(v) for v in variables}
    below = {v: [x for x in free_vars(p) if x in pulled] for v, p in pulled.items()}
    out = []
    for v in (v for v in variables if pulled[v] is not v):
        seen, todo = dict.fromkeys(below[v]), list(below[v])
        while todo:
            new = [x for x in below[todo.pop()] if x not in seen]
            seen.update(dict.fromkeys(new))
            todo += new
        if v in seen:
            out.append(v)
    return out


def _limits_of(effect: BlockEffect) -> dict[Term, tuple[Fraction, Fraction]]:
    """What a guard says about inputs."""
    out = {}
    for v, r in box_of(conjuncts_of(effect.guard)).items():
        low, high = value_of(v.sort, r.low), value_of(v.sort, r.high)
        if low is not None and high is not None:
            out[v] = (low, high)
    return out


def _between(directions: Sequence[Direction]) -> dict[Term, tuple[Fraction, Fraction]]:
    """The variables with bounds both ways."""
    high = {next(iter(d.form)): d.bound for d in directions if d.is_bounded and d.term.is_var}
    low = {next(iter(d.form)): d.bound for d in directions if d.is_bounded and not d.term.is_var}
    return {
        v: (-below, above)
        for v, above in high.items()
        if above is not None and (below := low.get(v)) is not None
    }


def _used(
    edges: Sequence[Edge], effects: Mapping[int, BlockEffect], variables: Sequence[Term]
) -> list[Term]:
    """The float variables that edges read, the first ones."""
    read: dict[Term, None] = {}
    for e in edges:
        effect = effects[e.id]
        changed = [p for v in variables if (p := effect.pull(v)) is not v]
        read.update(dict.fromkeys(free_vars(*effect.guard, *changed)))
    return [v for v in variables if v in read][:MOST]


def _both(term: Term, form: Form) -> list[Direction]:
    """Upper and lower bounds."""
    negative = {v: -c for v, c in form.items()}
    return [Direction(term, form), Direction(term.store.fp_neg(term), negative)]


def _again(directions: Iterable[Direction]) -> list[Direction]:
    return [Direction(d.term, d.form) for d in directions]


def _sums(s: TermStore, forms: Iterable[tuple[Form, Fraction]]) -> list[Direction]:
    """Directions for forms, with the bounds that they start from."""
    out = []
    for form, start in forms:
        term = _written(s, form)
        for d in _both(term, form):
            d.bound = start
            out.append(d)
    return out


def _written(s: TermStore, form: Form) -> Term:
    """The sum as a float term."""
    sort = next(iter(form)).sort
    rm, total = s.rm(RoundingMode.RNE), None
    for v, c in form.items():
        part = v if c == 1 else s.fp_mul(rm, s.fp_of(c, sort), v)
        total = part if total is None else s.fp_add(rm, total, part)
    assert total is not None
    return total


class Climb:
    """`run` raises bounds until no edge leads beyond them, or gives them up."""

    def __init__(
        self,
        blocks: CFA,
        edges: Sequence[Edge],
        effects: Mapping[int, BlockEffect],
        directions: dict[int, list[Direction]],
        make: Callable[[], Solver],
    ) -> None:
        self.blocks, self.edges, self.effects = blocks, edges, effects
        self.directions, self.make = directions, make
        self.ladder = _ladder(effects.values())
        self.reached = {blocks.initial}
        self.left = QUESTIONS

    def claims(self) -> dict[int, list[Term]]:
        """The bounds that are left."""
        return {loc: [d.claim() for d in ds if d.is_bounded] for loc, ds in self.directions.items()}

    def safe(self) -> bool:
        """Can no step from a state within the bounds violate a property?"""
        for e in self.blocks.into(self.blocks.error):
            effect = BlockEffect(self.blocks.store, e.command, f"bounds!{e.id}!")
            before = [d.claim() for d in self.directions.get(e.source, ()) if d.is_bounded]
            with closing(self._told(Relaxed([*effect.guard, *before]))) as solver:
                # an edge to the error, over the reals: unsat - it is shut   (heuristic)
                if solver.check((), budget=BUDGET, kind="bounds") is not UNSAT:
                    return False
        return True

    def run(self) -> None:
        """Ensures: bounds are inductive over the reals, or `left` is not positive."""
        queue = [e for e in self.edges if e.source == self.blocks.initial]
        while queue and self.left > 0:
            edge = queue.pop(0)
            if self._raise(edge):
                ahead = [e for e in self.blocks.out(edge.target) if e.target != self.blocks.error]
                queue += [e for e in ahead if e not in queue]
        if self.left <= 0:
            for d in (d for ds in self.directions.values() for d in ds):
                d.lost = True

    def _raise(self, edge: Edge) -> bool:
        """Raise the bounds at the target to where the edge leads from within those at the source;
        was there anything new?
        """
        effect = self.effects[edge.id]
        after = [d for d in self.directions.get(edge.target, ()) if not d.lost]
        before = [d.claim() for d in self.directions.get(edge.source, ()) if d.is_bounded]
        pulled = [effect.pull(d.term) for d in after]
        if sum(1 for _ in postorder([*effect.guard, *before, *pulled])) > NODES:
            self.left = 0
            return False
        said = Relaxed([*effect.guard, *before], pulled)
        s, reals = said.store, [said.real_of(p) for p in pulled]
        with closing(self._told(said)) as solver:
            if not self._ask(solver):
                return False
            new = edge.target not in self.reached
            self.reached.add(edge.target)
            for d, r, p in zip(after, reals, pulled, strict=True):
                open_ = r is None or self._ask(solver, s.not_(said.condition_of(p)))
                limits = None if open_ else said.limits_of(p)
                known = None if r is None or limits is None else (r, limits[1])
                new = self._lift(d, known, solver) or new
        return new

    def _told(self, said: Relaxed) -> Solver:
        solver = self.make()
        for f in said.all_of():
            solver.add(f)
        return solver

    def _ask(self, solver: Solver, *assumptions: Term) -> bool:
        """May an edge be taken so that the assumptions hold behind it? If in doubt, nothing more is
        asked.
        """
        self.left -= 1
        # an edge over the reals, from states within the bounds: unsat - not so; else it may be
        # (heuristic)
        result = solver.check(assumptions, budget=BUDGET, kind="bounds")
        if result is UNKNOWN:
            self.left = 0
        return result is SAT

    def _lift(self, d: Direction, after: tuple[Term, Fraction] | None, solver: Solver) -> bool:
        """Raise a bound to the least step that the edge does not lead beyond; was it too low? Behind
        the edge there is a real, at most a number.
        """
        if after is None:
            d.lost = True
            return True
        real, most = after
        s, first = real.store, d.bound is None
        if d.bound is None:
            self._ask(solver)
            d.bound = evaluate(real, solver.model_of(free_vars(real))) if self.left > 0 else None
        if self.left <= 0 or most <= d.limit:
            return first
        if not self._ask(solver, s.lt(s.real(d.limit), real)):
            return first
        d.raised += 1
        steps = self._steps(d)
        low, high = -1, 0  # beyond the low one it leads
        while high < len(steps) and self._ask(solver, s.lt(s.real(steps[high]), real)):
            low, high = high, 2 * high + 1
        high = min(high, len(steps))
        while high - low > 1:
            middle = (low + high) // 2
            beyond = self._ask(solver, s.lt(s.real(steps[middle]), real))
            low, high = (middle, high) if beyond else (low, middle)
        exact = [most] if d.raised <= EXACT and most < GREATEST else []
        d.lost = not (exact or high < len(steps)) or d.raised > RAISED
        d.bound = d.bound if d.lost else min([*exact, *steps[high : high + 1]])
        return True

    def _steps(self, d: Direction) -> list[Fraction]:
        """The bounds to try next."""
        assert d.bound is not None
        every = 1 + d.raised // LATE
        if len(d.form) == 1:
            return self.ladder[bisect_right(self.ladder, d.limit) :][::every]
        least = max(d.bound, Fraction(1, 1000))
        steps = [least * SLACK ** (every * n) for n in range(1, 100)]
        return [t for t in steps if t < GREATEST]


def _ladder(effects: Iterable[BlockEffect]) -> list[Fraction]:
    """Numbers of either sign: ten per decade, and the float constants of the program."""
    powers = [Fraction(10) ** n for n in range(-1, DECADES)]
    values: set[Fraction] = {Fraction(0), *SMALL, *(t * p for p in powers for t in TENTHS)}
    terms = [t for e in effects for t in (*e.guard, *e.pull.mapping.values())]
    for t in postorder(terms):
        if t.op is Op.CONST and t.sort.kind is Kind.FLOAT and isinstance(t.data, int):
            values.add(to_fraction(format_of(t.sort), t.data) or Fraction(0))
    return sorted(v for v in {*values, *(-v for v in values)} if abs(v) <= GREATEST)
