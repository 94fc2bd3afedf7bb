"""What the lowerings of all functions of a program share."""

from __future__ import annotations

from dataclasses import dataclass, field

from obligato.frontends.c.markers import Marker
from obligato.frontends.c.objects import Object, Region, Single
from obligato.frontends.c.regions import Regions
from obligato.frontends.c.scalars import Scalars
from obligato.frontends.c.scopes import Scopes
from obligato.frontends.c.sequencing import Sequencing
from obligato.frontends.c.type_table import TypeTable
from obligato.frontends.c.usage import Usage
from obligato.program.syntax import Variable
from obligato.terms import Sort, Term, TermStore, array, bitvec

ArrayKey = Sort | tuple[int, int]


@dataclass
class Context:
    """What all functions of a program share."""

    store: TermStore
    scalars: Scalars
    types: TypeTable
    usage: Usage
    regions: Regions
    width: int  # of pointers, in bits
    prop: str
    pure_externals: bool
    releases: bool = False  # memory safety: does any allocation die?
    # does an allocation end with its scope or function, before the program does?
    ends: bool = False
    tracked: bool = (
        False  # memory safety: is memory to be freed, or pointed to, in the end (valid-memtrack)?
    )
    only_reach_error: bool = False  # a failed assert() ends the run, but is not the error
    markers: tuple[Marker, ...] = ()  # of a witness that is checked
    globals: dict[str, Variable] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    # variables for the results of calls that have no sign
    unsigned: dict[str, None] = field(default_factory=dict)
    # variables for the results of calls that are pointers
    pointers: dict[str, None] = field(default_factory=dict)
    sequencing: Sequencing = field(default_factory=Sequencing)
    scopes: Scopes = field(default_factory=Scopes)
    # memory safety: allocations that are made once
    singles: dict[Object, Single] = field(default_factory=dict)
    region_arrays: dict[tuple[int, ArrayKey], Term] = field(default_factory=dict)

    def region_array(self, region: Region, key: ArrayKey) -> Term:
        """The SMT array that holds the scalars of one sort (or one bit-field) of a region."""
        known = self.region_arrays.get((region.number, key))
        if known is None:
            element = key if isinstance(key, Sort) else bitvec(key[1])
            sort = array(bitvec(self.width), element)
            text = _sort_name(element) if isinstance(key, Sort) else f"bits{key[0]}_{key[1]}"
            known = self.store.var(self.regions.unique(f"memory${region.number}.{text}"), sort)
            if region.objects and all(o.kind == "arguments" for o in region.objects):
                self.sequencing.exempt[known.name] = None
            self.region_arrays[region.number, key] = known
            self.globals[known.name] = Variable(known.name, sort)
        return known


def _sort_name(sort: Sort) -> str:
    return str(sort).strip("()").replace("_ ", "").replace(" ", "").lower()
