"""From claims about the Horn clauses of a recursive program to claims about the program.

A model gives contracts: a procedure requires what does not fail, and ensures how it exits. What it
requires is about values at its entry, so it holds at all its locations; and what it never changes
is as it was at the entry. A derivation of false gives a run: its steps in the order of execution,
where a call goes on with the callee's steps. No recursion on the depth of calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from obligato.models.cfa import Edge
from obligato.models.effect import path_effect
from obligato.models.gcl import Assign, walk
from obligato.models.horn import Derivation, DerivationStep, HornModel, Relation
from obligato.models.procedures import Contract, Contracts, ProcedureCFA, Script
from obligato.models.procedures_to_horn import Encoding, Origin
from obligato.terms import Term, Value, default_value
from obligato.terms.store import rebuild


def contracts_of(encoding: Encoding, model: HornModel) -> Contracts:
    """The contracts that a model of the clauses says."""
    made, store = {}, encoding.system.store

    def named(relation: Relation, variables: list[Term]) -> Term:
        d = model.definitions[relation.name]
        return rebuild(d.formula, store, dict(zip(d.parameters, variables, strict=True)))

    for p in encoding.program.all():
        r = encoding.relations[p.name]
        requires, ensures = store.true, store.true
        if not r.entry:
            olds = list(r.olds.values())
            requires = store.not_(named(r.fails, olds))
            ensures = named(r.exits, [*olds, *r.outputs])
        same = [store.eq(x, r.olds[x]) for x in r.stable]
        invariants = {
            n: store.and_(requires, *same, named(relation, r.variables(n)))
            for n, relation in r.at.items()
            if relation.name in model.definitions
        }
        made[p.name] = Contract(requires, ensures, invariants)
    return Contracts(made)


class Runs:
    """The run that a derivation of false stands for."""

    def __init__(self, encoding: Encoding, derivation: Derivation) -> None:
        self.encoding, self.steps = encoding, derivation.steps
        self.procedures = {p.name: p for p in encoding.program.all()}
        self.initial: dict[str, Value] = {}
        self.values: list[tuple[str, Value]] = []
        self.choices: list[int] = []
        self.limited = False  # the run uses an over-approximation or violates a limit only

    def script(self) -> Script:
        """The inputs and choices of the run."""
        stack: list[tuple[int, bool]] = [(len(self.steps) - 1, False)]
        while stack:
            number, ready = stack.pop()
            step = self.steps[number]
            origin = self.encoding.origins[step.clause]
            if not ready:
                callee = [(p, False) for p in step.premises[-1:]] if origin.call is not None else []
                before = [] if origin.begins else [(step.premises[0], False)]
                stack += [*callee, (number, True), *before]
            else:
                self._execute(origin, step)
        return Script(self.initial, tuple(self.values), tuple(self.choices))

    def _execute(self, origin: Origin, step: DerivationStep) -> None:
        p = self.procedures[origin.procedure]
        state = {x: self._value(step, v) for x, v in origin.start.items()}
        if origin.begins:
            self._begin(p, state)
        if origin.effect is None or origin.edge is None:
            return
        model = {**state, **{i: self._value(step, v) for i, v in origin.inputs.items()}}
        taken = path_effect(
            self.encoding.system.store, origin.edge.command, origin.effect.path_of(model)
        ).edges
        named = {v.name: value for v, value in model.items()}
        for edge in (p.cfa.by_id[n] for n in taken):
            self._edge(p, edge, named)

    def _begin(self, p: ProcedureCFA, state: Mapping[Term, Value]) -> None:
        named = {x.name: value for x, value in state.items()}
        if p is self.encoding.program.entry:
            self.initial = named
        else:
            self.values += [(x.name, named.get(x.name, default_value(x.sort))) for x in p.fresh]

    def _edge(self, p: ProcedureCFA, edge: Edge, named: Mapping[str, Value]) -> None:
        self.values += [
            (x.name, named.get(i.name, default_value(i.sort))) for x, i in _havocs(p, edge)
        ]
        if edge.choice is not None:
            self.choices.append(edge.choice)

    @staticmethod
    def _value(step: DerivationStep, v: Term) -> Value:
        return step.values.get(v.name, default_value(v.sort))


def _havocs(p: ProcedureCFA, edge: Edge) -> Iterator[tuple[Term, Term]]:
    """The variables that an edge gives any value, with the inputs that stand for it."""
    for c in walk(edge.command):
        if isinstance(c, Assign):
            yield from ((x, e) for x, e in c.pairs if e in p.cfa.input_set)
