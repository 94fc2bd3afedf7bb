"""Outcomes for people at a Python prompt or in a notebook:
one line, or a small table of HTML. Everything is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from obligato.results.outcome import CertificateReport, PropertyVerdict, TraceReport

MAX_ROWS = 50  # of a trace; the object has all
COLOURS = {"true": "#1a7f37", "false": "#c62828", "unknown": "#6a6a6a"}


def because(v: PropertyVerdict) -> str:
    """What a verdict rests on, in a few words."""
    if v.reason:
        return f", {v.reason}"
    if v.certificate is not None:
        return f", {v.certificate.kind} certificate checked by {v.certificate.checker}"
    if v.trace is not None:
        return f", trace of {len(v.trace.steps)} steps replayed"
    several = getattr(v, "verdicts", ())
    return f", {len(several)} properties" if several else ""


def html_text(v: PropertyVerdict) -> str:
    """A verdict for a notebook: each property with its certificate, trace or reason."""
    several: tuple[PropertyVerdict, ...] = getattr(v, "verdicts", ()) or (v,)
    file = getattr(v, "file", "")
    head = f"<p><b>{escape(str(file))}</b> {_badge(v)}</p>" if file else f"<p>{_badge(v)}</p>"
    notes = "".join(f"<p><i>{escape(n)}</i></p>" for n in getattr(v, "notes", ()))
    return f"<div>{head}{notes}{''.join(_one(p, len(several) > 1) for p in several)}</div>"


def _badge(v: PropertyVerdict) -> str:
    colour = COLOURS[v.verdict.value]
    return (
        f'<span style="color:white;background:{colour};border-radius:3px;padding:1px'
        f' 6px">{escape(str(v))}</span>'
    )


def _one(v: PropertyVerdict, named: bool) -> str:
    name = f"<p><b>{escape(v.property)}</b> {_badge(v)}</p>" if named else ""
    reason = f"<p>{escape(v.reason)}</p>" if v.reason else ""
    proof = _certificate(v.certificate) if v.certificate is not None else ""
    return f"{name}{reason}{proof}{_trace(v.trace) if v.trace is not None else ''}"


def _certificate(c: CertificateReport) -> str:
    rows = (
        ((f"{i.file}:{i.line}" if i.line else i.name), i.source or i.c or i.formula)
        for i in c.invariants
    )
    return _table(("where", f"{c.kind} certificate, checked by {c.checker}"), rows)


def _trace(t: TraceReport) -> str:
    shown = t.steps[:MAX_ROWS]
    rows = [
        (
            str(n),
            f"{s.file}:{s.line}" if s.line else "",
            s.statement,
            _values(s.assignments | _new(s)),
        )
        for n, s in enumerate(shown, 1)
    ]
    left = f"<p>{len(t.steps) - MAX_ROWS} more steps</p>" if len(t.steps) > MAX_ROWS else ""
    loop = "" if t.loop is None else f"<p>and again from step {t.loop + 1} on</p>"
    start = f"<p>start: {escape(_values(t.start))}</p>" if t.start else ""
    table = _table(("step", "where", "statement", "values"), rows)
    violated = f"<p>violated: {escape(t.violation)}</p>" if t.violation else ""
    return f"{start}{table}{left}{loop}{violated}"


def _new(step: Any) -> dict[str, Any]:
    """The inputs of a step of a transition system; those of programs are among the assignments."""
    return dict(step.inputs) if step.statement == f"step {step.edge}" else {}


def _values(values: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    def cells(tag: str, row: Iterable[str]) -> Iterator[str]:
        return (f'<{tag} style="text-align:left">{escape(str(x))}</{tag}>' for x in row)

    lines = "".join(f"<tr>{''.join(cells('td', row))}</tr>" for row in rows)
    return f"<table><tr>{''.join(cells('th', head))}</tr>{lines}</table>"
