"""The options that all instances of the skeleton share; an engine's own options extend them."""

from __future__ import annotations

from dataclasses import dataclass

from obligato.engines.kernel.queue import ORDER_HELP, ORDERS
from obligato.engines.options import option


@dataclass(frozen=True, slots=True)
class SkeletonOptions:
    """What can be varied in the skeleton."""

    reuse_obligations: bool = option(True, "keep obligations for the next frontier", "[Bra12, 2.2]")
    cube_order: str = option("ascending", ORDER_HELP, "[Bra12, 2.2]", ORDERS)
    drop_literals: bool = option(
        True, "drop literals of a blocked cube beyond the unsat core", "[Bra11]"
    )
    ctg: int = option(3, "counterexamples to generalisation handled per literal", "[HBS13]", low=0)
    ctg_depth: int = option(
        1, "how deep counterexamples to generalisation of their own are handled", "[HBS13]", low=0
    )
    ctg_yield: int = option(
        0, "percent of the CTGs that must have been blocked, or else fewer are tried", "", low=0
    )
    keep_parent: bool = option(
        False,
        "literals of a lemma of the level below are not dropped from a cube that extends it",
        "[XBCGLP23]",
    )
    joins: bool = option(
        True,
        "where a literal cannot be dropped alone, drop with it those that the "
        "counterexample does not satisfy",
        "[HBS13]",
    )
    give_up_after: int = option(
        0, "failed attempts after which dropping literals ends; 0: never", "", low=0
    )
