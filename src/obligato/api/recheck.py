"""`obligato check`: judge the certificate or trace in a JSON outcome against the input, without any
engine.

For transition systems see `api.system_recheck`.

A claim that the checker refuses raises `ClaimRefused`; a file that is no outcome is an
`InputError`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from obligato.api.given import language_for
from obligato.api.members import helped
from obligato.api.pipeline import Rejected, Report, Run
from obligato.api.request import ClaimRefused, Request, from_task, read_property
from obligato.api.witness_check import Witness, as_witnessed, read_witness
from obligato.errors import ConfigError, InputError, Span
from obligato.frontends.preprocessing import DEFAULT, Preprocessing
from obligato.frontends.reading import read_bytes, read_text
from obligato.frontends.registry import InputKind, Language
from obligato.models.checks import AT
from obligato.models.claims import Repeat, Unwinding
from obligato.models.rank_claims import Counter, Endless, Ranking
from obligato.results.checking.counters import counting, wrong_counters
from obligato.results.outcome import Certificate, Outcome, Trace, TraceStep
from obligato.results.values import from_json, whole
from obligato.smt.factory import available_backends
from obligato.terms import Sort, Term, TermStore, Value
from obligato.terms.numerals import parse_int
from obligato.terms.printer import symbol
from obligato.terms.smtlib import Scope, Source, TermReader, iter_sexprs

if TYPE_CHECKING:
    from obligato.models.cfa import CFA

# how a program is read
READING = ("externals", "memory", "addresses", "contracts", "headers", "unfold", "next")
MAX_K = 10_000  # of a k-inductive invariant: each step is a copy of the transition relation
MAX_TIMES = 1 << 62  # of rounds that are written once


def recheck(request: Request, report: Report, claim: str) -> Outcome:
    """The outcome that the claim in the file `claim` justifies for the input of `request`, read as
    the claim says.
    """
    given = from_task(request)
    asked, witness = request.property, _witness(given, claim)
    request = _as_said(given, claim) if witness is None else as_witnessed(given, witness, claim)
    try:
        run = Run(request, report)
        run.witness = witness
        if witness is None:
            run.stats.solvers.update(dict.fromkeys(_finders(claim)))
        outcome = run.outcome(claim)
        return replace(outcome, notes=(*_reading(given, request), *outcome.notes))
    except Rejected as problem:
        raise ClaimRefused(str(problem)) from problem
    except ConfigError as problem:
        if asked:
            raise
        raise InputError(f"the claim does not fit the input: {problem}", Span(claim)) from problem


def recheck_work(claim: str, request: Request, report: Report) -> Outcome:
    """`recheck` as the work of a process."""
    return recheck(request, report, claim)


def assisted(request: Request, claim: str) -> Request:
    """The request, which several engines may help with if the claim is a witness of a C program and
    none is named.
    """
    return (
        helped(request)
        if request.emit is None and _is_witness(from_task(request), claim)
        else request
    )


def _is_witness(request: Request, claim: str) -> bool:
    return "markers" in language_for(request.file, request.model).reading and not is_outcome(claim)


def _witness(request: Request, claim: str) -> Witness | None:
    """The witness of a C program in the file `claim`, if it is one rather than an outcome of
    ours.
    """
    return read_witness(claim, request.file) if _is_witness(request, claim) else None


def _reading(given: Request, request: Request) -> list[str]:
    """A remark about what only the claim says of how the program is read: whoever trusts the
    verdict must agree with it.
    """
    how, before = request.preprocessing, given.preprocessing
    told = (
        [f"-{letter}{text}" for letter, text in how.macros] if how.macros != before.macros else []
    )
    told += [f"-include {file}" for file in how.included if file not in before.included]
    told += [f"-I {folder}" for folder in how.folders if folder not in before.folders]
    told += [f"with {file}" for file in how.others if file not in before.others]
    told += [f"--entry {request.entry}"] if request.entry != given.entry else []
    return [f"read as the claim says: {', '.join(told)}"] if told else []


def _finders(claim: str) -> list[str]:
    """The solvers by which a claim was found, as it says; if it does not say, it may have
    been any.
    """
    said = read_outcome(claim).get("stats") if is_outcome(claim) else None
    names = said.get("solvers") if isinstance(said, dict) else None
    known = isinstance(names, list) and names and all(isinstance(name, str) for name in names)
    return list(names) if known and isinstance(names, list) else available_backends()


def is_outcome(claim: str) -> bool:
    """Is the claim a JSON outcome, rather than a witness?"""
    return read_bytes(claim).lstrip()[:1] == b"{"


def _as_said(request: Request, claim: str) -> Request:
    """The request with the claim's own property, and reading as the claim says. A witness says
    neither.
    """
    language = language_for(request.file, request.model)
    if language.kind is InputKind.SYSTEM and not is_outcome(claim):
        return request
    said = read_outcome(claim)
    options = said.get("options")
    names = [n for n in READING if language.kind is not InputKind.SYSTEM or n in language.reading]
    reading = (
        {name: str(options[name]) for name in names if name in options}
        if isinstance(options, dict)
        else {}
    )
    request = replace(
        request,
        property=_property(request, language, said, claim),
        settings={**reading, **request.settings},
    )
    return (
        _read_alike(request, options, claim)
        if isinstance(options, dict) and "data_model" in language.reading
        else request
    )


def _read_alike(request: Request, options: Mapping[str, Any], claim: str) -> Request:
    """The request for a C program, with the data model, the entry and the preprocessing that the
    claim names.
    """
    told = options.get("preprocessing")
    try:
        how = (
            Preprocessing.of_json(told)
            if told is not None and request.preprocessing == DEFAULT
            else request.preprocessing
        )
    except (TypeError, ValueError, KeyError, AttributeError) as problem:
        raise InputError(
            f"malformed options of preprocessing: {problem!r}", Span(claim)
        ) from problem
    how.validate()
    names = {name: str(options[name]) for name in ("data_model", "entry") if name in options}
    return replace(request, preprocessing=how, **names)  # type: ignore[arg-type]


def _property(request: Request, language: Language, said: Mapping[str, Any], claim: str) -> str:
    """The property by which a claim is judged: its own, or of several properties those that are
    asked for.
    """
    own = said.get("property", "")
    if not isinstance(own, str):
        raise InputError("the property that a claim names must be a text", Span(claim))
    asked = read_property(request.property)
    if (
        asked
        and own
        and "properties" not in said
        and language.property(asked) != own
        and own != language.properties[0]
    ):
        raise ClaimRefused(f"the claim is about {own[:60]}, not about {asked}")
    return asked or own


def claims_in(file: str) -> list[tuple[list[str], dict[str, Any]]]:
    """The claims in a JSON outcome: the properties each is about, and an object with a certificate
    or a trace.

    No properties: the outcome is about one, or about all together. Properties that are unknown are
    left out.
    """
    data = read_outcome(file)
    if "properties" not in data:
        if not (data.get("certificate") or data.get("trace")):
            raise InputError("the outcome has neither a certificate nor a trace", Span(file))
        return [([], data)]
    try:
        claims = {str(e["property"]): e for e in data["properties"] if e["verdict"] != "unknown"}
        owners = {name: str(e.get("shares") or name) for name, e in claims.items()}
    except (KeyError, TypeError, AttributeError) as problem:
        raise InputError(f"malformed list of properties: {problem!r}", Span(file)) from problem
    by_checks = {name.partition(AT)[0] for name in claims if AT in name}
    owners = {
        name: o
        for name, o in owners.items()
        if _has_claim(claims[name]) or o != name or name not in by_checks
    }
    for owner in owners.values():
        if not (claims.get(owner, {}).get("certificate") or claims.get(owner, {}).get("trace")):
            raise InputError(
                f"the outcome has neither a certificate nor a trace for {owner[:60]!r}", Span(file)
            )
    for what in ("certificate", "trace"):
        if data.get(what) and all(
            data[what] != claims[owner].get(what) for owner in owners.values()
        ):
            raise InputError(
                f"the {what} outside of the list of properties differs from all those in the list",
                Span(file),
            )
    return [
        ([n for n, o in owners.items() if o == owner], claims[owner])
        for owner in dict.fromkeys(owners.values())
    ]


def _has_claim(entry: Mapping[str, Any]) -> bool:
    return bool(entry.get("certificate") or entry.get("trace"))


def read_outcome(file: str) -> dict[str, Any]:
    """The JSON object in a file."""
    try:
        data = json.loads(read_text(file, "strict"), parse_int=parse_int)
    except json.JSONDecodeError as problem:
        raise InputError(
            f"not JSON: {problem.msg}", Span(file, problem.lineno, problem.colno)
        ) from problem
    except RecursionError as problem:  # brackets nested thousands deep
        raise InputError(f"not an outcome: {problem}", Span(file, 1, 1)) from problem
    if not isinstance(data, dict) or data.get("schema") != 1:
        raise InputError("not an outcome of schema 1", Span(file))
    listed = data.get("properties", [])
    for entry in (data, *(listed if isinstance(listed, list) else ())):
        _well_formed(entry, file)
    return data


def _well_formed(entry: Any, file: str) -> None:
    """Refuse what claims something and has another shape than `verify` writes."""
    for what, parts in (("certificate", "invariants"), ("trace", "steps")):
        claim = entry.get(what) if isinstance(entry, dict) else None
        if claim is None:
            continue
        told = claim.get(parts, []) if isinstance(claim, dict) else None
        if not isinstance(told, list) or not all(isinstance(part, dict) for part in told):
            raise InputError(f"malformed {what}", Span(file))


def read_certificate(cfa: CFA, data: Any, file: str) -> Certificate:
    """A certificate for `cfa` from its JSON; formulas over other symbols than its variables are
    refused.
    """
    store = TermStore.raw()
    try:
        index = read_index(data.get("index"), store)
        told = [(read_index(g, store), g) for g in data.get("ghosts", ())]
        ghosts = [(g, whole(d["location"]), str(d["value"])) for g, d in told if g is not None]
        extra = [*(g for g, _, _ in ghosts), *([] if index is None else [index])]
        reader = Formulas([*cfa.variables, *extra], store)
        invariants = {whole(i["location"]): reader.read(i["formula"]) for i in data["invariants"]}
        instances = {
            whole(i["location"]): tuple(map(reader.read, i.get("instances", ())))
            for i in data["invariants"]
        }
        if data.get("kind") == "bounds":
            dead = tuple(
                (whole(depth, MAX_TIMES), whole(location))
                for depth, location in data.get("dead", ())
            )
            jumps = tuple(
                (whole(depth, MAX_TIMES), whole(times, MAX_TIMES))
                for depth, times in data.get("jumps", ())
            )
            return Certificate(
                invariants, unwinding=Unwinding(whole(data["k"], MAX_TIMES), dead, jumps)
            )
        return Certificate(
            invariants,
            whole(data.get("k", 1), MAX_K),
            index,
            {loc: ts for loc, ts in instances.items() if ts},
            ghosts={
                loc: tuple((g, reader.read(value)) for g, at, value in ghosts if at == loc)
                for _, loc, _ in ghosts
            },
        )
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InputError(f"malformed certificate: {problem!r}", Span(file)) from problem


def read_ranking(cfa: CFA, data: Any, file: str) -> Ranking:
    """Ranks for `cfa` from their JSON."""
    try:
        counters = tuple(
            Counter(str(c["name"]), whole(c["bits"]), frozenset(map(whole, c["locations"])))
            for c in data.get("counters", ())
        )
        wrong = wrong_counters(cfa, counters)
        if wrong is not None:
            raise InputError(wrong, Span(file))
        cfa = counting(cfa, counters)
        certificate = read_certificate(cfa, data, file)
        reader = Formulas(cfa.variables, TermStore.raw())
        ranks = {
            whole(i["location"]): tuple(map(reader.read, i["rank"]))
            for i in data["invariants"]
            if "rank" in i
        }
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InputError(f"malformed ranks: {problem!r}", Span(file)) from problem
    return Ranking(certificate, ranks, counters)


def read_endless(cfa: CFA, data: Any, file: str) -> Endless:
    """An infinite run of `cfa` from its JSON."""
    trace, sorts = read_trace(cfa, data, file), {i.name: i.sort for i in cfa.inputs}
    try:
        told = data.get("recurrence", {"sets": [], "inputs": {}})
        reader = Formulas(cfa.variables, TermStore.raw())
        sets = {whole(i["location"]): reader.read(i["formula"]) for i in told["sets"]}
        values = {name: from_json(value, sorts[name]) for name, value in told["inputs"].items()}
        return Endless(trace, whole(data["loop"]), sets, values)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InputError(f"malformed infinite run: {problem!r}", Span(file)) from problem


def read_index(data: Any, store: TermStore) -> Term | None:
    """A variable of a certificate that the program does not have, from its JSON."""
    if data is None:
        return None
    name, source = data["name"], Source(data["sort"])
    if not isinstance(name, str):
        raise ValueError(f"{name!r} is no name")
    (sexpr,) = iter_sexprs(source)
    return _variable(store, name, TermReader(store, Scope.initial(store), source).read_sort(sexpr))


def _variable(store: TermStore, name: str, sort: Sort) -> Term:
    """The variable, unless a claim has given another one its name."""
    known = store.lookup(name)
    if known is not None and known.sort is not sort:
        raise ValueError(f"{name} is of sort {known.sort} and of sort {sort}")
    return store.var(name, sort)


class Formulas:
    """Reads SMT-LIB formulas over the variables of a program or a state."""

    def __init__(self, variables: Sequence[Term], store: TermStore) -> None:
        self.store = store
        self.scope = Scope.initial(store)
        for v in variables:
            text = symbol(v.name)
            (atom,) = iter_sexprs(Source(text))
            self.scope.constants[str(atom)] = _variable(store, v.name, v.sort)

    def read(self, text: str) -> Term:
        """The formula that a text says."""
        source = Source(text)
        try:
            found = list(iter_sexprs(source))
            if len(found) != 1:
                raise InputError(f"one formula is needed, not {len(found)}")
            return TermReader(self.store, self.scope, source).read(found[0])
        except InputError as problem:
            raise Rejected(f"formula {text[:200]}: {problem.message}", Certificate({})) from problem


def read_trace(cfa: CFA, data: Any, file: str) -> Trace:
    """A trace of `cfa` from its JSON."""
    sorts = {v.name: v.sort for v in (*cfa.variables, *cfa.inputs)}

    def values(table: Any) -> dict[str, Value]:
        return {name: from_json(value, sorts[name]) for name, value in table.items()}

    try:
        steps = tuple(TraceStep(whole(s["edge"]), values(s["inputs"])) for s in data["steps"])
        repeats = tuple(
            Repeat(whole(r["start"]), whole(r["end"]), whole(r["times"], MAX_TIMES))
            for r in data.get("repeats", ())
        )
        return Trace(values(data["initial"]), steps, repeats)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InputError(f"malformed trace: {problem!r}", Span(file)) from problem
