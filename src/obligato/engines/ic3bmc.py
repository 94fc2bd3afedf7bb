"""`ic3bmc`: Boolean IC3 and bounded model checking by turns, in one process: what `verify` does with hardware by default.

IC3 proves and finds deep violations, BMC finds shallow ones that need much search. The two are `engines/ic3`; this is that
engine with its option `bounded` on. Turns are counted in questions, so that a seed reproduces a run.
"""

from __future__ import annotations

from dataclasses import dataclass

from obligato.engines import ic3
from obligato.engines.ic3 import prove
from obligato.engines.options import option

__all__ = ["Options", "prove"]


@dataclass(frozen=True, slots=True)
class Options(ic3.Options):
    """The options of Boolean IC3."""

    bounded: int = option(2000, "questions after which bounded model checking gets a turn; 0: never", "[BCCZ99]", low=0)
