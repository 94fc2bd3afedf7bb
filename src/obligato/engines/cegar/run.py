"""Entry point: blocks and seeds (`engines.preparation`), then the engine."""

from __future__ import annotations

from obligato.engines.cegar.engine import Cegar
from obligato.engines.cegar.options import Options
from obligato.engines.environment import Environment
from obligato.engines.preparation import in_blocks, with_seeds
from obligato.models.cfa import CFA
from obligato.results.outcome import EngineResult


def prove(cfa: CFA, options: Options, env: Environment) -> EngineResult:
    """Run CEGAR on a CFA."""
    start = with_seeds(
        cfa, in_blocks(cfa, env, options.large_blocks, quantified=options.quantified), options, env
    )
    return start.closed(Cegar(start, options, env).prove())
