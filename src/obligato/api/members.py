"""Which engines a portfolio runs on an input, in which order: by the features of the input, from a
table.

The first engine is the one that solves most alone; it begins, and its features choose the others.
Engines that are listed earlier start earlier. The number of each is its weight: processor time is
given in proportion to the weights of those that have not ended (`api.portfolio`). Engines and
weights were chosen by what each engine solves alone, and how soon; docs/auto.md has the figures.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from obligato.api.request import AUTO
from obligato.errors import ConfigError

if TYPE_CHECKING:
    from obligato.api.request import Request

DETERMINISTIC = "deterministic"  # a setting of portfolios: turns are counted in solver calls
EXCHANGE = "exchange"  # the same: members tell each other what they find
Weights = dict[str, float]
BITS: Weights = {"ic3bmc": 4.0, "kinduction": 1.0, "ic3ia": 1.0}
BOOLEANS: Weights = {"ic3bmc": 4.0, "kinduction": 1.0}  # no words: no predicates to abstract by
NUMBERS: Weights = {"ic3ia": 6.0, "kinduction": 1.5, "ic3cfa": 1.0, "ctigar": 1.0}
WORDS: Weights = {"ic3ia": 6.0, "ic3bmc": 1.5, "ic3cfa": 1.0, "kinduction": 1.0}
FLOW: Weights = {"ic3ia": 6.0, "ic3cfa": 2.5, "kinduction": 0.25, "ctigar": 0.25}
# IC3IA begins, since it solves most of them at once, but IC3CFA goes further
BLOCKS: Weights = {"ic3ia": 3.0, "ic3cfa": 6.0, "kinduction": 0.5}
BLOCK = 4  # steps that a large block joins, so that blocks are worth their cost
# infinite runs of systems with infinitely many states
INFINITE: Weights = {"rank": 1.6, "klive": 1.0, "l2s": 1.0}
TABLE: dict[str, Weights] = {
    "program": {"ic3cfa": 6.0, "trials": 1.5, "bmc": 1.5},
    "clauses": {"ic3cfa": 2.0, "ic3ia": 1.0, "bmc": 0.5},
    "temporal": {"fair": 1.6, "klive": 1.0, "l2s": 1.0},
    "branching": {"iictl": 1.0},
    # the engines for one kind of properties refuse the others; the first member changes its engine
    "mixed": {},
}


@dataclass(frozen=True, slots=True)
class Features:
    """The features of one input, as `api.features` finds them.

    `kind`: program, or clauses (of Horn); of a transition system what its properties are about:
    system (states), temporal (infinite runs), branching
    (trees of runs), or mixed. `bits`: all variables are Booleans, words or arrays of them. `size`
    counts edges of a CFA or the state variables of a system. `booleans`: all variables are
    Booleans. `steps`: of the control flow that was recovered from a system, how many steps a large
    block joins on average; 0 where there is none.
    """

    kind: str
    bits: bool = False
    arrays: bool = False
    size: int = 0
    booleans: bool = False
    steps: float = 0.0


def named_members(name: str) -> tuple[str, ...]:
    """The engines that the user has named, with commas between them; none where the choice is left
    to us.
    """
    if name == AUTO:
        return ()
    from obligato.api.registry import engine

    return tuple(dict.fromkeys(engine(part.strip()).name for part in name.split(",")))


def helped(request: Request) -> Request:
    """The request, where it names no engine, as one that several engines may help with, unless it
    asks for what belongs to one: a preset, an event log, checks inside the engine, one of its
    options.
    """
    single = request.preset is not None or request.log is not None or request.debug
    own = [
        key
        for key in request.settings
        if key not in shared_settings() | {DETERMINISTIC, EXCHANGE} and "." not in key
    ]
    return replace(request, several=not (request.engine or single or own))


def shared_settings() -> frozenset[str]:
    """The settings that hold for all members."""
    from obligato.api.settings import PipelineOptions

    return frozenset(f.name for f in fields(PipelineOptions))


def members_for(features: Features, first: str = "") -> Weights:
    """The engines for an input with these features, with their weights, in the order in which they
    start, after the one that is there already.
    """
    if features.kind == "temporal" and not features.bits:
        return INFINITE
    if features.kind in TABLE:
        return TABLE[features.kind]
    if features.steps:
        return BLOCKS if features.steps >= BLOCK else FLOW
    if not features.bits:
        return NUMBERS
    if first == "ic3ia":
        return WORDS
    return BOOLEANS if features.booleans else BITS


def own_settings(
    name: str, members: tuple[str, ...], settings: dict[str, str], shared: frozenset[str]
) -> dict[str, str]:
    """The settings of one member: those of the pipeline, and those that are written
    ENGINE.option=value.
    """
    from obligato.api.registry import ENGINES

    own: dict[str, str] = {}
    for key, value in settings.items():
        owner, dot, option = key.rpartition(".")
        if dot and owner == name:
            own[option] = value
        elif not dot and key in shared:
            own[key] = value
        elif not dot or (owner not in ENGINES and owner not in members):
            raise ConfigError(
                f"with several engines the option {key!r} is written ENGINE.{option or key}=value"
            )
    return own
