"""A verdict about each single check of a property (`models.checks`), with as few searches as
possible.

All checks are proved together: one certificate is that of all. A run that fails one decides that
one, and the others are searched again without it. Only if nothing is found for all of them
together, each one without a verdict is searched alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from obligato.errors import ResourceOut
from obligato.models.checks import Check, checks, key_of
from obligato.results.outcome import CheckReport, PropertyVerdict, Verdict

if TYPE_CHECKING:
    from obligato.api.cfa_search import CfaSearch
    from obligato.api.pipeline import Run

TOGETHER = 0.5  # of the time, for all checks together


def report_of(property: str, check: Check) -> CheckReport:
    """A check of a property, for the user."""
    file, line, column, label, _ = check.key
    return CheckReport(property, file, line, column, label)


class EachCheck:
    """The checks of one property, which `search` is about."""

    def __init__(self, run: Run, search: CfaSearch) -> None:
        self.run, self.search = run, search
        self.checks = checks(search.model.cfa, search.property)
        self.found: dict[str, PropertyVerdict] = {}

    def decide(self) -> PropertyVerdict:
        """The verdict about the property; those about its checks are told to the run."""
        if not self.checks:
            return self.search.decide()
        self.run.also(self.search.property, [c.name for c in self.checks])
        self._together()
        left = self._open()
        for n, check in enumerate(left):
            if len(self.checks) > 1:
                self._alone(check, len(left) - n)
        return self._summary()

    def _open(self) -> list[Check]:
        return [c for c in self.checks if c.name not in self.found]

    def _together(self) -> None:
        """All checks without a verdict, until they are proved or nothing is found about them."""
        while left := self._open():
            verdict = self._searched(left, TOGETHER if len(left) > 1 else 1.0)
            if verdict.verdict is Verdict.UNKNOWN:
                if len(self.checks) == 1:
                    self._note(left[0], verdict)
                return
            self._share(left, verdict)

    def _alone(self, check: Check, left: int) -> None:
        self._share([check], self._searched([check], 1 / left))

    def _searched(self, wanted: Sequence[Check], share: float) -> PropertyVerdict:
        """What a search for these checks says, within its share of the time."""
        with self.run.clock.within(share):
            try:
                self.search.narrow(frozenset(c.key for c in wanted))
                (verdict,) = self.run.within_limits(
                    [self.search.property], lambda: [self.search.decide()]
                )
            except ResourceOut as out:
                reason = "timeout" if self.run.clock.over() else out.resource
                verdict = self.run.unknown(self.search.property, reason)
        return verdict

    def _share(self, wanted: Sequence[Check], verdict: PropertyVerdict) -> None:
        """A proof is one of all checks that were searched for, a run one of the check that it
        fails.
        """
        if verdict.verdict is Verdict.FALSE and verdict.trace is not None:
            cfa = self.search.model.cfa
            failed = key_of(cfa, cfa.by_id[verdict.trace.steps[-1].edge])
            wanted = [c for c in wanted if c.key == failed]
        assert wanted, "a run fails one of the checks that were searched for"
        for check in wanted:
            self._note(check, verdict)

    def _note(self, check: Check, verdict: PropertyVerdict) -> None:
        self.found[check.name] = replace(
            verdict, property=check.name, check=report_of(self.search.property, check)
        )
        self.run.found(self.found[check.name])

    def _summary(self) -> PropertyVerdict:
        """The verdict about the property: violated if one check is; proved if all are, by one
        certificate or by several.
        """
        found = [self.found[c.name] for c in self.checks]
        for verdict in (Verdict.FALSE, Verdict.UNKNOWN):
            first = next((v for v in found if v.verdict is verdict), None)
            if first is not None:
                return replace(first, property=self.search.property, check=None)
        one = found[0].certificate
        shared = one if all(v.certificate is one for v in found) else None
        return replace(found[0], property=self.search.property, check=None, certificate=shared)
