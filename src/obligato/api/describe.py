"""From accepted certificates and traces, which are about terms, to reports, which are plain data for the user.

Bit-vectors have no sign; for the eye only, a variable is read as unsigned if the program compares, divides, shifts or extends
it so and never the other way. Statements of C programs are shown as C: conditions printed, the rest by its source line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from obligato.frontends.registry import find_language
from obligato.models.blocks import cut_points
from obligato.models.cfa import CFA, Edge
from obligato.models.gcl import Assign, Assume, assigned, walk
from obligato.program.names import original_name
from obligato.program.places import PlaceNames
from obligato.reports.text import Sources
from obligato.results.checking.certificate import CertificateCheck
from obligato.results.outcome import Certificate, CertificateReport, InvariantReport, StepReport, Trace, TraceReport
from obligato.results.values import to_json
from obligato.terms import ArrayValue, Op, Term, TermStore, Value, free_vars, postorder
from obligato.terms.c_printer import c_text
from obligato.terms.printer import to_smtlib
from obligato.terms.store import rebuild

_UNSIGNED = frozenset((Op.BVULT, Op.BVULE, Op.BVUGT, Op.BVUGE, Op.BVUDIV, Op.BVUREM, Op.BVLSHR, Op.ZERO_EXT))
_SIGNED = frozenset((Op.BVSLT, Op.BVSLE, Op.BVSGT, Op.BVSGE, Op.BVSDIV, Op.BVSREM, Op.BVSMOD, Op.BVASHR, Op.SIGN_EXT))


def unsigned_variables(cfa: CFA) -> frozenset[str]:
    """Variables that are used as unsigned numbers only."""
    uses: dict[bool, set[str]] = {True: set(), False: set()}
    seen: dict[Term, None] = {}
    for edge in cfa.edges:
        for t in postorder(terms_of(edge), seen):
            if t.op in _UNSIGNED or t.op in _SIGNED:
                uses[t.op in _SIGNED].update(a.name for a in t.args if a.op is Op.VAR)
    return frozenset(uses[False] - uses[True])


def terms_of(edge: Edge) -> list[Term]:
    """The conditions and assigned expressions of an edge."""
    out: list[Term] = []
    for c in walk(edge.command):
        if isinstance(c, Assume):
            out.append(c.condition)
        elif isinstance(c, Assign):
            out.extend(e for _, e in c.pairs)
    return out


class Names:
    """The user's names of variables; where two variables would share one, both keep their full name."""

    def __init__(self, cfa: CFA) -> None:
        self.unsigned = unsigned_variables(cfa)
        shown = {v.name: cfa.display.get(v.name, v.name) for v in cfa.variables}
        count = Counter(shown.values())
        self.shown = {full: short if count[short] == 1 else full for full, short in shown.items()}
        self.sorts = {v.name: v.sort for v in (*cfa.variables, *cfa.inputs)}
        self.places = cfa.places
        self._memory: dict[str, ArrayValue] = {}  # what was shown of arrays last

    def values(self, values: Mapping[str, Value]) -> dict[str, Any]:
        """Values by the user's names; of memory what has changed since the last call, by the names of its places."""
        out: dict[str, Any] = {}
        for name, value in values.items():
            if isinstance(value, ArrayValue) and name in self.places.cells:
                out |= self._changes(name, value)
            else:
                out[self.shown.get(name, name)] = self._value(name, value)
        return out

    def _value(self, name: str, value: Value) -> Any:
        place = self.places.addresses.get(value) if isinstance(value, int) else None
        if place is not None and original_name(name) in self.places.pointers:
            return place
        return to_json(value, self.sorts[name], name not in self.unsigned)

    def _changes(self, name: str, value: ArrayValue) -> dict[str, Any]:
        """The places in an array whose values differ from those that were shown last; others by their addresses."""
        before, cells, element = self._memory.get(name), self.places.cells[name], self.sorts[name].element
        self._memory[name] = value
        touched = dict.fromkeys((*(before.entries if before is not None else ()), *value.entries))
        changed = [i for i in touched if before is None or before.get(i) != value.get(i)]
        whole = [] if before is None or before.default == value.default else [i for i in cells if i not in touched]
        named = {cells.get(i, f"{self.shown.get(name, name)}[{i}]"): i for i in sorted([*changed, *whole], key=str)}
        return {place: to_json(value.get(i), element) for place, i in named.items()}

    def full(self, values: Mapping[str, Value]) -> dict[str, Any]:
        """Values by full names, to be read back."""
        return {n: to_json(v, self.sorts[n]) for n, v in values.items()}

    def c_text(self, formula: Term) -> str | None:
        """The formula as a C expression over the user's names."""
        return c_text(with_place_names(formula, self.places), self.shown, self.unsigned)


