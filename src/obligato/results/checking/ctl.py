"""Do the bounds of a formula of branching time prove or refute it?
The check that every verdict about one passes (DESIGN 4).

The entries are replayed in order, each by the implications in `models.ctl_claims`, with the bounds
of the entries before it; then the initial states are compared with the bounds of the formula. Core
formula, structure and bounds are the checker's own (`checking.branching`). Everything is asked in a
fresh store that does not simplify. Entries that lead into a lower bound are asked for in groups:
the disjunction of what would refute each of them.

Why it is right: by induction over the entries every state of R in L satisfies its formula and every
state of R that satisfies it is in U. Leads: the step exists, so the state has a successor that
satisfies f (EX), or satisfies f and has one that satisfies the formula itself. Loops: from any cube
the moves lead for ever through states of f, fair to all sets, or into L. Leaves, E f U g: a path
that is a witness stays in U (all its states satisfy the formula) and so in the set, where no state
is in U_g. EG f: a witness stays in U and the set; it crosses each wall at most once after the
earlier ones, so a suffix contains a skeleton.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from obligato.models.ctl_claims import Bounds, CubeStep, Entry, Leads, Leaves, Loops, Separates
from obligato.models.ltl import Formula
from obligato.models.properties import CtlProperty
from obligato.models.transition_system import TransitionSystem
from obligato.results.checking.branching import FAIR, Language, Ledger, unlimited, widened
from obligato.results.checking.explain import Explainer
from obligato.results.checking.run import Rejected
from obligato.results.checking.solving import SAT, UNKNOWN, UNSAT, Link, Questions, Reply
from obligato.results.checking.status import CertificateCheck, Status
from obligato.terms import BOOL, Term, TermStore, Value, conjuncts, default_value, free_vars
from obligato.terms.store import rebuild

GROUP = 32

Copies = tuple[int, bool]  # which step of a skeleton, and whether after it


@dataclass(frozen=True, slots=True)
class BoundsCheck(CertificateCheck):
    """The result; `witness` explains an initial state (`checking.explain`)."""

    witness: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Pending:
    """What would refute an entry, and what to ask instead if it is not enough."""

    place: str
    refutation: Term
    otherwise: Sequence[tuple[str, Term]]


class Undecided(Exception):
    """No solver has an answer."""


def check_bounds(
    system: TransitionSystem,
    p: CtlProperty,
    claim: Bounds,
    links: Sequence[Link],
    tick: Callable[[], None] = lambda: None,
) -> BoundsCheck:
    """Check a claim about the property `p` of the original `system` with the solvers `links`."""
    start = perf_counter()
    language = Language(p.formula, not unlimited(system))
    checker = _Checker(widened(system, language), language, claim, links, tick)
    status, reason = Status.ACCEPTED, ""
    try:
        checker.check()
    except Rejected as problem:
        status, reason = Status.REFUTED, str(problem)
    except Undecided as problem:
        status, reason = Status.UNKNOWN, str(problem)
    finally:
        checker.close()
    used = list(checker.used.values())
    return BoundsCheck(
        status,
        ", ".join(link.name for link in used),
        all(link.independent for link in used),
        "" if status is Status.ACCEPTED else checker.place,
        reason,
        seconds=perf_counter() - start,
        queries=checker.queries,
        witness=checker.witness,
    )


class _Checker:
    def __init__(
        self,
        system: TransitionSystem,
        language: Language,
        claim: Bounds,
        links: Sequence[Link],
        tick: Callable[[], None],
    ) -> None:
        self.system, self.language, self.claim = system, language, claim
        self.links, self.tick = links, tick
        self.store = s = TermStore.raw()
        self.state = {x.name: s.var(x.name, x.sort) for x in system.state}
        self.ledger = Ledger(s, {f: self._known(t) for f, t in language.terms.items()})
        self.walls: dict[Formula, list[Term]] = {}
        self.used: dict[str, Link] = {}
        self.queries = 0
        self.place = "invariant"
        self._copies: dict[Copies, dict[Term, Term]] = {}
        self._asked: dict[str, Questions] = {}
        self.witness: dict[str, Any] = {}
        # entries that are not asked for yet
        self._pending: dict[str, list[_Pending]] = {"move": [], "step": []}

    # -- vocabulary --------------------------------------------------------------------------------

    def _known(self, formula: Term) -> Term:
        """A formula over the state, in the checker's store."""
        found = free_vars(formula)
        strangers = [
            v.name
            for v in found
            if self.state.get(v.name) is None or self.state[v.name].sort is not v.sort
        ]
        if strangers or formula.sort is not BOOL:
            raise Rejected(
                f"a formula is about {strangers[0]}, no state variable"
                if strangers
                else f"a formula has sort {formula.sort}"
            )
        return rebuild(formula, self.store, {v: self.state[v.name] for v in found})

    def _at(self, formula: Term, copy: int = 0, after: bool = False) -> Term:
        """A formula of the checker's, about the state before or after step number `copy`."""
        memo = self._copies.setdefault((copy, after), {})
        if not memo:
            mark = "'" if after else ""
            memo.update(
                {
                    x: self.store.var(f"{name}{mark}@{copy}", x.sort)
                    for name, x in self.state.items()
                }
            )
        return rebuild(formula, self.store, memo)

    def _read(self, formula: Term, copy: int = 0) -> Term:
        """A formula of the system about step number `copy`."""
        memo = self._copies.setdefault((-1 - copy, False), {})
        if not memo:
            system, var = self.system, self.store.var
            memo.update(
                {x: var(f"{x.name}@{copy}", x.sort) for x in (*system.state, *system.inputs)}
            )
            memo.update({y: var(f"{x.name}'@{copy}", x.sort) for x, y in system.primed.items()})
        return rebuild(formula, self.store, memo)

    def _value(self, x: Term, value: Value) -> Term:
        if isinstance(value, bool):
            return self.store.bool_(value) if x.sort is BOOL else self._odd(x)
        if x.sort is BOOL or not isinstance(value, int) or not 0 <= value < 1 << x.sort.width:
            return self._odd(x)
        return self.store.bv(value, x.sort.width)

    def _odd(self, x: Term) -> Term:
        raise Rejected(f"{x.name} cannot have the value that is given")

    # -- questions ---------------------------------------------------------------------------------

    def _allowed(self, copy: int) -> list[Term]:
        """R and C and T and R' of a step."""
        both = [
            *conjuncts(self._at(self.invariant, copy)),
            *conjuncts(self._at(self.invariant, copy, True)),
        ]
        return [
            *both,
            *(self._read(c, copy) for c in (*self.system.constraints, self.system.trans)),
        ]

    def _assertions(self, kind: str) -> list[Term]:
        system, here = self.system, conjuncts(self._at(self.invariant))
        match kind:
            case "start":
                return [self._read(system.init)]
            case "state":
                return here
            case "first":
                return [*here, *(self._read(c) for c in (*system.constraints, system.trans))]
            case "step":
                return self._allowed(0)
            case "move":
                known = system.next or {}
                return [
                    *here,
                    *(
                        self._read(self.system.store.eq(system.primed[x], e))
                        for x, e in known.items()
                    ),
                ]
        sets = system.fairness or (system.store.true,)
        return [
            f for k, wanted in enumerate(sets) for f in (*self._allowed(k), self._read(wanted, k))
        ]

    def _ask(self, kind: str, *assumed: Term) -> Reply:
        """Is there a start, state, step (of R),
        move (a step by functions) or skeleton with what is assumed?"""
        if kind not in self._asked:
            self._asked[kind] = Questions(self.links, self._assertions(kind), self.tick)
        self.queries += 1
        # the assertions of the kind and what is assumed: unsat - nothing refutes the entry;
        # sat - this does   (required)
        reply = self._asked[kind].ask(assumed, "certify")
        if reply.link is not None:
            self.used[reply.link.name] = reply.link
        if reply.result is UNKNOWN:
            raise Undecided(reply.reason)
        return reply

    def _none(self, kind: str, *assumed: Term) -> None:
        if self._ask(kind, *assumed).result is not UNSAT:
            raise Rejected("a state of the system refutes it")

    def close(self) -> None:
        """Free all solvers."""
        for questions in self._asked.values():
            questions.close()

    # -- the claim ---------------------------------------------------------------------------------

    def check(self) -> None:
        """Raise `Rejected` or `Undecided` unless the claim is right."""
        self.invariant = self._known(self.claim.invariant)
        self._none("start", self.store.not_(self._at(self.invariant)))
        self._none("first", self.store.not_(self._at(self.invariant, 0, True)))
        for n, entry in enumerate(self.claim.entries):
            self.place = f"entry {n} ({type(entry).__name__}, {entry.formula})"
            self._entry(entry)
        for kind in self._pending:
            self._flush(kind)
        self.place = "initial states"
        self._root()

    def _root(self) -> None:
        start, core = self.claim.start, self.language.core
        if start is None:
            self._none("start", self.store.not_(self._at(self.ledger.lower(core))))
            self._explain(self._ask("start"))
            return
        given = [
            self.store.eq(self._at(self.state[name]), self._value(self.state[name], v))
            for name, v in start.items()
            if name in self.state
        ]
        reply = self._ask("start", *given, self.store.not_(self._at(self.ledger.upper(core))))
        if reply.result is not SAT:
            raise Rejected("the state is not initial, or not outside the upper bound")
        self._explain(reply)

    def _explain(self, reply: Reply) -> None:
        """Keep an explanation of the initial state that was found; there may be none."""
        if reply.result is SAT:
            known = {v.name: value for v, value in reply.model.items()}
            state = {
                x.name: known.get(f"{x.name}@0", default_value(x.sort)) for x in self.system.state
            }
            self.witness = Explainer(self.system, self.claim, self.ledger).tree(
                self.language.core, state
            )

    def _entry(self, entry: Entry) -> None:
        f = entry.formula
        wanted = {
            Leads: ("EX", "EU", "EG"),
            Loops: ("EG",),
            Leaves: ("EX", "EU", "EG"),
            Separates: ("EG",),
        }
        if f.op not in wanted[type(entry)] or len(f.args) != 1 + (f.op == "EU"):
            raise Rejected("the formula is of another kind")
        match entry:
            case Leads():
                self._leads(f, entry.step)
            case Loops():
                self._loops(f, entry.steps)
            case Leaves():
                self._leaves(f, self._known(entry.set))
            case Separates():
                self._separates(f, self._known(entry.wall), entry.relative)

    # -- lower bounds ------------------------------------------------------------------------------

    def _refutation(self, step: CubeStep, *wanted: Term) -> Term:
        """A step of the cube that is not allowed, or does not do what is wanted."""
        s, system = self.store, self.system
        moved = [*self._equal(system.inputs, step.inputs, "")]
        if system.next is None:
            moved += self._equal(system.state, step.follows, "'", True)
        allowed = [self._read(c) for c in (*system.constraints, system.trans)]
        return s.and_(self._at(self._known(step.cube)), *moved, s.not_(s.and_(*allowed, *wanted)))

    def _equal(
        self, variables: Sequence[Term], values: Mapping[str, Value], mark: str, all_: bool = False
    ) -> Iterator[Term]:
        for x in variables:
            if x.name in values:
                yield self.store.eq(
                    self.store.var(f"{x.name}{mark}@0", x.sort), self._value(x, values[x.name])
                )
            elif all_:
                raise Rejected(f"the next value of {x.name} is missing")

    def _leads(self, f: Formula, step: CubeStep) -> None:
        lower = self.ledger.lower
        if f.op == "EX":
            wanted = [self._at(lower(f.args[0]), 0, True)]
        else:
            wanted = [self._at(lower(f.args[0])), self._at(lower(f), 0, True)]
        self._wait("move", self._refutation(step, *wanted))
        self.ledger.join(f, self._known(step.cube))

    def _wait(
        self, kind: str, refutation: Term, otherwise: Sequence[tuple[str, Term]] = ()
    ) -> None:
        """An entry is asked for later, together with others;
        `otherwise` has what to ask if the refutation is satisfiable.

        Later entries may build on it:
        in the end all have been asked for, each with the bounds of those before it.
        """
        self._pending[kind].append(_Pending(self.place, refutation, otherwise))
        if len(self._pending[kind]) >= GROUP:
            self._flush(kind)

    def _flush(self, kind: str) -> None:
        """Ask for the entries that wait."""
        pending, self._pending[kind] = self._pending[kind], []
        if (
            not pending
            or self._ask(kind, self.store.or_(*(p.refutation for p in pending))).result is UNSAT
        ):
            return
        for p in pending:
            self.place = p.place
            if self._ask(kind, p.refutation).result is not UNSAT:
                if not p.otherwise:
                    raise Rejected("a state of the system refutes it")
                for other, refutation in p.otherwise:
                    self._none(other, refutation)

    def _loops(self, f: Formula, steps: Sequence[CubeStep]) -> None:
        s, inner = self.store, self._at(self.ledger.lower(f.args[0]))
        own = self._at(self.ledger.lower(f), 0, True)
        if not steps:
            raise Rejected("a loop has no step")
        cubes = [self._known(step.cube) for step in steps]
        refutations = []
        for k, step in enumerate(steps):
            targets = [cubes[(k + 1) % len(cubes)]] if self.system.fairness else cubes
            into = s.or_(*(self._at(c, 0, True) for c in targets))
            refutations.append(self._refutation(step, inner, s.or_(into, own)))
        self._none("move", s.or_(*refutations))
        for wanted in self.system.fairness:
            if not any(
                self._ask("move", self._refutation(step, self._read(wanted))).result is UNSAT
                for step in steps
            ):
                raise Rejected("a fairness set is not taken on the loop")
        for cube in cubes:
            self.ledger.join(f, cube)

    # -- upper bounds ------------------------------------------------------------------------------

    def _leaves(self, f: Formula, states: Term) -> None:
        s, upper = self.store, self.ledger.upper
        here, there = self._at(states), self._at(states, 0, True)
        inside = s.and_(here, self._at(upper(f)), self._at(upper(f.args[0])))
        going_on = s.and_(inside, self._at(upper(f), 0, True))
        match f.op:
            case "EX":
                self._wait("step", s.and_(here, self._at(upper(f.args[0]), 0, True)))
            case "EU":
                moving = unlimited(self.system) or _demands(f.args[1], FAIR)
                self._none(
                    "step" if moving else "state",
                    here,
                    self._at(upper(f)),
                    self._at(upper(f.args[1])),
                )
                self._none("step", going_on, s.not_(there))
            case "EG":  # a set from which nothing goes on inside U needs no walls
                skeleton = s.and_(*self._skeleton(f, states))
                self._wait(
                    "step",
                    going_on,
                    [("step", s.and_(going_on, s.not_(there))), ("skeleton", skeleton)],
                )
        self.ledger.leave(f, states)

    def _skeleton(self, f: Formula, states: Term) -> Iterator[Term]:
        inside = self.store.and_(self.ledger.upper(f), states)
        for copy in range(len(self.system.fairness) or 1):
            for after in (False, True):
                yield self._at(inside, copy, after)
                if copy or after:
                    for wall in self.walls.get(f, ()):
                        yield self.store.eq(self._at(wall), self._at(wall, copy, after))

    def _separates(self, f: Formula, wall: Term, relative: Sequence[int]) -> None:
        walls = self.walls.setdefault(f, [])
        if any(not 0 <= j < len(walls) for j in relative):
            raise Rejected("a wall is relative to one that does not come before it")
        same = [self.store.eq(self._at(walls[j]), self._at(walls[j], 0, True)) for j in relative]
        inside = [self._at(self.ledger.upper(f), 0, after) for after in (False, True)]
        self._none("step", *inside, *same, self._at(wall), self.store.not_(self._at(wall, 0, True)))
        walls.append(wall)


def _demands(f: Formula, wanted: Formula) -> bool:
    """Is `wanted` a conjunct of f?"""
    return f == wanted or (f.op == "&" and any(_demands(a, wanted) for a in f.args))
