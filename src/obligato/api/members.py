"""Which engines a portfolio runs on an input, in which order: by the features of the input, from a table.

The first engine is the one that solves most alone; it begins, and its features choose the others. Engines that are listed
earlier start earlier and never get less processor time than later ones (`api.portfolio`). The table was chosen by what the
engines solve in docs/results, each alone, and how often what they solve differs; docs/auto.md has the figures.
"""

from __future__ import annotations

from obligato.api.features import Features
from obligato.api.registry import ENGINES, engine
from obligato.errors import ConfigError

AUTO = "auto"

BITS = ("ic3bmc", "kinduction", "ic3ia")
NUMBERS = ("ic3ia", "kinduction", "ctigar", "bmc")
TABLE: dict[str, tuple[str, ...]] = {
    "program": ("ic3cfa", "bmc", "kinduction", "cegar"), "temporal": ("fair", "klive", "l2s"), "branching": ("iictl",),
    "mixed": (),  # the engines for one kind of properties refuse the others; the first member changes its engine
}


def is_portfolio(name: str) -> bool:
    """Does the name of an engine stand for several of them?"""
    return name == AUTO or "," in name


def named_members(name: str) -> tuple[str, ...]:
    """The engines that the user has named, with commas between them; none where the choice is left to us."""
    if name == AUTO:
        return ()
    return tuple(dict.fromkeys(engine(part.strip()).name for part in name.split(",")))


def members_for(features: Features) -> tuple[str, ...]:
    """The engines for an input with these features, the best ones first."""
    return TABLE.get(features.kind, BITS if features.bits else NUMBERS)


def own_settings(name: str, members: tuple[str, ...], settings: dict[str, str], shared: frozenset[str]) -> dict[str, str]:
    """The settings of one member: those of the pipeline, and those that are written ENGINE.option=value."""
    own: dict[str, str] = {}
    for key, value in settings.items():
        owner, dot, option = key.rpartition(".")
        if dot and owner == name:
            own[option] = value
        elif not dot and key in shared:
            own[key] = value
        elif not dot or (owner not in ENGINES and owner not in members):
            raise ConfigError(f"with several engines the option {key!r} is written ENGINE.{option or key}=value")
    return own
