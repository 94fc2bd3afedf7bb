"""Is a claim about a small system what its definition (`models.ts_claims`) asks for? By listing
states and steps.
"""

from __future__ import annotations

from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemCertificate
from obligato.terms import Term, Value, evaluate, free_vars
from tests.support.systems import assignments, successors

State = tuple[Value, ...]
Step = tuple[State, State]


class Windows:
    """The states and steps of a system, seen with a claim whose variables have the names of the
    system's.
    """

    def __init__(self, system: TransitionSystem, claim: SystemCertificate) -> None:
        self.system, self.claim = system, claim
        self.names = [x.name for x in system.state]
        self.initial: set[State] = set()
        self.steps: set[Step] = set()  # that satisfy the constraints at their beginning
        self.good: set[Step] = set()  # and invariant and properties
        self.alive: set[State] = set()  # states with inputs that satisfy the constraints
        self.wrong: set[State] = set()  # of these, where invariant or a property fails
        for state in assignments(system.state):
            if evaluate(system.init, state):
                self.initial.add(tuple(state.values()))
            for inputs in assignments(system.inputs):
                self._list(state, inputs)

    def _list(self, state: dict[Term, Value], inputs: dict[Term, Value]) -> None:
        system, now, here = self.system, {**state, **inputs}, tuple(state.values())
        if not all(evaluate(c, now) for c in system.constraints):
            return
        self.alive.add(here)
        fine = self._holds(here) and all(evaluate(p.formula, now) for p in system.assertions)
        if not fine:
            self.wrong.add(here)
        after = {(here, tuple(s.values())) for s in successors(system, now, {})}
        self.steps |= after
        self.good |= after if fine else set()

    def _holds(self, state: State) -> bool:
        named = dict(zip(self.names, state, strict=True))
        return bool(
            evaluate(
                self.claim.invariant, {v: named[v.name] for v in free_vars(self.claim.invariant)}
            )
        )

    def _related(self, step: Step) -> bool:
        relation = self.claim.relation
        if relation is None:
            return True
        named = dict(zip(self.names, step[0], strict=True)) | dict(
            zip((f"{n}'" for n in self.names), step[1], strict=True)
        )
        return bool(evaluate(relation, {v: named[v.name] for v in free_vars(relation)}))

    def _ends_well(self, steps: set[Step]) -> bool:
        return all(
            b not in self.alive or (b not in self.wrong and self._related((a, b))) for a, b in steps
        )

    def inductive(self) -> bool:
        """Initiation and consecution."""
        return self._begins() and self._goes_on()

    def _begins(self) -> bool:
        states = self.initial & self.alive
        if states & self.wrong:
            return False
        for _ in range(self.claim.k - 1):
            steps = {(a, b) for a, b in self.steps if a in states}
            if not self._ends_well(steps):
                return False
            states = {b for _, b in steps} & self.alive
        return True

    def _goes_on(self) -> bool:
        states = self.alive
        for _ in range(self.claim.k - 1):
            states = {b for a, b in self.good if a in states and self._related((a, b))}
        return self._ends_well({(a, b) for a, b in self.good if a in states})