def with_place_names(formula: Term, places: PlaceNames) -> Term:
    """The formula, where elements of memory that have a name are variables of that name."""
    memo: dict[Term, Term] = {}
    for t in postorder((formula,)) if places.cells else ():
        if t.op is Op.SELECT and t.args[0].op is Op.VAR and t.args[1].is_const:
            index = t.args[1].data
            place = places.cells.get(t.args[0].name, {}).get(index) if isinstance(index, int) else None
            if place is not None:
                memo[t] = formula.store.var(place, t.sort)
    return rebuild(formula, formula.store, memo) if memo else formula


def describe_certificate(cfa: CFA, certificate: Certificate, check: CertificateCheck) -> CertificateReport:
    """The report of an accepted certificate, with the invariants in the order of locations."""
    names, heads = Names(cfa), cut_points(cfa)
    invariants = tuple(
        _invariant(cfa, location, formula, names, location in heads, certificate.instances.get(location, ()))
        for location, formula in sorted(certificate.invariants.items())
        if location != cfa.error
    )
    index = None if certificate.index is None else (certificate.index.name, str(certificate.index.sort))
    unwinding = certificate.unwinding
    return CertificateReport(
        certificate.k if unwinding is None else unwinding.depth, invariants, True, check.independent, check.checker,
        round(check.seconds, 3), index=index, form="" if unwinding is None else "bounds",
        dead=() if unwinding is None else unwinding.dead, jumps=() if unwinding is None else unwinding.jumps,
    )


def _invariant(
    cfa: CFA, location: int, formula: Term, names: Names, head: bool, instances: tuple[Term, ...]
) -> InvariantReport:
    place = cfa.locations[location]
    return InvariantReport(
        location, place.name, place.span.file, place.span.line, to_smtlib(formula), names.c_text(formula), head,
        tuple(map(to_smtlib, instances)), column=place.span.column, function=place.span.function,
    )


def describe_trace(cfa: CFA, trace: Trace) -> TraceReport:
    """The report of a confirmed trace, which is complete."""
    names, sources = Names(cfa), Sources()
    texts = {e.id: _statement(e, names, sources) for e in dict.fromkeys(cfa.by_id[s.edge] for s in trace.steps)}
    steps = tuple(_step(cfa.by_id[s.edge], s.inputs, s.state or {}, names, texts[s.edge]) for s in trace.steps)
    read = _read_first(cfa, trace)
    start = {n: v for n, v in trace.initial.items() if n in read}
    last = cfa.by_id[trace.steps[-1].edge]
    repeats = tuple((r.start, r.end, r.times) for r in trace.repeats)
    return TraceReport(names.full(trace.initial), names.values(start), steps, True, _violation(last), repeats=repeats)


def _read_first(cfa: CFA, trace: Trace) -> dict[str, None]:
    """The variables whose start value the path reads: those that occur before they are assigned."""
    read: dict[str, None] = {}
    written: set[str] = set()
    for edge in [cfa.by_id[s.edge] for s in trace.steps]:
        read.update((v.name, None) for v in free_vars(*terms_of(edge)) if v.name not in written)
        written.update(x.name for x in assigned(edge.command))
    return read


def _step(
    edge: Edge, inputs: Mapping[str, Value], changed: Mapping[str, Value], names: Names, text: str
) -> StepReport:
    span = edge.span
    return StepReport(
        edge.id, span.file, span.line, text, names.values(changed), names.full(inputs), span.column, span.function,
        call=edge.asks)


def _statement(edge: Edge, names: Names, sources: Sources) -> str:
    """What the edge does, in the language of its source."""
    language = find_language(edge.span.file)
    if language is None or not language.formula:
        return edge.text
    if isinstance(edge.command, Assume) and edge.violation is None:
        condition = names.c_text(TermStore().import_term(edge.command.condition))
        return edge.text if condition is None else f"[{condition}]"
    return sources.line(edge.span.file, edge.span.line) or edge.text


def _violation(edge: Edge) -> str:
    violation = edge.violation
    if violation is None:
        return ""
    place = f"{violation.span.file}:{violation.span.line}: " if violation.span.line else ""
    return f"{place}{violation.label or edge.text}"
