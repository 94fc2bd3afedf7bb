"""From what was read to the model that is checked and the model that is proved: CFAs of programs, or transition systems."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from obligato.errors import ConfigError, Unsupported
from obligato.frontends.registry import UNREACH_CALL
from obligato.models.build import build_cfa
from obligato.models.cfa import CFA
from obligato.models.claims import Lift
from obligato.models.importing import import_cfa
from obligato.models.transition_system import Property, TransitionSystem
from obligato.program.inline import inline
from obligato.program.syntax import Program
from obligato.terms import TermStore


def select_properties(system: TransitionSystem, wanted: str) -> TransitionSystem:
    """The system with the properties of these names (with commas between them) only; `unreach-call` stands for all."""
    if wanted == UNREACH_CALL:
        if not system.properties:
            raise ConfigError("the system has no safety property")
        return replace(system, fairness=(), liveness=())
    whole = _named(system, wanted)  # a name may have a comma in it
    chosen = whole or [p for name in wanted.split(",") for p in _named(system, name.strip()) or _missing(system, name)]
    return replace(system, properties=tuple(dict.fromkeys(chosen)), fairness=(), liveness=())


def _named(system: TransitionSystem, name: str) -> list[Property]:
    return [p for p in system.properties if name in (p.name, system.display.get(p.name))]


def _missing(system: TransitionSystem, name: str) -> NoReturn:
    if name.startswith(("justice", "fair")):
        raise Unsupported("justice and fairness (liveness) are not supported", construct="justice")
    names = ", ".join(p.name for p in system.properties[:20]) or "none"
    raise ConfigError(f"there is no property {name!r}; there are: {names}")


def original_cfa(program: Program) -> CFA:
    """The CFA of the inlined but otherwise untouched program, in the program's own store: what is checked."""
    return build_cfa(inline(program))


def reduced(cfa: CFA, level: int) -> tuple[CFA, Lift]:
    """The same program in a simplifying store, reduced as far as `level` allows: what is proved."""
    from obligato.analysis.pipeline import reduce

    return reduce(import_cfa(cfa, TermStore()), level)
