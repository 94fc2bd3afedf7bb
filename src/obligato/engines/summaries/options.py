"""The options of the engine `summaries`."""

from __future__ import annotations

from dataclasses import dataclass

from obligato.engines.kernel.queue import ORDER_HELP, ORDERS
from obligato.engines.options import BACKENDS, option


@dataclass(frozen=True, slots=True)
class Options:
    """What can be varied."""

    bound: int = option(1_000_000, "levels after which it gives up", "[KGC14]", low=0)
    order: str = option("ascending", ORDER_HELP, "[LNNK19, 5.4]", ORDERS)
    weaken: bool = option(True, "relax bounds of inequalities in lemmas while they hold", "[HB12]")
    combine: bool = option(True, "try the sum of two inequalities instead of both", "[HB12]")
    backend: str = option("auto", "solver", "", BACKENDS)
