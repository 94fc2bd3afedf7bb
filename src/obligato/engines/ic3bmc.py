"""`ic3bmc`: Boolean IC3 and bounded model checking by turns, in one process: what `verify` does with hardware by default.

IC3 proves and finds deep violations, BMC finds shallow ones that need much search. The two are `engines/ic3`; this is that
engine with its option `bounded` on. Turns are counted in questions, so that a seed reproduces a run.

A system with arrays that are too large to be expanded to bits is left to k-induction, which leaves arrays to the solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from obligato.engines import ic3
from obligato.engines.options import option
from obligato.models.ts_arrays import expandable

if TYPE_CHECKING:
    from obligato.engines.environment import Environment
    from obligato.models.transition_system import TransitionSystem
    from obligato.results.outcome import SystemResult

__all__ = ["Options", "prove"]


@dataclass(frozen=True, slots=True)
class Options(ic3.Options):
    """The options of Boolean IC3."""

    bounded: int = option(2000, "questions after which bounded model checking gets a turn; 0: never", "[BCCZ99]", low=0)


def prove(system: TransitionSystem, options: Options, env: Environment) -> SystemResult:
    """Run Boolean IC3 with bounded model checking on a system."""
    if expandable(system, options.array_bits):
        return ic3.prove(system, options, env)
    from obligato.engines import kinduction

    env.event("k-induction", why="large arrays")
    return kinduction.prove(system, kinduction.Options(), env)
