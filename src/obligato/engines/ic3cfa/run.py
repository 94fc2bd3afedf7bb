"""Entry point: blocks and seeds (`engines.preparation`), then the engine."""

from __future__ import annotations

from dataclasses import replace

from obligato.engines.environment import Environment
from obligato.engines.exchange import silent
from obligato.engines.ic3cfa.engine import IC3CFA
from obligato.engines.ic3cfa.one_run import one_run
from obligato.engines.ic3cfa.options import Options
from obligato.engines.preparation import in_blocks, with_seeds
from obligato.engines.recorded import proof_by_records
from obligato.models.cfa import CFA
from obligato.models.monolithic import Monolithic
from obligato.results.outcome import Certificate, EngineResult, Verdict


def prove(cfa: CFA, options: Options, env: Environment) -> EngineResult:
    """Run IC3CFA on a CFA."""
    options.validate()
    blocks = in_blocks(
        cfa,
        env,
        options.large_blocks,
        options.block_limit,
        options.block_measure,
        options.seed_invariants and options.quantified,
    )
    return (
        _prove_monolithic(blocks, options, env)
        if options.monolithic
        else _prove(blocks, options, env, cfa)
    )


def _prove_monolithic(blocks: CFA, options: Options, env: Environment) -> EngineResult:
    """On one relation with a program counter; the certificate is read off at each of its values."""
    joined = Monolithic(blocks)
    # an unwinding cannot be read off
    with silent(env):  # its only location is none of the input's
        result = _prove(joined.cfa, replace(options, short_runs=0), env, joined.cfa)
    if result.certificate is None:
        return result
    return replace(
        result,
        certificate=Certificate(joined.lift(result.certificate.invariants[joined.everywhere])),
    )


def _prove(blocks: CFA, options: Options, env: Environment, cfa: CFA) -> EngineResult:
    """Run the engine on blocks of `cfa`, with seeds;
    the only run of a program that has no others is executed first."""
    wanted = options.only_run and options.short_runs and len(blocks.locations) > 2
    executed = one_run(blocks, env, options.acceleration) if wanted else None
    if executed is not None:
        return executed
    start = with_seeds(cfa, blocks, options, env)
    if options.seed_invariants and options.quantified:
        proof = proof_by_records(start.blocks, start.seeds, start.make, env.seed)
        if proof is not None:
            return EngineResult(Verdict.TRUE, certificate=proof)
    engine = IC3CFA(
        start.blocks, options, env, start.make, start.seeds, start.predicates, start.consequences
    )
    return start.closed(engine.prove())
