"""The search for what a witness of a violation says: first the one run that its numbers suggest,
then any search.

Most witnesses have a number for each call of the environment. Then nothing has to be found, and the
run is judged as if an engine had found it: what the witness says is in the program that it runs
(`api.witness_check`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from obligato.api.cfa_search import CfaSearch, Search
from obligato.api.scripts import TrialSearch
from obligato.engines.guided import suggested
from obligato.frontends.c.markers import RESULT, Kind
from obligato.frontends.c.witness import Witness
from obligato.program.syntax import Program
from obligato.results.outcome import PropertyVerdict, Verdict

if TYPE_CHECKING:
    from obligato.api.pipeline import Run

_NUMBER = re.compile(rf"{re.escape(RESULT)}\s*==\s*\(?(-?\d+)[uUlL]*( - 1)?\)?")


class GuidedSearch:
    """The search for one property of a program that has the markers of a witness in it, after the
    suggested run.
    """

    def __init__(
        self, run: Run, property: str, program: Program, witness: Witness, then: Search
    ) -> None:
        self.run, self.property, self.program = run, property, program
        self.witness, self.then = witness, then

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks about how the input was read."""
        return self.then.notes

    def decide(self) -> PropertyVerdict:
        """FALSE by the run that the witness suggests, if it is one; else the verdict of the search
        without the witness.
        """
        found = self._suggested()
        return self.then.decide() if found is None or found.verdict is not Verdict.FALSE else found

    def _suggested(self) -> PropertyVerdict | None:
        if self.run.pipeline.addresses != "any":
            return None
        self.run.stage("prove")
        script = suggested(self.program, list(numbers(self.witness)), self.run.clock.over)
        if script is None:
            return None
        then = self.then
        usual = (lambda: then) if isinstance(then, CfaSearch) else None
        return TrialSearch(self.run, self.property, self.program, usual).told(script)

    def judge(self, data: Mapping[str, Any], file: str) -> PropertyVerdict:
        """What the trace in the JSON object `data` is worth."""
        return self.then.judge(data, file)


def numbers(witness: Witness) -> Iterator[tuple[int, int]]:
    """The numbers that calls return, with the lines where they are."""
    for m in witness.markers:
        found = _NUMBER.fullmatch(m.text) if m.kind is Kind.RETURN and m.follow else None
        if found is not None:
            yield m.line, int(found[1]) - bool(found[2])
