"""Recursive programs, judged: by summaries and by inlining to a depth; every claim is checked,
every verdict compared.
"""

from __future__ import annotations

from obligato.engines import bmc, summaries
from obligato.engines.environment import Environment
from obligato.models.build import build_cfa
from obligato.models.importing import import_cfa
from obligato.models.procedure_claims import Runs, contracts_of
from obligato.models.procedures import Contracts, RecursiveProgram, Script, split_program
from obligato.models.procedures_to_horn import encode
from obligato.program.inline import inline_to_depth
from obligato.program.syntax import LIMIT, Program
from obligato.results.checking.certificate import Status
from obligato.results.checking.contracts import check_contracts
from obligato.results.checking.solving import chain
from obligato.results.outcome import Verdict
from obligato.results.replay_script import replay_script
from obligato.smt import SolverStats
from obligato.terms import TermStore
from tests.engines.judge import checked
from tests.support.recursive import Tabulation, random_recursive


def decided(
    program: Program, bound: int = 60, debug: bool = False
) -> tuple[Verdict, RecursiveProgram, Contracts | Script | None]:
    """The verdict of `summaries` with its claim, which was checked."""
    split = split_program(program)
    encoding = encode(split, TermStore())
    result = summaries.prove_horn(
        encoding.system, summaries.Options(bound=bound), Environment(debug=debug)
    )
    if result.model is not None:
        contracts = contracts_of(encoding, result.model)
        sorts = [v.sort for p in split.all() for v in p.cfa.variables]
        check = check_contracts(split, contracts, chain(sorts, ("sat", "z3"), SolverStats()))
        assert check.status is Status.ACCEPTED, check
        return result.verdict, split, contracts
    if result.derivation is not None:
        script = Runs(encoding, result.derivation).script()
        assert replay_script(program, script).problem is None
        return result.verdict, split, script
    return result.verdict, split, None


def inlined(program: Program, depth: int) -> Verdict:
    """The verdict of bounded model checking with calls inlined to a depth, whose claim was checked;
    a limit is unknown.
    """
    cfa = build_cfa(inline_to_depth(program, depth))
    result = bmc.prove_cfa(import_cfa(cfa, TermStore()), bmc.Options(bound=60), Environment())
    if result.trace is not None:
        violation = cfa.by_id[result.trace.steps[-1].edge].violation
        if violation is not None and violation.kind == LIMIT:
            return Verdict.UNKNOWN
    problem = checked(program, cfa, result)
    assert problem is None, problem
    return result.verdict


def objection(seed: int) -> str | None:
    """What speaks against one of the two ways on a random program; None if both agree with
    tabulation.
    """
    program = random_recursive(seed)
    expected = Verdict.FALSE if Tabulation(program).violated() else Verdict.TRUE
    try:
        by_summaries, by_inlining = decided(program)[0], inlined(program, 2 + seed % 5)
    except AssertionError as problem:
        return f"a claim was refused: {problem}"
    if by_summaries is not expected:
        return f"{expected.value} expected, summaries: {by_summaries.value}"
    if by_inlining not in (expected, Verdict.UNKNOWN):
        return f"{expected.value} expected, inlined to depth {2 + seed % 5}: {by_inlining.value}"
    return None
