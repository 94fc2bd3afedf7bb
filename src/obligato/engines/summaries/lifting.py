"""From facts to a derivation: values for all variables, by the clauses of the input.

A fact is a set; here one element after the other is asked for, from false downwards: the values of
an atom's arguments are elements that its fact has, so its rule derives them, by one of its
resolvents, which is made of clauses. Equal elements of one fact are derived once. No recursion:
derivations are as deep as the calls of a program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from obligato.engines.environment import Environment
from obligato.engines.summaries.engine import Refuted
from obligato.engines.summaries.facts import Fact
from obligato.engines.summaries.resolution import Resolvent
from obligato.errors import InternalError, ResourceOut, SolverFailure
from obligato.models.horn import Derivation, DerivationStep
from obligato.smt import SAT, UNKNOWN, SatResult, Solver
from obligato.smt.factory import Make
from obligato.smt.projection.witness import constant
from obligato.terms import Substitution, Term, Value, default_value, evaluate, free_vars

Values = tuple[Value, ...]
Key = tuple[int, Values]


@dataclass(slots=True)
class _Node:
    """An element to derive: the facts of the body, the resolvent with values,
    and the elements that its body needs."""

    resolvent: Resolvent
    model: dict[Term, Value]
    children: list[tuple[Fact, Values]]
    at: int = 0


class Lifting:
    """One derivation; `parameters` by relation.
    Of `makers` the next one is asked where a solver gives up."""

    def __init__(
        self, makers: Sequence[Make], env: Environment, parameters: dict[str, tuple[Term, ...]]
    ) -> None:
        self.makers, self.env, self.parameters = makers, env, parameters
        self.steps: list[DerivationStep] = []
        self.done: dict[Key, int] = {}

    def derivation(self, refuted: Refuted) -> Derivation:
        """The derivation of false."""
        stack: list[tuple[Key | None, _Node]] = [
            (None, self._node(refuted.rule.alternatives, (), refuted.premises))
        ]
        while stack:
            key, node = stack[-1]
            if node.at < len(node.children):
                fact, values = node.children[node.at]
                child = (id(fact), values)
                if child in self.done:
                    node.at += 1
                else:
                    stack.append((child, self._node(fact.rule.alternatives, values, fact.premises)))
                continue
            stack.pop()
            last = self._emit(node)
            if key is not None:
                self.done[key] = last
        return Derivation(tuple(self.steps))

    def _node(
        self, alternatives: tuple[Resolvent, ...], values: Values, premises: tuple[Fact, ...]
    ) -> _Node:
        """How the element with these values of the head's arguments is derived from elements of the
        premises."""
        for resolvent in alternatives:
            model = self._solve(resolvent, values, premises)
            if model is not None:
                memo: dict[Term, object] = {}
                children = [
                    (fact, tuple(evaluate(t, model, memo) for t in atom.args))
                    for (_, atom), fact in zip(resolvent.body, premises, strict=True)
                ]
                return _Node(resolvent, model, children)
        raise InternalError("a fact has an element that its rule does not derive")

    def _solve(
        self, r: Resolvent, values: Values, premises: tuple[Fact, ...]
    ) -> dict[Term, Value] | None:
        args = () if r.head is None else r.head.args
        formulas = [*r.constraints]
        formulas += [
            t.store.eq(t, constant(t.store, v, t.sort)) for t, v in zip(args, values, strict=True)
        ]
        for (_, atom), fact in zip(r.body, premises, strict=True):
            here = Substitution(dict(zip(self.parameters[fact.relation], atom.args, strict=True)))
            formulas.append(here(fact.formula))
        names = {
            **free_vars(*formulas),
            **{x: None for u in r.uses.values() for x in u.names.values()},
        }
        for _, atom in r.body:
            names.update(free_vars(*atom.args))
        for make in self.makers:
            answer, found = self._ask(make(), formulas, names)
            if answer is not UNKNOWN:
                return (
                    None
                    if answer is not SAT
                    else {v: found.get(v, default_value(v.sort)) for v in names}
                )
        raise ResourceOut("incomplete: a solver could not find the values of a derivation")

    def _ask(
        self, solver: Solver, formulas: list[Term], names: dict[Term, None]
    ) -> tuple[SatResult, dict[Term, Value]]:
        try:
            for f in formulas:
                solver.add(f)
            self.env.tick()
            # the resolvent derives this element from elements of the facts: sat - with these
            # values; unsat - another resolvent of the rule does   (required)
            answer = solver.check(kind="lift")
            return answer, solver.model_of(names) if answer is SAT else {}
        except SolverFailure:
            return UNKNOWN, {}
        finally:
            solver.close()

    def _emit(self, node: _Node) -> int:
        """The steps of the clauses that the resolvent is made of; the number of the last one."""
        holes = {
            k: self.done[(id(fact), values)]
            for (k, _), (fact, values) in zip(node.resolvent.body, node.children, strict=True)
        }
        uses = node.resolvent.uses
        stack = [0]
        while stack:
            use = uses[stack[-1]]
            open_ = [p for p in use.premises if p not in holes]
            if open_:
                stack += open_
                continue
            number = stack.pop()
            if number not in holes:
                values = {v.name: node.model[x] for v, x in use.names.items()}
                holes[number] = len(self.steps)
                self.steps.append(
                    DerivationStep(use.clause, values, tuple(holes[p] for p in use.premises))
                )
        return holes[0]
