"""From a file to the CFA that is checked and the CFA that is proved."""

from __future__ import annotations

from pathlib import Path

from obligato.analysis.pipeline import reduce
from obligato.api.request import UNREACH_CALL
from obligato.errors import ConfigError, Span, Unsupported
from obligato.frontends import ivl
from obligato.models.build import build_cfa
from obligato.models.cfa import CFA
from obligato.models.claims import Lift
from obligato.models.importing import import_cfa
from obligato.program.inline import inline
from obligato.program.syntax import Program
from obligato.terms import TermStore

C_SUFFIXES = (".c", ".i")
IVL_SUFFIXES = (".ivl",)


def load(file: str | Path, data_model: str = "ILP32", entry: str = "main", property: str = UNREACH_CALL) -> Program:
    """The program in `file`; its kind is told by the suffix."""
    suffix = Path(file).suffix
    if suffix in C_SUFFIXES:
        from obligato.frontends import c  # loads libclang

        return c.load(file, data_model=data_model, entry=entry, property=property)
    if suffix in IVL_SUFFIXES:
        if property != UNREACH_CALL:
            raise ConfigError(f"property {property} is about C programs")
        return ivl.load(file)
    known = ", ".join((*C_SUFFIXES, *IVL_SUFFIXES))
    raise Unsupported(f"no front end for files named *{suffix}; there are: {known}", Span(str(file)), "file type")


def original_cfa(program: Program) -> CFA:
    """The CFA of the inlined but otherwise untouched program, in the program's own store: what is checked."""
    return build_cfa(inline(program))


def reduced(cfa: CFA, level: int) -> tuple[CFA, Lift]:
    """The same program in a simplifying store, reduced as far as `level` allows: what is proved."""
    return reduce(import_cfa(cfa, TermStore()), level)
