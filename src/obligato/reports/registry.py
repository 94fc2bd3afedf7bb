"""The reports that `obligato verify --report NAME=PATH` writes: one record each.

To add a report, write a module with a function from an `Outcome` to a text and add one record to
`REPORTS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from obligato.errors import ConfigError

if TYPE_CHECKING:
    from obligato.results.outcome import Outcome


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """One report; `function` is "module:function", imported when it is needed."""

    name: str
    title: str
    function: str

    def text(self, outcome: Outcome) -> str:
        """The report of an outcome, as the contents of a file."""
        module, _, function = self.function.partition(":")
        text: str = getattr(import_module(module), function)(outcome)
        return text


REPORTS = (
    ReportFormat("text", "what is printed without --quiet", "obligato.reports.text:report"),
    ReportFormat(
        "json", "everything, for other programs", "obligato.reports.json_report:outcome_text"
    ),
    ReportFormat(
        "witness",
        "an SV-COMP witness of a C program, format 2.0",
        "obligato.reports.svcomp:witness_text",
    ),
    ReportFormat(
        "graphml", "the same in the older format 1.0", "obligato.reports.graphml:graphml_text"
    ),
    ReportFormat(
        "sarif",
        "findings for editors and code hosts, SARIF 2.1.0",
        "obligato.reports.sarif:sarif_text",
    ),
    ReportFormat(
        "junit",
        "a test case for each property, for continuous integration",
        "obligato.reports.junit:junit_text",
    ),
    ReportFormat(
        "vcd", "the waveform of a run of hardware or Lustre", "obligato.reports.vcd:vcd_text"
    ),
    ReportFormat(
        "harness",
        "C that gives a program the inputs of its counterexample",
        "obligato.reports.harness:harness_text",
    ),
    ReportFormat(
        "html",
        "a page: the path or the invariants, and the search",
        "obligato.reports.page.outcome_page:page_text",
    ),
)


NAMES = ", ".join(r.name for r in REPORTS)


def report_format(name: str) -> ReportFormat:
    """The report of that name."""
    found = next((r for r in REPORTS if r.name == name), None)
    if found is None:
        raise ConfigError(
            f"there is no report {name!r}; there are: {', '.join(r.name for r in REPORTS)}"
        )
    return found
