"""Which globals of a C file can be compared at the end of a run:
numbers that are variables of the lowered program too.

A global that pointers reach lies in a memory whose addresses only the front end knows; pointers
hold addresses; unions have bytes without meaning.  Those are not compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from obligato.frontends.c import kinds as k
from obligato.frontends.c.nodes import Tree
from obligato.frontends.c.source import parse, read_source, with_stack
from obligato.frontends.c.types import ArrayType, CType, FloatType, IntType, RecordType
from obligato.frontends.preprocessing import DEFAULT
from obligato.program.activation import scalars
from obligato.program.syntax import Program
from obligato.terms import Kind, Sort

MAX_PARTS = 300


@dataclass(frozen=True, slots=True)
class Observed:
    """A number in a global: where it is in C (object, bits),
    and in the lowered program (variable, element of an array)."""

    object: str
    offset: int
    width: int
    floating: bool
    variable: str
    index: int | None

    @property
    def label(self) -> str:
        """Its name in the logs."""
        return self.variable if self.index is None else f"{self.variable}[{self.index}]"


@dataclass(frozen=True, slots=True)
class _Leaf:
    path: str
    without_indices: str
    index: int | None
    offset: int
    type: CType
    bits: int | None


def observed(source: Path, data_model: str, program: Program) -> tuple[Observed, ...]:
    """What can be compared, in the order of declaration; at most `MAX_PARTS`."""
    known = dict(scalars(program.globals))

    def work() -> list[Observed]:
        with closing(parse(read_source(source, data_model, DEFAULT), data_model)) as unit:
            found: dict[str, Observed] = {}
            for name, t in _globals(Tree(unit)):
                for leaf in _leaves(name, name, None, 0, t):
                    o = _matched(name, leaf, known)
                    if o is not None and len(found) < MAX_PARTS:
                        found.setdefault(o.label, o)
            return list(found.values())

    return tuple(with_stack(work))


def _globals(tree: Tree) -> Iterator[tuple[str, CType]]:
    for n in tree.root.children:
        if n.kind == k.VAR_DECL and tree.lib.Cursor_getStorageClass(n.cursor) != k.SC_EXTERN:
            yield n.spelling, n.type


def _leaves(
    path: str, plain: str, index: int | None, offset: int, t: CType, bits: int | None = None
) -> Iterator[_Leaf]:
    if isinstance(t, ArrayType):
        for i in range(min(t.count or 0, MAX_PARTS)):
            flat = i if index is None else index * (t.count or 0) + i
            yield from _leaves(
                f"{path}.{i}", plain, flat, offset + 8 * i * t.element.size, t.element
            )
    elif isinstance(t, RecordType) and not t.is_union:
        for f in t.fields:
            if f.name:
                yield from _leaves(
                    f"{path}.{f.name}",
                    f"{plain}.{f.name}",
                    index,
                    offset + f.offset,
                    f.type,
                    f.bits,
                )
    elif isinstance(t, IntType | FloatType):
        yield _Leaf(path, plain, index, offset, t, bits)


def _matched(name: str, leaf: _Leaf, known: dict[str, Sort]) -> Observed | None:
    spread = f"{leaf.without_indices}[{leaf.index}]"
    variable = spread if spread in known else leaf.path
    sort, index = known.get(variable), None
    if sort is None and leaf.index is not None:
        whole = known.get(leaf.without_indices)
        if whole is not None and whole.kind is Kind.ARRAY:
            sort, variable, index = whole.element, leaf.without_indices, leaf.index
    if (
        sort is None
        or sort.kind not in (Kind.BITVEC, Kind.FLOAT)
        or sort.width not in (leaf.bits, 8 * leaf.type.size)
    ):
        return None
    if sort.width > 64:
        return None
    return Observed(name, leaf.offset, sort.width, sort.kind is Kind.FLOAT, variable, index)
