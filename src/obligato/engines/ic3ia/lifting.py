"""Smaller cubes from a model of a step: which predicates have a part in it?

The model names a state x, a step and the target it reaches. `pre`, a cube of literals over the
state, is the projection of an implicant of the step: every state in it has such a step. Let p be
the abstract state of x, all predicates decided.

    q1    literals of p that imply a part of `pre` (an unsat core)
    q2    literals of p that are connected by common variables, directly or through others of p, to
          the rest of `pre`

Ensures: each abstract state a in q1 and q2 has an abstract step to the target. For: take a state of
a; give the variables connected to the rest their values in x. It satisfies q2 and the rest as x
does, the predicates of a that are not connected as before, q1 as it is part of both; so `pre`; and
it is still a state of a.  Where the predicates imply all of `pre`, this is lifting as Boolean IC3
has it, and q1 is all that remains.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from obligato.engines.environment import Environment
from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ts import Cube, cube_of
from obligato.smt import SAT, UNSAT
from obligato.smt.activation import ActivationSolver
from obligato.smt.implicant import implicant_of_all
from obligato.smt.projection import project
from obligato.terms import Term, Value, evaluate, free_vars


def preimage(
    step: Sequence[Term], hidden: Sequence[Term], model: Mapping[Term, Value]
) -> list[Term]:
    """Literals over what is not hidden that the model satisfies and that imply exists
    hidden. step.
    """
    return list(project(implicant_of_all(step, model), hidden, model, plain=True).literals)


class Lifting:
    """Shrinks abstract states; `solver` has no formulas of its own."""

    def __init__(self, predicates: Predicates, solver: ActivationSolver, env: Environment) -> None:
        self.predicates, self.solver, self.env = predicates, solver, env

    def shrink(self, state: int, pre: Sequence[Term]) -> Cube:
        """Requires: `state` is the abstract state of a state in which `pre` holds."""
        p = self.predicates
        known = {p.literal(n): n for n in p.cube(state)}
        kept = {known[x]: None for x in pre if x in known}
        rest = [x for x in pre if x not in known]
        rest = self._implied(known, rest, kept)
        kept.update(dict.fromkeys(self._connected(state, rest)))
        return cube_of(kept)

    def _implied(
        self, known: dict[Term, int], rest: list[Term], kept: dict[int, None]
    ) -> list[Term]:
        """Add to `kept` what implies literals of `rest`; the others are returned."""
        store, open_ = self.predicates.store, list[Term]()
        while rest:
            self.env.tick()
            # p and not rest: unsat - a core of p implies the rest; sat - literals that p does not
            # imply; unknown: perhaps none (heuristic)
            result = self.solver.check(
                list(known), temporary=[store.not_(store.and_(*rest))], kind="shrink"
            )
            if result is UNSAT:
                kept.update(dict.fromkeys(known[x] for x in self.solver.core() if x in known))
                return open_
            if result is not SAT:
                return open_ + rest
            model = self.solver.model_of(free_vars(*rest))
            memo: dict[Term, Value] = {}
            refuted = [x for x in rest if not evaluate(x, model, memo)]
            if not refuted:
                return open_ + rest
            open_ += refuted
            rest = [x for x in rest if x not in set(refuted)]
        return open_

    def _connected(self, state: int, rest: Sequence[Term]) -> list[int]:
        """The literals of the abstract state that share variables with `rest`, directly or through
        each other.
        """
        p = self.predicates
        reached, left, out = free_vars(*rest), list(range(1, len(p) + 1)), list[int]()
        grown = bool(reached)
        while grown:
            grown, still = False, list[int]()
            for n in left:
                if any(v in reached for v in p.variables[n]):
                    reached.update(dict.fromkeys(p.variables[n]))
                    out.append(n if state >> n & 1 else -n)
                    grown = True
                else:
                    still.append(n)
            left = still
        return out
