"""Which assertions, assumptions and branches does a run reach (`--cover`)? A proof about what no
run reaches says nothing.

*Reached* has a trace that the interpreter replayed on the program, *not reached* a certificate that
was accepted. One trace shows all that it passes, and one certificate proves all that is left; only
where neither is found each is searched alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from obligato.api.cfa_search import CfaSearch, Loaded
from obligato.api.describe import statement
from obligato.api.names import Names
from obligato.errors import ResourceOut
from obligato.models.observing import (
    BRANCH,
    Key,
    Observation,
    before,
    observations,
    observed,
    passed,
)
from obligato.reports.text import Sources
from obligato.results.outcome import PropertyVerdict, ReachReport, TraceReport, Verdict

if TYPE_CHECKING:
    from obligato.api.pipeline import Run
    from obligato.models.cfa import CFA

COVER = "cover"
TOGETHER = 0.5  # of the time, for all together
WORDS = {Verdict.TRUE: "no", Verdict.FALSE: "yes", Verdict.UNKNOWN: "unknown"}


class Coverage:
    """The observations of one program, which `search` has read."""

    def __init__(self, run: Run, search: CfaSearch) -> None:
        self.run, self.search = run, search
        self.cfa = search.load_whole(search.addresses).cfa  # --each has narrowed the model
        self.found: dict[Key, PropertyVerdict] = {}
        # what is searched: the program, what edges observe
        self._made: dict[CFA, tuple[CFA, dict[int, Observation]]] = {}
        self.all = list(dict.fromkeys(o.key for o in observations(self.cfa)))

    def decide(self) -> tuple[ReachReport, ...]:
        """What is reached and what is not, in the order of the source."""
        while left := self._open():
            verdict, keys = self._searched(left, TOGETHER)
            if verdict.verdict is Verdict.UNKNOWN:
                break
            self._note(keys, verdict)
        left = self._open()
        for n, key in enumerate(left):
            if key not in self.found:
                verdict, keys = self._searched([key], 1 / (len(left) - n))
                self._note(keys, verdict)
        return self._reports()

    def _open(self) -> list[Key]:
        return [key for key in self.all if key not in self.found]

    def _searched(
        self, wanted: Sequence[Key], share: float
    ) -> tuple[PropertyVerdict, Sequence[Key]]:
        """Is one of these reached? Besides, what the answer is about: all of these, or what a run
        passes.
        """
        keys, asked = frozenset(wanted), self.search.asked
        with self.run.clock.within(share):
            try:
                self.run.pipeline = asked
                search = CfaSearch(
                    self.run, COVER, lambda addresses: self._observed(addresses, keys)
                )
                (verdict,) = self.run.within_limits([COVER], lambda: [search.decide()])
            except ResourceOut as out:
                return self.run.unknown(
                    COVER, "timeout" if self.run.clock.over() else out.resource
                ), wanted
        return verdict, wanted if verdict.trace is None else self._passed(
            search.model.cfa, verdict.trace
        )

    def _passed(self, cfa: CFA, trace: TraceReport) -> list[Key]:
        """What the run of a trace that was found on `cfa` passes."""
        whole, made = self._made[cfa]
        *edges, last = [s.edge for s in trace.steps]
        return list(dict.fromkeys((made[last].key, *(o.key for o in passed(whole, edges)))))

    def _observed(self, addresses: str, keys: frozenset[Key]) -> Loaded:
        whole = self.search.load_whole(addresses)
        cfa, made = observed(whole.cfa, keys)

        self._made[cfa] = (whole.cfa, made)
        return Loaded(cfa, lambda trace: whole.follow(before(trace, made)), whole.notes)

    def _note(self, keys: Sequence[Key], verdict: PropertyVerdict) -> None:
        for key in keys:
            self.found.setdefault(key, verdict)

    def _reports(self) -> tuple[ReachReport, ...]:
        names, sources = Names(self.cfa), Sources()
        shown = {o.key: o for o in observations(self.cfa)}
        reports = []
        for key in sorted(
            self.all, key=lambda k: (k[1].file != self.cfa.file, k[1].file, k[1].line, k[1].column)
        ):
            kind, span, _ = key
            edge = shown[key].edge if kind == BRANCH else None
            text = (
                sources.line(span.file, span.line)
                if edge is None
                else statement(edge, names, sources)
            )
            verdict = self.found[key]
            reports.append(
                ReachReport(
                    kind, span.file, span.line, text, WORDS[verdict.verdict], _evidence(verdict)
                )
            )
        return tuple(reports)


def _evidence(v: PropertyVerdict) -> str:
    if v.trace is not None:
        return f"a replayed run of {len(v.trace.steps)} steps"
    if v.certificate is not None:
        return f"a certificate accepted by {v.certificate.checker or 'the checker without a query'}"
    return v.reason or ""
