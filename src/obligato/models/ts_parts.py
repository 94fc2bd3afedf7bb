"""Parts of a transition system that have nothing to do with each other,
each with its part of what is to be proved.

The properties together are a conjunction (of negated disjunctions, too: "no counter is too large").
Variables are connected if both are in one conjunct of the transition relation, of the initial
condition, of the constraints or of the properties. What is connected is a part: a system of its
own, and a run of the whole is a run of each part as far as its variables go. So invariants of all
parts are together one of the whole. A run of a part that violates its property is part of a run of
the whole that does if the other parts cannot stop it (`exact`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional
from obligato.models.ts_reduce import are_definitions
from obligato.terms import Op, Term, TermStore, conjuncts, postorder


def independent_parts(system: TransitionSystem) -> list[TransitionSystem]:
    """The parts; the system alone if it has no property, or something in it has no variable."""
    store, next_ = system.store, system.next
    if (
        next_ is not None and system.trans is not functional(store, next_)
    ) or not system.properties:
        return [system]
    claims = [c for p in system.assertions for c in cases(store, p.formula)]
    starts, always = conjuncts(system.init), [c for f in system.constraints for c in conjuncts(f)]
    steps = conjuncts(system.trans)
    classes = Classes((*system.state, *system.inputs))
    for x, y in system.primed.items():
        classes.connect([v for v in (classes.variable(x), classes.variable(y)) if v is not None])
    if any(classes.variable(f) is None for f in (*claims, *starts, *always, *steps)):
        return [system]
    return _parts(system, classes, claims, {"init": starts, "trans": steps, "constraints": always})


def exact(system: TransitionSystem) -> bool:
    """Are the runs of a part those of the whole? Only if no other part may exclude them: it has
    runs of every length, since it has no constraints, next-state functions, and initial conditions
    that are definitions."""
    return (
        system.next is not None
        and not system.constraints
        and are_definitions(conjuncts(system.init))
    )


def _parts(
    system: TransitionSystem,
    classes: Classes,
    claims: list[Term],
    formulas: Mapping[str, list[Term]],
) -> list[TransitionSystem]:
    """The classes of variables about which a property says something, each as a system."""
    store, next_ = system.store, system.next
    grouped = {name: classes.grouped(fs) for name, fs in formulas.items()}
    state, inputs = classes.grouped(system.state), classes.grouped(system.inputs)
    out = []
    for number, fs in classes.grouped(claims).items():
        own = {name: groups.get(number, []) for name, groups in grouped.items()}
        variables = state.get(number, [])
        values = None if next_ is None else {x: next_[x] for x in variables if x in next_}
        out.append(
            replace(
                system,
                state=tuple(variables),
                inputs=tuple(inputs.get(number, ())),
                init=store.and_(*own["init"]),
                trans=store.and_(*own["trans"]) if values is None else functional(store, values),
                next=values,
                constraints=tuple(own["constraints"]),
                predicates=(),
                properties=(Assertion(system.properties[0].name, store.and_(*fs)),),
            )
        )
    return out


def cases(store: TermStore, formula: Term) -> list[Term]:
    """The conjuncts of a formula, also of negated disjunctions."""
    out: dict[Term, None] = {}
    stack = [formula]
    while stack:
        f = stack.pop()
        if f.op is Op.AND:
            stack.extend(reversed(f.args))
        elif f.op is Op.NOT and f.args[0].op is Op.OR:
            stack.extend(store.not_(a) for a in reversed(f.args[0].args))
        else:
            out[f] = None
    return list(out)


class Classes:
    """Classes of connected variables (union-find with path halving)."""

    def __init__(self, variables: Iterable[Term] = ()) -> None:
        self._above = {v: v for v in variables}
        self._seen: dict[Term, None] = {}
        # of each term that was looked at one of the class of its variables
        self._variable: dict[Term, Term | None] = {}

    def _root(self, v: Term) -> Term:
        above = self._above
        while above[v] is not v:
            above[v] = above[above[v]]
            v = above[v]
        return v

    def connect(self, variables: Iterable[Term]) -> None:
        """Put all of them into one class."""
        roots = [self._root(v) for v in variables]
        for r in roots[1:]:
            self._above[self._root(r)] = self._root(roots[0])

    def variable(self, term: Term) -> Term | None:
        """Put all variables of a term into one class; one of that class is returned, None if it has none."""
        one = self._variable
        for t in postorder((term,), self._seen):
            if t.op is Op.VAR:
                one[t] = self._above.setdefault(t, t)
                continue
            own = [v for a in t.args if (v := one[a]) is not None]
            if own and own.count(own[0]) < len(own):
                self.connect(own)
            one[t] = self._root(own[0]) if own else None
        return one[term]

    def grouped(self, terms: Iterable[Term]) -> dict[Term, list[Term]]:
        """The terms that have variables by the class of these."""
        out: dict[Term, list[Term]] = {}
        for t in terms:
            v = self.variable(t)
            if v is not None:
                out.setdefault(self._root(v), []).append(t)
        return out
