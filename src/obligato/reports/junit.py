"""JUnit XML, for continuous integration: a test case for each property.

A property that holds is a test that passes, a violated one fails with its run as the text,
one that is not decided is an error.
"""

from __future__ import annotations

import xml.etree.ElementTree as xml

from obligato.reports.escaped import xml_text
from obligato.reports.text import trace_lines
from obligato.results.outcome import Outcome, PropertyVerdict, Verdict


def junit_text(outcome: Outcome) -> str:
    """The report of a run as one suite."""
    verdicts = outcome.verdicts or (outcome,)
    count = {v: sum(p.verdict is v for p in verdicts) for v in Verdict}
    seconds = f"{float(outcome.stats.get('wall_s', 0)):.3f}"
    suite = xml.Element(
        "testsuite",
        {
            "name": xml_text(outcome.file),
            "tests": str(len(verdicts)),
            "failures": str(count[Verdict.FALSE]),
            "errors": str(count[Verdict.UNKNOWN]),
            "skipped": "0",
            "time": seconds,
        },
    )
    for v in verdicts:
        suite.append(_case(v, outcome.file, seconds if len(verdicts) == 1 else "0.000"))
    root = xml.Element("testsuites")
    root.append(suite)
    xml.indent(root)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(root, encoding="unicode") + "\n"
    )


def _case(v: PropertyVerdict, file: str, seconds: str) -> xml.Element:
    case = xml.Element(
        "testcase",
        {"classname": xml_text(file), "name": xml_text(v.property or "property"), "time": seconds},
    )
    if v.verdict is Verdict.FALSE:
        violation = v.trace.violation if v.trace is not None else ""
        failure = xml.SubElement(
            case, "failure", {"type": xml_text(str(v)), "message": xml_text(violation or str(v))}
        )
        if v.trace is not None:
            failure.text = xml_text("\n".join(trace_lines(v.trace)))
    elif v.verdict is Verdict.UNKNOWN:
        xml.SubElement(
            case, "error", {"type": "unknown", "message": xml_text(v.reason or "unknown")}
        )
    return case
