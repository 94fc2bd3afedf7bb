"""From a file to the model that is checked and the model that is proved: CFAs of programs, or transition systems."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from obligato.api.request import UNREACH_CALL
from obligato.errors import ConfigError, Span, Unsupported
from obligato.models.build import build_cfa
from obligato.models.cfa import CFA
from obligato.models.claims import Lift
from obligato.models.importing import import_cfa
from obligato.models.transition_system import TransitionSystem
from obligato.program.inline import inline
from obligato.program.syntax import Program
from obligato.terms import TermStore

C_SUFFIXES = (".c", ".i")
IVL_SUFFIXES = (".ivl",)
BTOR2_SUFFIXES = (".btor2", ".btor")
AIGER_SUFFIXES = (".aig", ".aag")
VMT_SUFFIXES = (".vmt",)
SYSTEM_SUFFIXES = (*BTOR2_SUFFIXES, *AIGER_SUFFIXES, *VMT_SUFFIXES)
HORN_SUFFIXES = (".smt2",)


def is_system(file: str | Path) -> bool:
    """Does the file hold a transition system (by its suffix)?"""
    return Path(file).suffix in SYSTEM_SUFFIXES


def is_horn(file: str | Path) -> bool:
    """Does the file hold Horn clauses (by its suffix)?"""
    return Path(file).suffix in HORN_SUFFIXES


def default_engine(file: str | Path) -> str:
    """The engine of choice for a kind of input."""
    if Path(file).suffix in VMT_SUFFIXES:
        return "ic3ia"
    return "ic3bmc" if is_system(file) else "ic3cfa"


def load_system(file: str | Path) -> TransitionSystem:
    """The transition system in `file` with all its properties, in a store that does not simplify: what is checked."""
    suffix = Path(file).suffix
    if suffix in BTOR2_SUFFIXES:
        from obligato.frontends import btor2

        return btor2.load(file)
    if suffix in AIGER_SUFFIXES:
        from obligato.frontends import aiger

        return aiger.load(file)
    if suffix in VMT_SUFFIXES:
        from obligato.frontends import vmt

        return vmt.load(file)
    raise Unsupported(f"no front end for files named *{suffix}", Span(str(file)), "file type")


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
    return replace(system, properties=chosen)


def load(
    file: str | Path, data_model: str = "ILP32", entry: str = "main", property: str = UNREACH_CALL,
    externals: str = "havoc", memory: str = "auto", addresses: str = "any",
) -> Program:
    """The program in `file`; its kind is told by the suffix."""
    suffix = Path(file).suffix
    if suffix in C_SUFFIXES:
        from obligato.frontends import c  # loads libclang

        return c.load(
            file, data_model=data_model, entry=entry, property=property, externals=externals, memory=memory,
            addresses=addresses)
    if suffix in IVL_SUFFIXES:
        if property != UNREACH_CALL:
            raise ConfigError(f"property {property} is about C programs")
        from obligato.frontends import ivl  # loads the parser generator

        return ivl.load(file)
    known = ", ".join((*C_SUFFIXES, *IVL_SUFFIXES, *SYSTEM_SUFFIXES, *HORN_SUFFIXES))
    raise Unsupported(f"no front end for files named *{suffix}; there are: {known}", Span(str(file)), "file type")


def original_cfa(program: Program) -> CFA:
    """The CFA of the inlined but otherwise untouched program, in the program's own store: what is checked."""
    return build_cfa(inline(program))


def reduced(cfa: CFA, level: int) -> tuple[CFA, Lift]:
    """The same program in a simplifying store, reduced as far as `level` allows: what is proved."""
    from obligato.analysis.pipeline import reduce

    return reduce(import_cfa(cfa, TermStore()), level)
