"""Do all initial states of a transition system satisfy a formula of branching time? One property at
a time.

The engine gets the structure that the formula is about, reduced; its bounds are checked on the
system as it was read, by the checker's own structure and translation. The functions stand in the
tables of `api.system_search` and `api.system_recheck`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from obligato.api.pipeline import Run
from obligato.api.recheck import Formulas
from obligato.errors import InputError, Span
from obligato.frontends.ctl import read_ctl
from obligato.models.ctl import prepared, stripped
from obligato.models.ctl_claims import Bounds, CubeStep, Entry, Leads, Leaves, Loops, Separates
from obligato.models.ltl import Formula
from obligato.models.properties import CtlProperty
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_reduce import reduce_system, sorts_of
from obligato.results.checking.branching import Language, unlimited, widened
from obligato.results.checking.ctl import BoundsCheck, check_bounds
from obligato.results.outcome import (
    CertificateReport,
    CtlResult,
    InvariantReport,
    PropertyVerdict,
    Verdict,
)
from obligato.results.values import from_json, to_json, whole
from obligato.terms import BOOL, Sort, TermStore, Value
from obligato.terms.printer import to_smtlib


def proved(run: Run, system: TransitionSystem) -> list[PropertyVerdict]:
    """The verdict of one engine run about the one property of branching time that `system` has."""
    (p,) = system.branching
    run.stage("reduce")
    small, _ = reduce_system(prepared(system), run.pipeline.reduction)
    run.figures |= {"state_variables": len(small.state), "inputs": len(small.inputs)}
    result: CtlResult = run.prove(run.engine.prove_branching, small)
    if result.verdict is Verdict.UNKNOWN or result.bounds is None:
        return [run.unknown(p.name, run.why(result))]
    run.stage("check")
    return checked(run, system, result.bounds)


def checked(run: Run, system: TransitionSystem, claim: Bounds) -> list[PropertyVerdict]:
    """The property holds, or does not, as the claim says, if the bounds are accepted."""
    (p,) = system.branching
    check = check_bounds(system, p, claim, run.links(sorts_of(system)), run.tick)
    doubt = run.doubted(p.name, check, claim)
    if doubt is not None:
        return [doubt]
    verdict = Verdict.TRUE if claim.start is None else Verdict.FALSE
    return [
        PropertyVerdict(
            p.name, verdict, certificate=describe(run.request.file, system, p, claim, check)
        )
    ]


# -- as plain data ---------------------------------------------------------------------------------


def _vocabulary(system: TransitionSystem, p: CtlProperty) -> tuple[TransitionSystem, Language]:
    language = Language(p.formula, not unlimited(system))
    return widened(system, language), language


def describe(
    file: str, system: TransitionSystem, p: CtlProperty, claim: Bounds, check: BoundsCheck
) -> CertificateReport:
    """The report of accepted bounds."""
    wide, language = _vocabulary(system, p)
    sorts = {x.name: x.sort for x in (*wide.state, *wide.inputs)}
    bounds = {
        "formula": str(language.core),
        "atoms": {f.op: to_smtlib(t) for f, t in language.terms.items()},
        "start": None if claim.start is None else _json(claim.start, sorts),
        "entries": [_entry(entry, sorts) for entry in claim.entries],
    }
    invariant = InvariantReport(0, "state", file, 0, to_smtlib(claim.invariant), None, True)
    return CertificateReport(
        1,
        (invariant,),
        True,
        check.independent,
        check.checker,
        round(check.seconds, 3),
        form="branching",
        bounds=bounds,
        witness=dict(check.witness),
    )


def _json(values: Mapping[str, Value], sorts: Mapping[str, Sort]) -> dict[str, Any]:
    return {name: to_json(v, sorts[name], False) for name, v in values.items() if name in sorts}


def _entry(entry: Entry, sorts: Mapping[str, Sort]) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": type(entry).__name__.lower(), "formula": str(entry.formula)}
    match entry:
        case Leaves():
            return {**data, "set": to_smtlib(entry.set)}
        case Separates():
            return {**data, "set": to_smtlib(entry.wall), "relative": list(entry.relative)}
    steps = [entry.step] if isinstance(entry, Leads) else entry.steps
    told = [
        {
            "cube": to_smtlib(s.cube),
            "inputs": _json(s.inputs, sorts),
            "follows": _json(s.follows, sorts),
        }
        for s in steps
    ]
    return {**data, "steps": told}


# -- from files ------------------------------------------------------------------------------------


def read_bounds(system: TransitionSystem, data: Mapping[str, Any], file: str) -> Bounds:
    """Bounds from their JSON; formulas over other symbols than the structure's are refused."""
    (p,) = system.branching
    reader = _Reader(*_vocabulary(system, p))
    try:
        return reader.bounds(data)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InputError(f"malformed certificate: {problem!r}", Span(file)) from problem


class _Reader:
    def __init__(self, wide: TransitionSystem, language: Language) -> None:
        self.formulas = Formulas(wide.state, TermStore.raw())
        self.sorts = {x.name: x.sort for x in (*wide.state, *wide.inputs)}
        self.store = TermStore.raw()
        self.atoms = {f.op: self.store.var(f.op, BOOL) for f in language.terms}
        self._known: dict[str, Formula] = {}

    def bounds(self, data: Mapping[str, Any]) -> Bounds:
        """Read the whole certificate: the invariant, the bounds of the subformulas and the
        start.
        """
        (invariant,), told = data["invariants"], data["bounds"]
        start = told["start"]
        return Bounds(
            self.formulas.read(str(invariant["formula"])),
            tuple(map(self._entry, told["entries"])),
            None if start is None else self._values(start),
        )

    def _formula(self, text: str) -> Formula:
        if text not in self._known:
            self._known[text] = stripped(read_ctl(text, self.store, self.atoms))[0]
        return self._known[text]

    def _values(self, table: Mapping[str, Any]) -> dict[str, Value]:
        return {name: from_json(value, self.sorts[name]) for name, value in table.items()}

    def _step(self, s: Mapping[str, Any]) -> CubeStep:
        return CubeStep(
            self.formulas.read(str(s["cube"])),
            self._values(s["inputs"]),
            self._values(s["follows"]),
        )

    def _entry(self, e: Mapping[str, Any]) -> Entry:
        f = self._formula(str(e["formula"]))
        match e["kind"]:
            case "leads":
                (step,) = map(self._step, e["steps"])
                return Leads(f, step)
            case "loops":
                return Loops(f, tuple(map(self._step, e["steps"])))
            case "leaves":
                return Leaves(f, self.formulas.read(str(e["set"])))
            case "separates":
                return Separates(
                    f, self.formulas.read(str(e["set"])), tuple(whole(j) for j in e["relative"])
                )
        raise ValueError(f"an entry of kind {str(e['kind'])[:40]}")
