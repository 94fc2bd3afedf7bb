"""What an obligation of CTIGAR holds beside cube, level and mark [BBW14, 3.2], and concrete states
as formulas.

The paper's obligation is <s^, [s,] i, n>: the abstract CTI s^ is the obligation's cube, i its
level, n its `spurious`, and s its `state`, there exactly where lifting failed. `Cti` is the
obligation's `move`: how the state goes on. It has the state in any case, since after a refinement
it is abstracted anew, and since CCE and CCL ask its consecution even if it was lifted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from obligato.engines.ic3ts import Obligation, Reached
from obligato.engines.ic3ts.cube import ConcreteState
from obligato.errors import InternalError
from obligato.models.transition_system import TransitionSystem
from obligato.terms import Term, Value, evaluate


class Found(Reached):
    """A model of a failed query, read: the CTI and its step.

    `into_state`: the step ends in the concrete state of the obligation that was asked about (the
    CTI is a t_c), else somewhere in its cube (a t_a). `caf`: the step is spurious, for the concrete
    query succeeds relative to F_caf.
    """

    __slots__ = ("caf", "into_state", "model")

    def __init__(
        self,
        state: int,
        model: Mapping[Term, Value],
        into_state: bool = False,
        caf: int | None = None,
    ) -> None:
        super().__init__(state)
        self.model, self.into_state, self.caf = model, into_state, caf


@dataclass(frozen=True, slots=True)
class Cti:
    """The concrete CTI of an obligation and its step. `pre` is a cube of literals that the state
    satisfies; every state in it steps as the state does: to the parent's concrete state if
    `into_state`, else into its cube (violates a property, without parent). `caf`: that step is
    spurious, since the parent's own state passed consecution relative to F_caf.
    """

    state: ConcreteState
    pre: tuple[Term, ...]
    into_state: bool
    caf: int | None
    lifted: bool
    failures: int  # lifting failures on the trace that starts here


def cti(obligation: Obligation) -> Cti:
    """The CTI of an obligation."""
    move = obligation.move
    if not isinstance(move, Cti):
        raise InternalError("an obligation of CTIGAR without its CTI")
    return move


def state_of(system: TransitionSystem, model: Mapping[Term, Value]) -> dict[Term, Value]:
    """The state before the step; what the model leaves open takes its sort's default, which the
    query allows.
    """
    return {x: evaluate(x, model) for x in system.state}


def equations(state: ConcreteState, names: Mapping[Term, Term] | None = None) -> list[Term]:
    """The state as a cube of equations, about the variables that `names` gives."""
    return [
        x.store.eq(x if names is None else names[x], x.store.const(v, x.sort))
        for x, v in state.items()
    ]
