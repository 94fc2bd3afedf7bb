"""Entry point: blocks and seeds (`engines.preparation`), then the engine."""

from __future__ import annotations

from obligato.engines.environment import Environment
from obligato.engines.preparation import in_blocks, with_seeds
from obligato.engines.treeic3.engine import TreeIC3
from obligato.engines.treeic3.options import Options
from obligato.models.cfa import CFA
from obligato.results.outcome import EngineResult


def prove(cfa: CFA, options: Options, env: Environment) -> EngineResult:
    """Run Tree-IC3 on a CFA."""
    start = with_seeds(
        cfa, in_blocks(cfa, env, options.large_blocks, quantified=options.quantified), options, env
    )
    return start.closed(TreeIC3(start, options, env).prove())
