"""Are Horn clauses satisfiable? The search for clauses with several relations in a body, and for
all where the engine asks for them; linear ones are otherwise searched as a CFA (`api.cfa_search`).

A claim is checked on the clauses as they were read: a model clause by clause, a derivation step by
step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from obligato.api.cfa_input import CfaInput
from obligato.api.cfa_search import horn_search
from obligato.api.describe_horn import definitions, describe_derivation, describe_model, parameters
from obligato.api.displayed import agree
from obligato.api.pipeline import Rejected, Run
from obligato.api.recheck import Formulas, claims_in
from obligato.errors import InputError, Span
from obligato.frontends.chc import load_system
from obligato.models.horn import Definition, Derivation, DerivationStep, HornModel, HornSystem
from obligato.results.checking.horn import check_derivation, check_model
from obligato.results.outcome import HornResult, PropertyVerdict, Verdict
from obligato.results.values import from_json, whole
from obligato.smt.factory import sorts_in
from obligato.terms import TermStore

ENGINE = "summaries"


class HornInput:
    """Horn clauses; what is done with them depends on what they are."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._linear: CfaInput | None = None
        self._notes: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks about how the input was read."""
        return self._notes if self._linear is None else self._linear.notes

    def read(self) -> None:
        """Read the clauses, and choose the engine where none was named."""
        self.run.stage("read")
        self.system = load_system(self.run.request.file)
        if not self.system.linear:
            self.run.prefer(ENGINE)
        if not self.run.engine.on_horn:
            self._linear = CfaInput(self.run, partial(horn_search, self.system))
            self._linear.read()
        else:
            self.run.ask(self.run.language.names(self.run.property))

    def decide(self) -> None:
        """Prove or refute."""
        if self._linear is not None:
            self._linear.decide()
            return
        for name in tuple(self.run.open):
            self.run.decide(name, partial(self._judged, name, self._proved))

    def recheck(self, claim: str) -> None:
        """Judge the claims in a file."""
        if self._linear is not None and not _about_clauses(claim):
            self._linear.recheck(claim)
            return
        if self._linear is not None:
            self._linear = None
        for names, data in claims_in(claim):
            for name in [n for n in names or tuple(self.run.open) if n in self.run.open]:
                self.run.found(self._judged(name, partial(self._told, data, claim)))
        self.run.give_up(f"{claim} claims nothing about it")

    def _judged(self, name: str, judge: Callable[[str], PropertyVerdict]) -> PropertyVerdict:
        (verdict,) = self.run.within_limits([name], lambda: [judge(name)])
        return verdict

    def _proved(self, name: str) -> PropertyVerdict:
        result: HornResult = self.run.prove(self.run.engine.prove_horn, self.system)
        if result.verdict is Verdict.TRUE and result.model is not None:
            return self._certified(name, result.model)
        if result.verdict is Verdict.FALSE and result.derivation is not None:
            return self._confirmed(name, result.derivation)
        return self.run.unknown(name, self.run.why(result))

    def _certified(self, name: str, model: HornModel) -> PropertyVerdict:
        self.run.stage("check")
        check = check_model(
            self.system, model, self.run.links(sorts_of(self.system)), self.run.tick
        )
        doubt = self.run.doubted(name, check, model, "model")
        if doubt is not None:
            return doubt
        self._notes = definitions(self.system, model)
        return PropertyVerdict(
            name, Verdict.TRUE, certificate=describe_model(self.system, model, check)
        )

    def _confirmed(self, name: str, derivation: Derivation) -> PropertyVerdict:
        self.run.stage("check")
        problem = check_derivation(self.system, derivation)
        if problem is not None:
            raise Rejected(f"the derivation was rejected: {problem}", derivation)
        return PropertyVerdict(
            name, Verdict.FALSE, trace=describe_derivation(self.system, derivation)
        )

    def _told(self, data: Mapping[str, Any], file: str, name: str) -> PropertyVerdict:
        if data.get("certificate"):
            verdict = self._certified(name, read_model(self.system, data["certificate"], file))
        else:
            verdict = self._confirmed(name, read_derivation(self.system, data["trace"], file))
        agree(data, verdict, programs=True)
        return verdict


def _about_clauses(claim: str) -> bool:
    """Does a claim speak about clauses, and not about edges of the CFA of linear ones?"""
    first = claims_in(claim)[0][1]
    steps = (first.get("trace") or {}).get("steps") or [{}]
    return (first.get("certificate") or {}).get("kind") == "model" or "premises" in steps[0]


def sorts_of(system: HornSystem) -> list[Any]:
    """All sorts of terms in the clauses."""
    return sorts_in(*(t for c in system.clauses for t in (*c.terms(), *c.variables)))


def read_model(system: HornSystem, data: Any, file: str) -> HornModel:
    """A model from its JSON; formulas over other symbols than x0, x1, ... are refused."""
    try:
        made = {}
        for i in data["invariants"]:
            relation = system.relations[str(i["name"])]
            store = TermStore.raw()  # x0 is of another sort in another relation
            mine = parameters(store, relation)
            made[relation.name] = Definition(mine, Formulas(mine, store).read(i["formula"]))
        return HornModel(made)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InputError(f"malformed certificate: {problem!r}", Span(file)) from problem


def read_derivation(system: HornSystem, data: Any, file: str) -> Derivation:
    """A derivation from its JSON."""
    try:
        steps = []
        for s in data["steps"]:
            number = whole(s["edge"])
            sorts = {v.name: v.sort for v in system.clauses[number].variables}
            values = {str(n): from_json(v, sorts[str(n)]) for n, v in s["inputs"].items()}
            steps.append(DerivationStep(number, values, tuple(whole(p) for p in s["premises"])))
        return Derivation(tuple(steps))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as problem:
        raise InputError(f"malformed derivation: {problem!r}", Span(file)) from problem
