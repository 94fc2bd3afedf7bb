"""From a file to the CFA that is checked and the CFA that is proved."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from obligato.analysis.pipeline import reduce
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


def load(file: str | Path, data_model: str = "ILP32", entry: str = "main") -> Program:
    """The program in `file`; its kind is told by the suffix."""
    suffix = Path(file).suffix
    if suffix in IVL_SUFFIXES:
        return ivl.load(file)
    if suffix in C_SUFFIXES:
        return _load_c(file, data_model, entry)
    known = ", ".join((*C_SUFFIXES, *IVL_SUFFIXES))
    raise Unsupported(f"no front end for files named *{suffix}; there are: {known}", Span(str(file)), "file type")


def _load_c(file: str | Path, data_model: str, entry: str) -> Program:
    reader = getattr(import_module("obligato.frontends.c"), "load", None)
    if reader is None:
        raise ConfigError("the C front end is not part of this installation")
    program: Program = reader(file, data_model=data_model, entry=entry)
    return program


def original_cfa(program: Program) -> CFA:
    """The CFA of the inlined but otherwise untouched program, in the program's own store: what is checked."""
    return build_cfa(inline(program))


def reduced(cfa: CFA, level: int) -> tuple[CFA, Lift]:
    """The same program in a simplifying store, reduced as far as `level` allows: what is proved."""
    return reduce(import_cfa(cfa, TermStore()), level)
