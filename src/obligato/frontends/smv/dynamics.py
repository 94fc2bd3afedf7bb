"""What the assignments and formulas of a model say about its states and steps.

`Dynamics` collects facts about the first state, next values as terms, formulas that every step and
every state must satisfy. `functions` makes next-state functions of them: of assignments, of
equations `next(x) = e` in TRANS, and where nothing says what comes next, of fresh inputs. In a
system of processes one moves at a time: `_process_selector_` is an input that says which.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from obligato.errors import InputError, Span
from obligato.frontends.smv.instances import Elements, Instance, Scalar, Tree
from obligato.frontends.smv.syntax import Assignment, Section
from obligato.frontends.smv.translate import Translator
from obligato.frontends.smv.types import Numbers, Real, Symbols, Type, covers
from obligato.frontends.smv.values import Between, Either, Pick, Val, Value
from obligato.models.ts_functions import readings
from obligato.terms import Op, Substitution, Term, bitvec, conjuncts, free_vars

SELECTOR = "_process_selector_"


@dataclass(slots=True)
class Following:
    """The next value of a state variable, perhaps over next values of others; `filter` is the
    formula of TRANS that says it.
    """

    term: Term
    span: Span
    filter: Term | None = None


@dataclass(slots=True)
class Dynamics:
    """What is known about states and steps."""

    tree: Tree
    translator: Translator
    state: list[Term] = field(default_factory=list)
    inputs: list[Term] = field(default_factory=list)
    init: list[Term] = field(default_factory=list)
    steps: list[Term] = field(default_factory=list)
    constraints: list[Term] = field(default_factory=list)
    fairness: list[Term] = field(default_factory=list)
    compassion: list[tuple[Term, Term]] = field(default_factory=list)
    following: dict[Term, Following] = field(default_factory=dict)
    domains: list[Term] = field(default_factory=list)  # of all variables, next ones too

    def read(self) -> None:
        """Everything that the instances say, specifications apart."""
        self._select()
        assignments = self._assignments()
        self._variables(assignments)
        for (v, kind), found in assignments.items():
            if kind == "init":
                self._start(v, *found[0])
            elif kind == "next":
                self._step(v, found)
        self._circular_starts(assignments)
        for instance in self.tree.instances:
            for section in instance.module.sections:
                self._section(section, instance)

    def judge_definitions(self) -> None:
        """Refuse definitions that mean nothing, used or not; what they leave to luck counts where
        they are used only.
        """
        t, kept = self.translator, list(self.translator.obligations)
        for instance in self.tree.instances:
            for d in instance.module.defines:
                if not isinstance(self.tree.symbol(d.value, instance), Elements | Instance):
                    t.value(d.value, instance)
        t.obligations[:] = kept

    # -- variables ---------------------------------------------------------------------------------

    def _select(self) -> None:
        """The input that says which process moves."""
        if not self.tree.processes:
            return
        s, movers = self.translator.store, [self.tree.main, *self.tree.processes]
        if s.lookup(SELECTOR) is not None:
            raise InputError(
                f"{SELECTOR} is declared, and there are processes", self.tree.main.module.span
            )
        selector = s.var(SELECTOR, bitvec(max(1, (len(movers) - 1).bit_length())))
        self.inputs.append(selector)
        self.constraints.append(
            s.mk(Op.BVULT, (selector, s.const(len(movers), selector.sort)))
            if len(movers) < 1 << selector.sort.width
            else s.true
        )
        self.translator.running = {
            p: s.eq(selector, s.const(n, selector.sort)) for n, p in enumerate(movers)
        }

    def _variables(
        self, assignments: dict[tuple[Scalar, str], list[tuple[Assignment, Instance]]]
    ) -> None:
        """Which variables are state and which are input; those with a value in every state are
        neither.
        """
        t, later = self.translator, self.translator.later
        t.assigned = {
            v: (a.value, i, a.span)
            for (v, kind), ((a, i), *_) in assignments.items()
            if kind == "now"
        }
        for v in self.tree.variables:
            x = t.now[v]
            if v in t.assigned and self._determined(v, x):
                continue
            (self.inputs if v.kind == "IVAR" else self.state).append(x)
            limit = t.ops.domain(v.type, x, v.span)
            if limit is not None:
                self.constraints.append(limit)
                self.domains.append(limit)
                after = t.ops.domain(v.type, later[v], v.span)
                assert after is not None
                self.domains.append(after)
            if v.kind == "FROZENVAR":
                self.following[x] = Following(x, v.span)

    def _determined(self, v: Scalar, x: Term) -> bool:
        """Does the assignment of a variable say its one value? If not, it is a constraint."""
        t = self.translator
        span, value = t.assigned[v][2], t.current(v)
        self._fits(value, v.type, span)
        self._about(self._terms(value), "an assignment of a current value", span, False)
        if isinstance(value, Val):
            return True
        self.constraints.append(t.ops.member(Val(v.type, x), value, span))
        return False

    def _terms(self, value: Value) -> list[Term]:
        match value:
            case Val():
                return [value.term]
            case Pick():
                return [t for p in value.parts for t in self._terms(p)]
            case Either():
                return [value.condition, *self._terms(value.then), *self._terms(value.other)]
        return []

    # -- assignments -------------------------------------------------------------------------------

    def _assignments(self) -> dict[tuple[Scalar, str], list[tuple[Assignment, Instance]]]:
        """The assignments of each variable and kind; double ones are refused."""
        out: dict[tuple[Scalar, str], list[tuple[Assignment, Instance]]] = {}
        for instance in self.tree.instances:
            for a in instance.module.assignments:
                v = self.tree.symbol(a.target, instance)
                if not isinstance(v, Scalar):
                    raise InputError("only a variable can be assigned", a.span)
                if v.kind == "IVAR" or (v.kind == "FROZENVAR" and a.kind != "init"):
                    what = "an input" if v.kind == "IVAR" else "frozen"
                    raise InputError(f"{v.name} is {what}: it cannot be assigned", a.span)
                found = out.setdefault((v, a.kind), [])
                if found and (
                    a.kind != "next" or instance.process in [i.process for _, i in found]
                ):
                    raise InputError(
                        f"{v.name} is assigned twice, first in line {found[0][0].span.line}", a.span
                    )
                found.append((a, instance))
        for (v, kind), found in out.items():
            if kind != "now" and (v, "now") in out:
                raise InputError(
                    f"{v.name} is assigned its current value, so that no first or next value can be",
                    found[0][0].span,
                )
        return out

    def _start(self, v: Scalar, a: Assignment, scope: Instance) -> None:
        t = self.translator
        value = t.value(a.value, scope)
        self._fits(value, v.type, a.span)
        self._about(self._terms(value), "init", a.span, False)
        self.init.append(t.ops.member(Val(v.type, t.now[v]), value, a.span))

    def _step(self, v: Scalar, found: list[tuple[Assignment, Instance]]) -> None:
        """The next value, by the process whose turn it is; a process that does not assign leaves
        the value as it is.
        """
        t, x = self.translator, self.translator.now[v]
        out = x
        for a, scope in reversed(found):
            value = t.value(a.value, scope)
            self._fits(value, v.type, a.span)
            chosen = self._chosen(value, v, a.span)
            turn = t.running.get(scope.process or self.tree.main)
            out = chosen if turn is None else t.store.ite(turn, chosen, out)
        self.following[x] = Following(out, found[0][0].span)

    def _fits(self, value: Value, t: Type, span: Span) -> None:
        """A value outside its variable's type is an obligation, or refused where the types
        show it.
        """
        ops = self.translator.ops
        match value:
            case Val():
                ops.common(value.type, t, span)
                if isinstance(value.type, Real) and isinstance(t, Numbers):
                    raise InputError(f"a value of {t} is needed, not of real", span)
                if not covers(t, value.type):
                    bad = ops.store.not_(ops.inside(value, t, span))
                    self.translator.must_not(bad, f"a value outside {t} is assigned", span)
            case Between():
                numbers = range(value.low, value.high + 1)
                within = (
                    isinstance(t, Symbols)
                    and len(numbers) <= len(t.values)
                    and all(n in t.values for n in numbers)
                )
                if not within and not covers(t, Numbers(value.low, value.high)):
                    raise InputError(f"{value.low}..{value.high} is not within {t}", span)
            case Pick():
                for p in value.parts:
                    self._fits(p, t, span)
            case Either():
                for guard, part in (
                    (value.condition, value.then),
                    (ops.store.not_(value.condition), value.other),
                ):
                    self.translator.under(guard, partial(self._fits, part, t, span))

    def _chosen(self, value: Value, v: Scalar, span: Span) -> Term:
        """The value as a term; inputs choose among several."""
        t, s = self.translator, self.translator.store
        match value:
            case Val():
                return t.ops.cast(value, v.type, span)
            case Either():
                return s.ite(
                    value.condition,
                    self._chosen(value.then, v, span),
                    self._chosen(value.other, v, span),
                )
            case Between():
                numbers = Numbers(value.low, value.high)
                choice = self._choice(v, numbers, span)
                return t.ops.cast(Val(numbers, choice), v.type, span)
        parts = [self._chosen(p, v, span) for p in value.parts]
        if len(parts) == 1:
            return parts[0]
        choice = self._choice(v, Numbers(0, len(parts) - 1), span)
        out = parts[-1]
        for n, part in reversed(list(enumerate(parts[:-1]))):
            out = s.ite(s.eq(choice, s.const(n, choice.sort)), part, out)
        return out

    def _choice(self, v: Scalar, t: Numbers, span: Span) -> Term:
        ops = self.translator.ops
        choice = ops.store.fresh(f"choice of {v.name}", ops.sort(t, span))
        self.inputs.append(choice)
        limit = ops.domain(t, choice, span)
        if limit is not None:
            self.constraints.append(limit)
        return choice

    def _circular_starts(
        self, assignments: dict[tuple[Scalar, str], list[tuple[Assignment, Instance]]]
    ) -> None:
        """Refuse first values that depend on each other."""
        t = self.translator
        starts = {
            t.now[v]: (v, found[0]) for (v, kind), found in assignments.items() if kind == "init"
        }
        needs = {
            x: [y for y in free_vars(*self._terms(t.value(a.value, scope))) if y in starts]
            for x, (_, (a, scope)) in starts.items()
        }
        for x in _cycle(needs):
            v, (a, _) = starts[x]
            raise InputError(f"the first value of {v.name} depends on itself", a.span)

    # -- sections ----------------------------------------------------------------------------------

    def _section(self, section: Section, scope: Instance) -> None:
        t, kind = self.translator, section.kind
        found = [t.boolean(e, scope) for e in section.formulas]
        if kind != "TRANS":
            self._about(found, kind, section.span, kind in ("FAIRNESS", "COMPASSION"))
        match kind:
            case "INIT":
                self.init += conjuncts(found[0])
            case "TRANS":
                self.steps += conjuncts(found[0])
            case "INVAR":
                self.constraints += conjuncts(found[0])
            case "FAIRNESS":
                self.fairness += found
            case "COMPASSION":
                self.compassion.append((found[0], found[1]))

    def _about(self, formulas: list[Term], what: str, span: Span, inputs: bool) -> None:
        """Formulas about one state: next values are refused, and inputs unless they are allowed."""
        t = self.translator
        later = set(t.later.values())
        now = {t.now[v] for v in self.tree.variables if v.kind == "IVAR"}
        for v in free_vars(*formulas):
            if v in later:
                raise InputError(f"a next value cannot stand in {what}", span)
            if not inputs and (v in now or v.name == SELECTOR):
                raise InputError(f"the input {v.name} cannot stand in {what}", span)

    # -- functions ---------------------------------------------------------------------------------

    def functions(self) -> tuple[dict[Term, Term], list[Term]]:
        """Next values of all state variables over state and inputs, and what is left that a step
        must satisfy.
        """
        s = self.translator.store
        primed = {s.var(f"{x.name}'", x.sort): x for x in self.state}
        filters = self._equations(primed)
        for x in self.state:
            if x not in self.following:
                self.following[x] = Following(self._free(x), Span())
        order = self._ordered(primed, filters)
        next_: dict[Term, Term] = {}
        for x in order:
            later = [y for y in free_vars(self.following[x].term) if y in primed]
            known = Substitution({y: next_[primed[y]] for y in later})
            next_[x] = known(self.following[x].term) if later else self.following[x].term
        return {x: next_[x] for x in self.state}, filters

    def _free(self, x: Term) -> Term:
        fresh = x.store.fresh(f"next {x.name}", x.sort)
        self.inputs.append(fresh)
        return fresh

    def _equations(self, primed: dict[Term, Term]) -> list[Term]:
        """Next values that TRANS says; the formulas that say something else are left."""
        left: list[Term] = []
        for f in self.steps:
            for y, e in readings(f):
                if y in primed and primed[y] not in self.following and y not in free_vars(e):
                    self.following[primed[y]] = Following(e, Span(), f)
                    break
            else:
                left.append(f)
        return left

    def _ordered(self, primed: dict[Term, Term], filters: list[Term]) -> list[Term]:
        """The state variables such that each next value needs only earlier ones; an equation of
        TRANS on a cycle becomes a filter again, a cycle of assignments is refused.
        """
        while True:
            needs = {
                x: [primed[y] for y in free_vars(f.term) if y in primed]
                for x, f in self.following.items()
            }
            cycle = _cycle(needs)
            if not cycle:
                return _sorted(needs)
            loose = next((x for x in cycle if self.following[x].filter is not None), None)
            if loose is None:
                raise InputError(
                    f"the next value of {cycle[0].name} depends on itself",
                    self.following[cycle[0]].span,
                )
            formula = self.following[loose].filter
            assert formula is not None
            filters.append(formula)
            self.following[loose] = Following(self._free(loose), Span())


def _cycle(needs: dict[Term, list[Term]]) -> list[Term]:
    """Some that need each other in a circle; empty: none do."""
    left = dict(needs)
    ready = True
    while left and ready:
        ready = False
        for x in [x for x, ys in left.items() if not any(y in left for y in ys)]:
            del left[x]
            ready = True
    if not left:
        return []
    path = [next(iter(left))]
    while True:
        y = next(y for y in left[path[-1]] if y in left)
        if y in path:
            return path[path.index(y) :]
        path.append(y)


def _sorted(needs: dict[Term, list[Term]]) -> list[Term]:
    """All, each after what it needs. Requires: no cycle."""
    out: dict[Term, None] = {}
    stack = [(x, False) for x in reversed(needs)]
    while stack:
        x, done = stack.pop()
        if done:
            out[x] = None
        elif x not in out:
            stack.append((x, True))
            stack += [(y, False) for y in needs[x] if y not in out]
    return list(out)
