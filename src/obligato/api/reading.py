"""From what was read to the model that is checked and the model that is proved: CFAs of programs, or transition systems."""

from __future__ import annotations

from dataclasses import replace

from obligato.errors import ConfigError, Unsupported
from obligato.frontends.registry import UNREACH_CALL
from obligato.models.build import build_cfa
from obligato.models.cfa import CFA
from obligato.models.claims import Lift
from obligato.models.importing import import_cfa
from obligato.models.transition_system import TransitionSystem
from obligato.program.inline import inline
from obligato.program.syntax import Program
from obligato.terms import TermStore


def select_property(system: TransitionSystem, wanted: str) -> TransitionSystem:
    """The system with the property of that name only; `unreach-call`, the default, stands for all."""
    if wanted == UNREACH_CALL:
        chosen = system.properties
        if not chosen:
            raise ConfigError("the system has no safety property")
    else:
        chosen = tuple(p for p in system.properties if wanted in (p.name, system.display.get(p.name)))
    if not chosen and wanted.startswith(("justice", "fair")):
        raise Unsupported("justice and fairness (liveness) are not supported", construct="justice")
    if not chosen:
        names = ", ".join(p.name for p in system.properties[:20]) or "none"
        raise ConfigError(f"there is no property {wanted!r}; there are: {names}")
    return replace(system, properties=chosen, fairness=(), liveness=())


def original_cfa(program: Program) -> CFA:
    """The CFA of the inlined but otherwise untouched program, in the program's own store: what is checked."""
    return build_cfa(inline(program))


def reduced(cfa: CFA, level: int) -> tuple[CFA, Lift]:
    """The same program in a simplifying store, reduced as far as `level` allows: what is proved."""
    from obligato.analysis.pipeline import reduce

    return reduce(import_cfa(cfa, TermStore()), level)
