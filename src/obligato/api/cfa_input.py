"""A program or Horn clauses: its properties one after the other, each with a search of its own;
claims that are checked again.

A program is read anew for each property, because its assertions are those of the property.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from obligato.api.cfa_search import CfaSearch, Search
from obligato.api.each_check import EachCheck, report_of
from obligato.api.remarks import remarks
from obligato.models.checks import AT, checks
from obligato.results.outcome import CheckReport, PropertyVerdict, Verdict

if TYPE_CHECKING:
    from obligato.api.pipeline import Run
    from obligato.frontends.c.witness import Witness

UNCOVERED = (
    "what runs reach was not looked at: the program is recursive, or the property about infinite"
    " runs"
)


class CfaInput:
    """A program or Horn clauses: the properties that are asked for, one after the other, each with
    a `search` of its own.
    """

    def __init__(self, run: Run, search: Callable[[Run, str], Search]) -> None:
        self.run, self.search = run, search
        self.asked, self.engine = run.pipeline, run.request.engine
        self._notes: dict[str, None] = {}
        self._programs: dict[str, CfaSearch] = {}
        self._known: dict[str, CheckReport] = {}  # the checks of the properties that were read

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks about how the input was read."""
        return tuple(self._notes)

    def read(self) -> None:
        """Only the names of properties: a program is read anew for each of them, when its turn
        comes.
        """
        self.run.ask(self.run.language.names(self.run.property))

    def decide(self) -> None:
        """Each property gets its share of the time that is left."""
        for name in tuple(self.run.open):
            self.run.decide(name, partial(self._verdict, name, self._decided))
        if self.run.request.cover:
            self._cover()

    def _cover(self) -> None:
        """What runs reach, of the program as it was read for the first property that has assertions
        in it.
        """
        search = next(iter(self._programs.values()), None)
        if search is None:
            self._notes[UNCOVERED] = None
            return
        from obligato.api.coverage import Coverage

        self.run.coverage = Coverage(self.run, search).decide()
        self._notes |= dict.fromkeys(remarks(self.run.coverage))

    def _decided(self, search: Search) -> PropertyVerdict:
        """The verdict about a property; with `--each` those about its single checks are told to the
        run besides.
        """
        if isinstance(search, CfaSearch) and search.check is None:
            self._programs.setdefault(search.property, search)
        if not self.run.each or not isinstance(search, CfaSearch) or search.check is not None:
            return search.decide()
        return EachCheck(self.run, search).decide()

    def recheck(self, claim: str) -> None:
        """Judge each claim in the file that is about a property asked for; without --property all
        in the file are.
        """
        if self.run.witness is not None:
            self._check_witness(self.run.witness)
            return
        from obligato.api.recheck import claims_in

        claims = claims_in(claim)
        listed = [name for names, _ in claims for name in names]
        if listed and not self.run.request.property:
            self.run.ask(self.run.language.names(self.run.language.property(",".join(listed))))
        for name in tuple(self.run.open):
            self.run.also(
                name, [n for n in listed if n.startswith(f"{name}{AT}") and n not in self.run.open]
            )
        for names, data in claims:
            self._recheck(
                [n for n in names or tuple(self.run.open) if n in self.run.open], data, claim
            )
        for name in tuple(self.run.open):
            self._recheck_by_checks(name)
        self.run.give_up(f"{claim} claims nothing about it")

    def _recheck(self, names: list[str], data: Mapping[str, Any], claim: str) -> None:
        """Judge one claim about some properties; a proof of a property is one of all its checks."""
        for name in names:
            base = name.partition(AT)[0]
            if (
                name in self._known
                and base in names
                and self.run.verdicts[base].verdict is Verdict.TRUE
            ):
                self.run.found(
                    replace(self.run.verdicts[base], property=name, check=self._known[name])
                )
            else:
                self.run.found(self._verdict(name, partial(_judge, data, claim), _engine(data)))

    def _recheck_by_checks(self, name: str) -> None:
        """A property is proved without a certificate of its own if each of its checks is."""
        found = [v for n, v in self.run.verdicts.items() if n.startswith(f"{name}{AT}")]
        search = (
            self.search(self.run, name)
            if found and all(v.verdict is Verdict.TRUE for v in found)
            else None
        )
        if isinstance(search, CfaSearch) and {c.name for c in checks(search.model.cfa, name)} == {
            v.property for v in found
        }:
            self.run.found(PropertyVerdict(name, Verdict.TRUE))

    def _check_witness(self, witness: Witness) -> None:
        """Decide the program with what the witness says in it; a verdict is about the program as it
        was read, too.
        """
        from obligato.api.witness_check import judged

        for name in tuple(self.run.open):
            self.run.decide(
                name,
                lambda name=name: judged(self._verdict(name, lambda s: s.decide()), witness),  # type: ignore[misc]
            )
        if all(v.verdict is not Verdict.UNKNOWN for v in self.run.verdicts.values()):
            self._notes[f"the witness is confirmed: {witness}"] = None
            self._notes["the claim below is about the program with what the witness says in it"] = (
                None
            )

    def _verdict(
        self, name: str, judge: Callable[[Search], PropertyVerdict], engine: str = ""
    ) -> PropertyVerdict:
        self.run.prefer(engine or self.engine)  # another property may have preferred another one
        # another property may have been refuted with other addresses
        self.run.pipeline = self.asked
        search = self.search(self.run, name)
        if isinstance(search, CfaSearch) and search.check is None:
            self._known |= {c.name: report_of(name, c) for c in checks(search.model.cfa, name)}
        self._notes |= dict.fromkeys(search.notes)
        self.run.remark(self.notes)
        (verdict,) = self.run.within_limits([name], lambda: [judge(search)])
        self._notes |= dict.fromkeys(search.notes)
        return replace(verdict, check=search.check) if isinstance(search, CfaSearch) else verdict


def _engine(claim: Mapping[str, Any]) -> str:
    """The engine whose claims these are; contracts are also claimed where nothing is recursive."""
    contracts = (claim.get("certificate") or {}).get("kind") == "contracts"
    return "summaries" if contracts else ""


def _judge(data: Mapping[str, Any], file: str, search: Search) -> PropertyVerdict:
    return search.judge(data, file)
