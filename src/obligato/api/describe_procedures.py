"""Accepted contracts and replayed runs of recursive programs as plain data for the user, and back.

A contract is reported as formulas: what a procedure requires (at the number of its initial
location) and ensures (at that of its error location), and its invariants; a variable named x@entry
is the value of x when the procedure was entered. The steps of a run are those of the interpreter
and display it; its script, what it does not determine itself, is all that it takes to run it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from obligato.api.recheck import Formulas
from obligato.errors import InputError, Span
from obligato.models.blocks import cut_points
from obligato.models.procedures import (
    Contract,
    Contracts,
    ProcedureCFA,
    RecursiveProgram,
    Script,
    entry_value,
)
from obligato.program.activation import procedure_scalars, scalars
from obligato.program.names import original_name, short_name, without_copy
from obligato.results.outcome import CertificateReport, InvariantReport, StepReport, TraceReport
from obligato.results.values import from_json, to_json, whole
from obligato.terms import Sort, Term, TermStore, free_vars
from obligato.terms.c_printer import c_text
from obligato.terms.printer import to_smtlib

if TYPE_CHECKING:
    from obligato.program.interpreter import Step
    from obligato.program.syntax import Program
    from obligato.results.checking.certificate import CertificateCheck
    from obligato.results.replay_script import ScriptReplay

REQUIRES, ENSURES = "requires", "ensures"


def describe_contracts(
    program: RecursiveProgram, contracts: Contracts, check: CertificateCheck
) -> CertificateReport:
    """The report of accepted contracts."""
    found: list[InvariantReport] = []
    for p in program.all():
        contract, name = contracts.procedures[p.name], p.name or program.source.entry
        if p is not program.entry:
            found.append(
                _report(p, name, f"{name} {REQUIRES}", p.cfa.initial, contract.requires, True)
            )
            found.append(_report(p, name, f"{name} {ENSURES}", p.cfa.error, contract.ensures, True))
        heads = cut_points(p.cfa)
        for n, formula in sorted(contract.invariants.items()):
            found.append(_report(p, name, p.cfa.locations[n].name, n, formula, n in heads))
    return CertificateReport(
        1,
        tuple(found),
        True,
        check.independent,
        check.checker,
        round(check.seconds, 3),
        form="contracts",
    )


def _report(
    p: ProcedureCFA, function: str, name: str, location: int, formula: Term, head: bool
) -> InvariantReport:
    place = p.cfa.locations[p.cfa.initial if location == p.cfa.error else location].span
    shown = {v.name: _shown(v.name) for v in free_vars(formula)}
    plain = len(set(shown.values())) == len(shown)
    text = c_text(TermStore().import_term(formula), shown, frozenset()) if plain else None
    old = any("@entry" in name for name in shown)
    return InvariantReport(
        location,
        name,
        place.file,
        place.line,
        to_smtlib(formula),
        None if old else text,
        head,
        source=f"{name}: {text if text is not None else to_smtlib(formula)}"
        if location in (p.cfa.initial, p.cfa.error)
        else text
        if old
        else None,
        column=place.column,
        function=function,
    )


def _shown(name: str) -> str:
    return (
        f"{short_name(name.removesuffix('@entry'))}@entry"
        if name.endswith("@entry")
        else short_name(name)
    )


def read_contracts(program: RecursiveProgram, data: Any, file: str) -> Contracts:
    """Contracts from their JSON; formulas over other symbols than the program's are refused."""
    store = TermStore.raw()
    try:
        told = {whole(i["location"]): str(i["formula"]) for i in data["invariants"]}
        made = {}
        for p in program.all():
            known = [*p.cfa.variables, *map(entry_value, p.cfa.variables)]
            formulas = Formulas(known, store)
            parts = {n: formulas.read(told[n]) for n in p.cfa.locations if n in told}
            requires = parts.pop(p.cfa.initial, store.true)
            ensures = parts.pop(p.cfa.error, store.true)
            made[p.name] = Contract(requires, ensures, parts)
        return Contracts(made)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InputError(f"malformed certificate: {problem!r}", Span(file)) from problem


# -- runs ------------------------------------------------------------------------------------------


def _sorts(program: Program) -> dict[str, Sort]:
    """The sorts of all variables of the program as it was read; those of copies of a procedure
    also by the names that inlining gives them.
    """
    found = dict(
        (
            *scalars(program.globals),
            *(x for p in program.procedures.values() for x in procedure_scalars(p)),
        )
    )
    return {without_copy(name): sort for name, sort in found.items()} | found


def describe_script(program: Program, script: Script, replayed: ScriptReplay) -> TraceReport:
    """The report of a run that ends in a violation."""
    sorts = _sorts(program)
    initial = {n: to_json(v, sorts[n]) for n, v in script.initial.items() if n in sorts}
    steps = tuple(_step(s, sorts) for s in replayed.steps)
    result = replayed.result
    where = (
        f"{result.span.file}:{result.span.line}: "
        if result is not None and result.span.line
        else ""
    )
    values = [[n, to_json(v, sorts[original_name(n)])] for n, v in script.values]
    told = {"values": values, "choices": list(script.choices)}
    return TraceReport(
        initial,
        {},
        steps,
        True,
        f"{where}{result.label if result is not None else ''}",
        script=told,
        cut=replayed.cut,
    )


def _step(s: Step, sorts: dict[str, Sort]) -> StepReport:
    inputs = {n: to_json(v, sorts[original_name(n)]) for n, v in s.inputs.items()}
    assigned = {
        short_name(n): to_json(v, sorts[original_name(n)]) for n, v in s.assignments.items()
    }
    return StepReport(
        -1,
        s.span.file,
        s.span.line,
        s.text,
        assigned,
        inputs,
        s.span.column,
        s.span.function,
        call=s.source,
    )


def read_script(program: Program, data: Any, file: str) -> Script:
    """A run from its JSON."""
    sorts = _sorts(program)
    try:
        initial = {n: from_json(v, sorts[n]) for n, v in data["initial"].items()}
        told = data["script"]
        values = tuple((str(n), from_json(v, sorts[original_name(n)])) for n, v in told["values"])
        return Script(initial, values, tuple(whole(c) for c in told["choices"]))
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InputError(f"malformed trace: {problem!r}", Span(file)) from problem
