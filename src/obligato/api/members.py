"""Which engines a portfolio runs on an input, in which order: by the features of the input, from a
table.

The first engine is the one that solves most alone; it begins, and its features choose the others.
Engines that are listed earlier start earlier and never get less processor time than later ones
(`api.portfolio`). The table was chosen by what the engines solve in docs/results, each alone, and
how often what they solve differs; docs/auto.md has the figures.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from obligato.api.request import AUTO
from obligato.errors import ConfigError

if TYPE_CHECKING:
    from obligato.api.request import Request

DETERMINISTIC = "deterministic"  # a setting of portfolios: turns are counted in solver calls
BITS = ("ic3bmc", "kinduction", "ic3ia")
NUMBERS = ("ic3ia", "ic3cfa", "kinduction", "ctigar")
INFINITE = ("rank", "klive", "l2s")  # infinite runs of systems with infinitely many states
TABLE: dict[str, tuple[str, ...]] = {
    "program": ("ic3cfa", "trials", "bmc", "kinduction"),
    "clauses": ("ic3cfa", "ic3ia", "bmc"),
    "temporal": ("fair", "klive", "l2s"),
    "branching": ("iictl",),
    # the engines for one kind of properties refuse the others; the first member changes its engine
    "mixed": (),
}


@dataclass(frozen=True, slots=True)
class Features:
    """The features of one input, as `api.features` finds them.

    `kind`: program, or clauses (of Horn); of a transition system what its properties are about:
    system (states), temporal (infinite runs), branching
    (trees of runs), or mixed. `bits`: all variables are Booleans, words or arrays of them. `size`
    counts edges of a CFA or the state variables of a system. `booleans`: all variables are
    Booleans.
    """

    kind: str
    bits: bool = False
    arrays: bool = False
    floats: bool = False
    size: int = 0
    booleans: bool = False


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
        if key not in shared_settings() | {DETERMINISTIC} and "." not in key
    ]
    return replace(request, several=not (request.engine or single or own))


def shared_settings() -> frozenset[str]:
    """The settings that hold for all members."""
    from obligato.api.registry import PipelineOptions

    return frozenset(f.name for f in fields(PipelineOptions))


def members_for(features: Features) -> tuple[str, ...]:
    """The engines for an input with these features, the best ones first."""
    if features.kind == "temporal" and not features.bits:
        return INFINITE
    # without words there are no predicates to abstract by
    bits = BITS[:2] if features.booleans else BITS
    return TABLE.get(features.kind, bits if features.bits else NUMBERS)


def first_turn(features: Features | None) -> float:
    """How many turns of the others one of the first member is worth: it solves most, of systems of
    bits nearly all.
    """
    return 4.0 if features is not None and features.kind == "system" and features.bits else 1.6


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
