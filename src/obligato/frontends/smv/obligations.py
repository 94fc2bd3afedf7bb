"""Questions about a model that a solver must answer before it means anything.

`discharge`: is something possible that the language forbids (a case without a true condition, a
value outside its range)? As in NuSMV all values of all variables count, reached or not. `stuck`: is
there a state without a successor? It is searched by guessing inputs that always work: for a state
that no guess so far serves, either some inputs do, and these are the next guess, or none do. The
number of guesses is limited, so the answer may be "not known".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from obligato.errors import InputError
from obligato.frontends.smv.translate import Obligation
from obligato.models.transition_system import TransitionSystem
from obligato.smt import SAT, UNSAT
from obligato.smt.factory import solver_factory, sorts_in
from obligato.terms import Term, TermStore, Value, default_value, free_vars, substitute

BUDGET = 20_000  # conflicts or steps of the solver for one question
GUESSES = 40
MAX_SHOWN = 8  # variables of a state in a message


def discharge(
    obligations: Sequence[Obligation], domains: Sequence[Term], show: Callable[[str, Value], str]
) -> None:
    """Refuse the model if something forbidden is possible within the domains, or nobody knows that
    it is not.
    """
    s, memo = TermStore(), dict[Term, Term]()
    known = [s.import_term(d, memo) for d in domains]
    limits = {v: d for d in known for v in free_vars(d)}
    open_ = [(o, s.import_term(o.bad, memo)) for o in obligations]
    open_ = [(o, bad) for o, bad in open_ if bad is not s.false]
    for o, bad in open_:
        solver = solver_factory(sorts_in(bad))()
        variables = free_vars(bad)
        for d in dict.fromkeys(limits[v] for v in variables if v in limits):
            solver.add(d)
        solver.add(bad)
        # domains and the forbidden: unsat - it is impossible; sat - refused with the values; else
        # refused   (required)
        answer = solver.check([], budget=BUDGET)
        if answer is SAT:
            model = solver.model_of(variables)
            values = ", ".join(
                f"{v.name} = {show(v.name, model[v])}"
                for v in list(variables)[:MAX_SHOWN]
                if v in model
            )
            raise InputError(o.message + (f", where {values}" if values else ""), o.span)
        if answer is not UNSAT:
            raise InputError(f"it could not be shown that this is impossible: {o.message}", o.span)


def stuck(system: TransitionSystem) -> Mapping[Term, Value] | bool | None:
    """A state that satisfies the constraints and has no successor; None: there is none; False: not
    known.

    Requires: the system has next-state functions.
    """
    s = TermStore()
    state, choices, here, step = _step(system, s)
    make = solver_factory(sorts_in(step, here))
    searching, asking = make(), make()
    searching.add(here)
    asking.add(step)
    for _ in range(GUESSES):
        # a state that satisfies the constraints and that no guess serves: unsat - every state has a
        # successor   (heuristic)
        found = searching.check([], budget=BUDGET)
        if found is not SAT:
            return None if found is UNSAT else False
        model = searching.model_of(state)
        values = {x: model.get(x, default_value(x.sort)) for x in state}
        fixed = [s.eq(x, s.const(v, x.sort)) for x, v in values.items()]
        # this state and a step: unsat - it has no successor; sat - the inputs are the next guess
        # (heuristic)
        answer = asking.check(fixed, budget=BUDGET)
        if answer is not SAT:
            stays = {y: values[x] for x, y in zip(state, system.state, strict=True)}
            return stays if answer is UNSAT else False
        guess = asking.model_of(choices)
        chosen = {i: s.const(guess.get(i, default_value(i.sort)), i.sort) for i in choices}
        searching.add(s.not_(substitute(step, chosen)))
    return False


def _step(system: TransitionSystem, s: TermStore) -> tuple[list[Term], list[Term], Term, Term]:
    """In another store: the state; the inputs now and after a step; that the constraints hold in a
    state, for some inputs; that a step leads to such a state.
    """
    memo: dict[Term, Term] = {}
    state = [s.import_term(x, memo) for x in system.state]
    inputs = [s.import_term(x, memo) for x in system.inputs]
    here = s.and_(*(s.import_term(c, memo) for c in system.constraints))
    later = {i: s.var(f"{i.name}@later", i.sort) for i in inputs}
    next_ = {
        x: s.import_term(system.next[y], memo)  # type: ignore[index]
        for x, y in zip(state, system.state, strict=True)
    }
    after = substitute(here, {**next_, **later})
    primed = {s.var(f"{x.name}'", x.sort): e for x, e in next_.items()}
    step = s.and_(here, substitute(s.import_term(system.trans, memo), primed), after)
    own = {i: s.var(f"{i.name}@own", i.sort) for i in inputs}
    return state, [*inputs, *later.values()], substitute(here, own), step
