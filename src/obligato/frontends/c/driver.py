"""From a C file to a `Program`: read, parse, and lower what was parsed (program.py)."""

from __future__ import annotations

import sys
from pathlib import Path

from obligato.errors import ConfigError, InputError, Unsupported
from obligato.frontends.c.atoms import with_functions
from obligato.frontends.c.attributes import refuse_unmodelled
from obligato.frontends.c.library import parse_with_library
from obligato.frontends.c.linking import linked
from obligato.frontends.c.markers import Kind, Marker, instrumented
from obligato.frontends.c.marking import restricted
from obligato.frontends.c.nodes import Tree
from obligato.frontends.c.positions import Positions
from obligato.frontends.c.program import CHECKED, Asked, WholeProgram
from obligato.frontends.c.refused_early import (
    refuse_aligned_fields,
    refuse_large_numbers,
    refuse_selections,
)
from obligato.frontends.c.regions import ADDRESSES
from obligato.frontends.c.source import (
    RECURSION_LIMIT,
    TARGETS,
    Source,
    Unit,
    read_source,
    with_stack,
)
from obligato.frontends.preprocessing import DEFAULT, Preprocessing
from obligato.program.syntax import Program


def load(
    path: str | Path,
    *,
    data_model: str = "LP64",
    property: str = "assertions",
    entry: str = "main",
    externals: str = "havoc",
    memory: str = "auto",
    addresses: str = "any",
    preprocessing: Preprocessing = DEFAULT,
    markers: tuple[Marker, ...] = (),
    observed: tuple[str, ...] = (),
) -> Program:
    """The program in a C file; raises `InputError` (or `Unsupported`) with the place and the
    construct.

    With the `markers` of a witness it is the program in which the witness's invariants are
    asserted, or of which only the runs that follow the witness violate the property. The values of
    the expressions `observed` are those of functions (atoms.py).
    """
    _validate(data_model, property, externals, addresses)
    preprocessing.validate()
    if preprocessing.others:
        source = with_stack(
            lambda: linked(
                [Path(p) for p in (path, *preprocessing.others)], data_model, preprocessing
            )
        )
    else:
        source = read_source(Path(path), data_model, preprocessing)
    source, scoped = (
        with_functions(source, data_model, entry, observed) if observed else (source, False)
    )
    asked = Asked(
        property, entry, externals == "pure", memory, addresses, markers, len(observed), scoped
    )
    return with_stack(lambda: _lowered(source, data_model, asked))


def _lowered(source: Source, data_model: str, asked: Asked) -> Program:
    """Parse and lower the source; needs a large stack."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    unit, target = marked(source, data_model, asked.markers)
    try:
        refuse_unmodelled(unit)
        refuse_selections(tree := Tree(unit))
        refuse_aligned_fields(tree)
        refuse_large_numbers(tree)
        program = WholeProgram(tree, asked).build()
        return (
            restricted(program, asked.markers, target)
            if any(m.kind is Kind.TARGET for m in asked.markers)
            else program
        )
    except RecursionError as e:
        raise Unsupported(
            "statements or operands are nested too deeply", construct="deep nesting"
        ) from e
    finally:
        unit.close()
        sys.setrecursionlimit(limit)


def _validate(data_model: str, property: str, externals: str, addresses: str) -> None:
    """Raises `ConfigError` if one of them is none of the values that it may have."""
    for what, value, values in (
        ("data model", data_model, TARGETS),
        ("property", property, CHECKED),
        ("externals", externals, ("havoc", "pure")),
        ("addresses", addresses, ADDRESSES),
    ):
        if value not in values:
            raise ConfigError(f"{what} {value!r} is none of {', '.join(values)}")


def marked(
    source: Source, data_model: str, markers: tuple[Marker, ...]
) -> tuple[Unit, tuple[int, int]]:
    """The program with the markers in it, and the lines of their target."""
    unit = parse_with_library(source, data_model)
    if not markers:
        return unit, (0, 0)
    try:
        source, target = instrumented(source, Positions(Tree(unit)), markers)
    finally:
        unit.close()
    try:
        return parse_with_library(source, data_model), target
    except InputError as problem:
        raise InputError(
            f"the witness does not fit the program: {problem.message}", problem.span
        ) from problem
