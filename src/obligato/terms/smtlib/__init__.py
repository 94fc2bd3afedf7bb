"""SMT-LIB 2.6 reader: `read_script` for whole files,
`TermReader` for single expressions in a scope.

Reading order: sexpr (tokens, lists, positions), scope (names, sorts), operators (theories),
reader (terms), script.
"""

from obligato.terms.smtlib.reader import Annotation, Quantified, TermReader
from obligato.terms.smtlib.scope import Apply, Scope, read_sort
from obligato.terms.smtlib.script import Assertion, Declaration, Definition, Script, read_script
from obligato.terms.smtlib.sexpr import (
    Atom,
    SExpr,
    SList,
    Source,
    iter_sexprs,
    parse_sexprs,
    show,
    symbol_name,
)

__all__ = [
    "Annotation",
    "Apply",
    "Assertion",
    "Atom",
    "Declaration",
    "Definition",
    "Quantified",
    "SExpr",
    "SList",
    "Scope",
    "Script",
    "Source",
    "TermReader",
    "iter_sexprs",
    "parse_sexprs",
    "read_script",
    "read_sort",
    "show",
    "symbol_name",
]
