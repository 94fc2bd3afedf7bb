"""Do all fair runs of a transition system satisfy a property of infinite runs? One property at a
time.

The engine gets the system beside a tableau of the property, reduced; its claim is checked on the
system as it was read, by the checker's own products and by replay. The functions stand in the
tables of `api.system_search` and `api.system_recheck`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from obligato.api.describe_system import describe_lasso, describe_live_certificate
from obligato.api.pipeline import Rejected, Run
from obligato.api.recheck import Formulas
from obligato.api.system_witness import read_witness
from obligato.errors import InputError, Span
from obligato.models.live_claims import Counted, Lasso, LiveCertificate, Ranked, Saved, Wall, Walls
from obligato.models.properties import LiveProperty
from obligato.models.tableau import with_justice
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemTrace
from obligato.models.ts_reduce import reduce_system, sorts_of
from obligato.results.checking.lasso import MAX_STEPS, check_lasso, loop_of
from obligato.results.checking.live import MAX_ROUNDS, check_live_certificate, product_of
from obligato.results.checking.status import TraceStatus
from obligato.results.outcome import LiveResult, PropertyVerdict, StreamReport, TraceReport, Verdict
from obligato.results.values import whole
from obligato.terms import Term, TermStore


def proved(run: Run, system: TransitionSystem) -> list[PropertyVerdict]:
    """The verdict of one engine run about the one property of infinite runs that `system` has."""
    p = _only(system)
    run.stage("reduce")
    small, _ = reduce_system(with_justice(system, p), run.pipeline.reduction)
    run.figures |= {"state_variables": len(small.state), "inputs": len(small.inputs)}
    result: LiveResult = run.prove(run.engine.prove_live, small)
    if result.verdict is Verdict.TRUE and result.certificate is not None:
        run.stage("check")
        return certified(run, system, result.certificate)
    if result.verdict is Verdict.FALSE and result.trace is not None:
        run.stage("check")
        return confirmed(run, system, result.trace)
    return [run.unknown(p.name, run.why(result))]


def _only(system: TransitionSystem) -> LiveProperty:
    (p,) = system.temporal
    return p


def certified(run: Run, system: TransitionSystem, claim: LiveCertificate) -> list[PropertyVerdict]:
    """The property holds if the proof is accepted."""
    p = _only(system)
    check = check_live_certificate(system, p, claim, run.links(sorts_of(system)), run.tick)
    doubt = run.doubted(p.name, check, claim)
    if doubt is not None:
        return [doubt]
    report = describe_live_certificate(run.request.file, claim, check)
    return [PropertyVerdict(p.name, Verdict.TRUE, certificate=report)]


def confirmed(run: Run, system: TransitionSystem, lasso: Lasso) -> list[PropertyVerdict]:
    """The property does not hold if the lasso is a fair run that violates it."""
    p = _only(system)
    check = check_lasso(system, p, lasso, run.links(sorts_of(system)), run.tick)
    if check.status is not TraceStatus.CONFIRMED or check.trace is None:
        raise Rejected(f"the lasso was rejected: {check.reason}", lasso)
    streams, doubt = _seen_again(run, check.trace)
    if doubt:
        return [run.unknown(p.name, doubt)]
    report = replace(describe_lasso(system, run.request.file, check.trace, p.name), streams=streams)
    return [
        PropertyVerdict(
            p.name, Verdict.FALSE, trace=_with_witness(run, system, check.trace, report)
        )
    ]


def _seen_again(run: Run, lasso: Lasso) -> tuple[tuple[StreamReport, ...], str]:
    """A lasso as a second reader of the input sees it, where there is one: its streams, and why it
    may be no run after all.
    """
    again = run.language.hook("replay")
    if again is None:
        return (), ""
    if len(lasso.steps) > MAX_STEPS:
        return (
            (),
            f"a lasso of {len(lasso.steps)} steps is too long for the second reader of the input",
        )
    reading = run.language.reads(contracts=run.pipeline.contracts)
    streams, doubt = again(run.request.file, SystemTrace(lasso.steps), None, **reading)
    return tuple(StreamReport(*stream) for stream in streams), str(doubt)


def _with_witness(
    run: Run, system: TransitionSystem, lasso: Lasso, report: TraceReport
) -> TraceReport:
    """The report with the lasso in the input's own format, read back and replayed, where one is
    wanted.
    """
    write, read = run.language.hook("write_witness"), run.language.hook("read_witness")
    if not run.request.witness or write is None or read is None:
        return report
    p, text = _only(system), write(system, "false", lasso, _only(system).name)
    again = read_lasso_witness(run, system, text, "the witness")
    if (
        check_lasso(system, p, again, run.links(sorts_of(system)), run.tick).status
        is not TraceStatus.CONFIRMED
    ):
        raise Rejected("the witness was rejected", lasso)
    return replace(report, witness=text)


# -- from files ------------------------------------------------------------------------------------


def read_lasso_witness(run: Run, system: TransitionSystem, text: str, witness: str) -> Lasso:
    """The lasso of a witness; where its loop begins is said in a comment, or is the state that
    comes back at its end.
    """
    trace = read_witness(run.language, system, text, witness)
    told = re.search(r"^(?:c|;) loop ([0-9]{1,9})\s*$", text, re.MULTILINE)
    loop = int(told[1]) if told else loop_of(system, trace, run.links(sorts_of(system)), run.tick)
    if loop is None:
        raise InputError(
            "the last state of the witness is none of those before it, so that there is no loop",
            Span(witness, 1, 1),
        )
    return Lasso(trace.steps, loop)


def read_proof(system: TransitionSystem, data: Mapping[str, Any], file: str) -> LiveCertificate:
    """A proof from its JSON; formulas over other symbols than the product's are refused."""
    try:
        kind, k = str(data["kind"]), whole(data["k"], MAX_ROUNDS)
        texts = [str(i["formula"]) for i in data["invariants"]]
        relative = [tuple(whole(j) for j in i.get("relative", ())) for i in data["invariants"]]
        watched = _watched(system, (data["invariants"] or [{}])[0])
        formulas = Formulas(
            product_of(system, _only(system), kind, k, watched).state, TermStore.raw()
        )
        first, *rest = [formulas.read(text) for text in texts]
        rank = tuple(formulas.read(str(text)) for text in data["invariants"][0].get("rank") or ())
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InputError(f"malformed certificate: {problem!r}", Span(file)) from problem
    if kind == "walls":
        return Walls(first, tuple(Wall(f, r) for f, r in zip(rest, relative[1:], strict=True)))
    if kind == "ranks":
        return Ranked(first, rank)
    return Saved(first, watched) if kind == "saved" else Counted(k, first)


def _watched(system: TransitionSystem, data: Mapping[str, Any]) -> tuple[Term, ...]:
    """The terms whose values are saved, over the state of the product with the property; none: the
    whole state is saved.
    """
    formulas = Formulas(product_of(system, _only(system), "walls", 0).state, TermStore.raw())
    return tuple(formulas.read(str(text)) for text in data.get("watched") or ())
