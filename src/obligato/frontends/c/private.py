"""What a call of a procedure does that its caller can notice.

Invisible are its locals, and memory that comes into existence in the call: the variables of the
function that pointers reach, and allocations that it makes, as long as they are accessed by
*private* pointers: those that have no other source. Whoever else gets to know such a pointer reads
it from where it was stored, or from the result, and that access counts.

A local is private if all that is assigned to it is private (the greatest solution over all
procedures), and something that is assigned to it is an address (so that no number is taken for one
because it is only ever assigned 0 and itself plus 1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from obligato.frontends.c.sequencing import Access, Effects, effects_of
from obligato.program.syntax import Assign, Call, Havoc, Procedure, statements
from obligato.terms import Op, Term

HEAP, MEMORY = "heap$", "memory$"  # the next free address; the arrays of regions


@dataclass
class Owned:
    """What each call of a function has anew: variables (with the name of the function), and
    addresses from low to high; which variables of C are pointers, and which are numbers.
    """

    variables: dict[Term, str] = field(default_factory=dict)
    addresses: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    pointers: dict[str, None] = field(default_factory=dict)
    numbers: dict[str, None] = field(default_factory=dict)


def summaries(procedures: dict[str, Procedure], owned: Owned) -> dict[str, Effects]:
    """What a caller can notice of each procedure, calls included."""
    private = _Private(procedures, owned)
    own = {
        name: private.visible(name, effects_of(p.body, with_loops=True))
        for name, p in procedures.items()
    }
    callers: dict[str, list[str]] = {name: [] for name in own}
    for name, e in own.items():
        for callee in e.calls:
            if callee in callers:
                callers[callee].append(name)
    pending = dict.fromkeys(own)
    while pending:
        name = next(iter(pending))
        del pending[name]
        for caller in callers[name]:
            if own[caller].add(private.visible(caller, own[name])):
                pending[caller] = None
    return own


class _Private:
    """The private variables of all procedures, by their full names."""

    def __init__(self, procedures: dict[str, Procedure], owned: Owned) -> None:
        self._owned = owned
        sources = dict(_sources(procedures))
        self._variables = {
            v.name: None
            for p in procedures.values()
            for v in (*p.locals, *p.results)
            if v.name not in owned.numbers
        }
        self._repeat(sources, lambda x, terms: all(self._fits(x, t) for t in terms))
        addresses: dict[str, None] = {}
        changed = True
        while changed:
            new = [
                x
                for x in self._variables
                if x not in addresses
                and any(self._is_address(x, t, addresses) for t in sources.get(x, ()))
            ]
            addresses.update(dict.fromkeys(new))
            changed = bool(new)
        self._variables = addresses

    def _repeat(
        self, sources: dict[str, list[Term | None]], holds: Callable[[str, list[Term | None]], bool]
    ) -> None:
        """Take out variables until it holds for all that remain."""
        while bad := [x for x in self._variables if not holds(x, sources.get(x, []))]:
            for x in bad:
                del self._variables[x]

    def visible(self, name: str, e: Effects) -> Effects:
        """The effects without what is invisible for callers of the procedure; elements are not told
        apart.
        """

        def shared(accesses: dict[Access, None]) -> dict[Access, None]:
            return {
                (x, None): None
                for x, i in accesses
                if "::" not in x.name
                and self._owned.variables.get(x) != name
                and not (i is not None and x.name.startswith(MEMORY) and self._is_inside(name, i))
            }

        sums = {
            x: None for x in e.sums if "::" not in x.name and self._owned.variables.get(x) != name
        }
        return Effects(shared(e.reads), shared(e.writes), e.calls, sums)

    def _is_inside(self, name: str, address: Term) -> bool:
        """Is the term certainly an address inside of an object of this call?"""
        return (
            self._is_owned(name, address)
            if address.is_const
            else self._is_based(address, self._variables)
        )

    def _is_owned(self, name: str, address: Term) -> bool:
        ranges = self._owned.addresses.get(name, ())
        return isinstance(address.data, int) and any(
            low <= address.data <= high for low, high in ranges
        )

    def _is_based(self, t: Term, variables: dict[str, None]) -> bool:
        """Is the term one of the variables, or the next free address, with an offset added?"""
        if t.op is Op.VAR:
            return t.name == HEAP or t.name in variables
        return t.op is Op.BVADD and sum(self._is_based(x, variables) for x in t.args) == 1

    def _fits(self, x: str, t: Term | None) -> bool:
        """May `t` be assigned to a private variable?"""
        if t is None:
            return False
        if t.op is Op.ITE:
            return all(self._fits(x, a) for a in t.args[1:])
        return (
            (t.is_const and t.data == 0)
            or self._is_own_constant(x, t)
            or self._is_based(t, self._variables)
        )

    def _is_own_constant(self, x: str, t: Term) -> bool:
        """Is the term the constant address of a variable of the function, which is assigned to a
        pointer?
        """
        return t.is_const and x in self._owned.pointers and self._is_owned(x.partition("::")[0], t)

    def _is_address(self, x: str, t: Term | None, known: dict[str, None]) -> bool:
        """Is `t` certainly an address, if the known variables are?"""
        if t is not None and t.op is Op.ITE:
            return any(self._is_address(x, a, known) for a in t.args[1:])
        return t is not None and (self._is_own_constant(x, t) or self._is_based(t, known))


def _sources(procedures: dict[str, Procedure]) -> Iterator[tuple[str, list[Term | None]]]:
    """What is assigned to each local; None for what is not known, the result's variable for the
    result of a call.
    """
    found: dict[str, list[Term | None]] = {}
    for p in procedures.values():
        for s in statements(p.body):
            if isinstance(s, Assign):
                for x, value in zip(s.targets, s.values, strict=True):
                    found.setdefault(x.name, []).append(value)
            elif isinstance(s, Havoc):
                for x in s.targets:
                    found.setdefault(x.name, []).append(None)
            elif isinstance(s, Call):
                results = procedures[s.callee].results if s.callee in procedures else ()
                for i, x in enumerate(s.results):
                    given = results[i] if i < len(results) else None
                    t = (
                        None
                        if given is None or x.sort is not given.type
                        else x.store.var(given.name, x.sort)
                    )
                    found.setdefault(x.name, []).append(t)
    yield from found.items()
