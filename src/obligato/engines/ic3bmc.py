"""`ic3bmc`: Boolean IC3 and bounded model checking by turns, in one process: what `verify` does
with hardware by default.

IC3 proves and finds deep violations, BMC finds shallow ones that need much search. The two are
`engines/ic3`; this is that engine with its option `bounded` on. Turns are counted in work, so that
a seed reproduces a run.

A system with arrays that are too large to be expanded to bits is left to IC3 on watched cells
(`ic3arrays`), and what that does not decide, or cannot read, to k-induction, which leaves arrays to
the solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from obligato.engines import ic3
from obligato.engines.options import option
from obligato.models.ts_arrays import expandable
from obligato.models.ts_cells import watchable
from obligato.results.outcome import SystemResult, Verdict

if TYPE_CHECKING:
    from obligato.engines.environment import Environment
    from obligato.models.transition_system import TransitionSystem

__all__ = ["Options", "prove"]


@dataclass(frozen=True, slots=True)
class Options(ic3.Options):
    """The options of Boolean IC3."""

    bounded: int = option(
        2000,
        "questions after which bounded model checking gets a turn; 0: never",
        "[BCCZ99]",
        low=0,
    )


def prove(system: TransitionSystem, options: Options, env: Environment) -> SystemResult:
    """Run Boolean IC3 with bounded model checking on a system."""
    if expandable(system, options.array_bits):
        return ic3.prove(system, options, env)
    if watchable(system):
        from obligato.engines import ic3arrays

        env.event("ic3arrays", why="large arrays")
        result = ic3arrays.prove(system, ic3arrays.Options(), env)
        if result.verdict is not Verdict.UNKNOWN or not (result.reason or "").startswith(
            ic3arrays.INCOMPLETE
        ):
            return result
    from obligato.engines import kinduction

    env.event("k-induction", why="large arrays")
    return kinduction.prove(system, kinduction.Options(), env)
