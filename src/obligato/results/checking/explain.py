"""Why does a state satisfy or violate a formula? A tree of paths, computed by evaluation from
bounds that were accepted.

A temporal formula that holds has a path: the state is in a cube that joined its lower bound, the
cube's inputs lead to the next state, and so on to a state where the second part holds, or into a
loop. (Each state is found in the earliest entry that has it, so that paths end.) For one that does
not hold there is nothing to show: the certificate proves that no path satisfies it. A linear
counterexample is the case of a single path. Limitation: the inner formula of a path is explained at
its end only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from obligato.models.ctl_claims import Bounds, CubeStep, Leads, Loops
from obligato.models.ltl import Formula
from obligato.models.transition_system import TransitionSystem
from obligato.results.checking.branching import Ledger
from obligato.results.values import to_json
from obligato.terms import Term, Value, default_value, evaluate, free_vars

MAX_PATH = 10_000
MAX_DEPTH = 30

State = Mapping[str, Value]


class Explainer:
    """Explanations by one accepted claim about a structure."""

    def __init__(self, system: TransitionSystem, claim: Bounds, ledger: Ledger) -> None:
        self.system, self.ledger = system, ledger
        self.sorts = {x.name: x.sort for x in (*system.state, *system.inputs)}
        self.steps: dict[Formula, list[CubeStep]] = {}
        for entry in claim.entries:
            if isinstance(entry, (Leads, Loops)):
                self.steps.setdefault(entry.formula, []).extend(
                    [entry.step] if isinstance(entry, Leads) else entry.steps
                )

    def tree(self, f: Formula, state: State, depth: int = 0) -> dict[str, Any]:
        """Why the state satisfies f or does not."""
        if f.op == "!":
            return self._negated(f, self.tree(f.args[0], state, depth))
        holds = self._holds(self.ledger.lower(f), state)
        node: dict[str, Any] = {"formula": str(f), "holds": holds, "because": "by evaluation"}
        if depth >= MAX_DEPTH:
            return {**node, "because": "proved"}
        if f.op == "&":
            chosen = [a for a in f.args if holds or not self._holds(self.ledger.upper(a), state)]
            parts = [self.tree(a, state, depth + 1) for a in (chosen if holds else chosen[:1])]
            return {
                **node,
                "because": "both parts hold" if holds else "a part does not hold",
                "parts": parts,
            }
        if f.op not in ("EX", "EU", "EG"):
            return node
        return (
            self._temporal(node, f, state, depth)
            if holds
            else {**node, "because": "no path does that"}
        )

    def _negated(self, f: Formula, inner: dict[str, Any]) -> dict[str, Any]:
        return {
            "formula": str(f),
            "holds": not inner["holds"],
            "because": "by the part below",
            "parts": [inner],
        }

    def _temporal(
        self, node: dict[str, Any], f: Formula, state: State, depth: int
    ) -> dict[str, Any]:
        states, moves, loop = self._walk(f, state)
        shown = [
            self._shown(s, states[n - 1] if n else None, moves[n] if n < len(moves) else {})
            for n, s in enumerate(states)
        ]
        out = {**node, "because": "by this path", "path": shown}
        if f.op == "EG":
            return {**out, "loop": loop}
        last = f.args[-1]
        return {**out, "parts": [self.tree(last, states[-1], depth + 1)]}

    def _walk(self, f: Formula, state: State) -> tuple[list[State], list[State], int | None]:
        """The path of a temporal formula that holds:
        states, inputs, and where its loop begins (EG)."""
        states, moves = [state], list[State]()
        seen: dict[tuple[Any, ...], int] = {}
        while len(states) < MAX_PATH:
            now = states[-1]
            if f.op == "EU" and self._holds(self.ledger.lower(f.args[1]), now):
                break
            if f.op == "EX" and moves:
                break
            step, number = self._step(f, now)
            key = (number, *now.values())
            if f.op == "EG" and key in seen:
                return states[:-1], moves, seen[key]
            seen[key] = len(states) - 1
            inputs = {
                i.name: step.inputs.get(i.name, default_value(i.sort)) for i in self.system.inputs
            }
            moves.append(inputs)
            states.append(self._next(now, inputs, step))
        return states, moves, None

    def _step(self, f: Formula, state: State) -> tuple[CubeStep, int]:
        for n, step in enumerate(self.steps.get(f, ())):
            if self._holds(step.cube, state):
                return step, n
        raise AssertionError("a state of a lower bound is in none of its cubes")

    def _next(self, state: State, inputs: State, step: CubeStep) -> State:
        system = self.system
        if system.next is None:
            return {x.name: step.follows[x.name] for x in system.state}
        now = {x: state[x.name] for x in system.state} | {i: inputs[i.name] for i in system.inputs}
        memo: dict[Term, Any] = {}
        return {x.name: evaluate(e, now, memo) for x, e in system.next.items()}

    def _holds(self, formula: Term, state: State) -> bool:
        return bool(evaluate(formula, {v: state[v.name] for v in free_vars(formula)}))

    def _shown(self, state: State, before: State | None, inputs: State) -> dict[str, Any]:
        """A step of a path: what has changed of the state, and the inputs."""
        changed = {name: v for name, v in state.items() if before is None or before[name] != v}
        return {"state": self._json(changed), "inputs": self._json(inputs)}

    def _json(self, values: State) -> dict[str, Any]:
        return {name: to_json(v, self.sorts[name], False) for name, v in values.items()}
