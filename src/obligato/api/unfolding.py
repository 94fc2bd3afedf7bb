"""Recursive programs with their calls inlined to a depth: first a small one, then deeper ones,
while that is cheap.

If calls cannot nest deeper (the limits that inlining adds are not reached), a proof about the
inlined program is one about the program, and the depth is an option of the outcome (`unfold`), so
that the claim is checked on the same inlined program. Errors count anyway: their runs are replayed
with calls. Bounded model checking searches, by itself limited in steps; if it finds neither a proof
nor an error within its share of the time, nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from obligato.api.cfa_search import CfaSearch
from obligato.api.pipeline import Run
from obligato.errors import ResourceOut, Unsupported
from obligato.results.outcome import PropertyVerdict, Verdict

DEPTHS = (2, 4, 6, 9, 14, 22, 35, 50)
EDGES = 20_000  # of an inlined program
BLOCKS = 400  # large blocks that a run may take
SHARE = 0.3  # of the time
ENGINE = "bmc"


class Unfolding:
    """The search for one property; `inlined` makes that for the depth in the options of the run."""

    def __init__(self, run: Run, property: str, inlined: Callable[[], CfaSearch]) -> None:
        self.run, self.property, self.inlined = run, property, inlined

    def decide(self) -> PropertyVerdict | None:
        """A proof or an error, or None; then engine and options are those of before."""
        if not self.run.chooses_engine or self.run.pipeline.addresses != "any":
            return None
        engine = self.run.request.engine
        self.run.prefer(ENGINE)
        self.run.options = replace(self.run.options, bound=BLOCKS)
        asked = self.run.pipeline
        with self.run.clock.within(SHARE):
            for depth in DEPTHS:
                self.run.pipeline = replace(asked, unfold=depth)
                verdict = self._attempt()
                if verdict is None or verdict.verdict is not Verdict.UNKNOWN:
                    break
        if verdict is None or verdict.verdict is Verdict.UNKNOWN:
            self.run.prefer(engine)
            return None
        return verdict

    def _attempt(self) -> PropertyVerdict | None:
        """The verdict at one depth; None: deeper ones are not to be tried."""
        try:
            search = self.inlined()
            if len(search.model.cfa.edges) > EDGES:
                return None
            verdict = search.decide()
        except (ResourceOut, Unsupported):
            return None
        return (
            verdict
            if verdict.verdict is not Verdict.UNKNOWN
            or "calls nest deeper" in (verdict.reason or "")
            else None
        )
