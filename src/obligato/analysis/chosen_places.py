"""Where a program reads an array at a place that it has just been given (``k = input(); assume(0 <=
k && k < n); assert(a[k] == 0)``).

What is known of all cells is used at the places that are read, as terms over the variables where a
block starts.  Such a `k` has its value only inside of the block, so the location before the read is
one to keep (`CFA.keep`), and the conditions that lead there are candidates (`passed`): they may be
about variables that nothing needs any more.

Limitation: the first `MOST` such reads of a program, `NEAR` locations behind the input.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from obligato.analysis.commands import terms_of
from obligato.models.blocks import cut_points
from obligato.models.cfa import CFA, Edge
from obligato.models.effect import BlockEffect
from obligato.models.gcl import Assign, Assume, walk
from obligato.terms import Op, Term, free_vars, postorder, substitute

MOST = 4
NEAR = 200  # locations from the input on


def reads_at_inputs(cfa: CFA) -> list[int]:
    """The locations before reads, at places that depend on variables which were set to inputs since
    the last cut point; none if no array is written.
    """
    terms = {e.id: list(postorder(_terms(e))) for e in cfa.edges}
    if not any(t.op is Op.STORE for nodes in terms.values() for t in nodes):
        return []
    reads = {i: _in_places(nodes) for i, nodes in terms.items()}
    read = frozenset(v for vs in reads.values() for v in vs)  # membership only
    cuts, found = frozenset(cut_points(cfa)), dict[int, None]()
    for e in cfa.edges:
        given = _given(cfa, e) & read
        if given and len(found) < MOST:
            found |= dict.fromkeys(_readers(cfa, e.target, given, cuts, reads))
    return list(found)[:MOST]


def passed(blocks: CFA) -> dict[int, list[Term]]:
    """By location that is kept, the conditions of the blocks that end there, about the state then."""
    out, variables = dict[int, list[Term]](), frozenset(blocks.variables)  # membership only
    for loc in blocks.keep:
        for e in blocks.into(loc) if loc in blocks.locations else ():
            effect = BlockEffect(blocks.store, e.command, f"passed!{e.id}!")
            now = {t: x for x, t in effect.pull.mapping.items() if t in blocks.input_set}
            atoms = [substitute(g, now) for g in effect.guard]
            moved = frozenset(effect.pull.mapping) - frozenset(now.values())  # membership only
            out.setdefault(loc, []).extend(
                a for a in atoms if all(v in variables and v not in moved for v in free_vars(a))
            )
    return out


def _terms(e: Edge) -> list[Term]:
    leaves = [c for c in walk(e.command) if isinstance(c, Assign | Assume)]
    return [t for c in leaves for t in terms_of(c)]


def _given(cfa: CFA, e: Edge) -> frozenset[Term]:
    """The variables that an edge sets to something with an input in it."""
    pairs = [p for c in walk(e.command) if isinstance(c, Assign) for p in c.pairs]
    return frozenset(x for x, t in pairs if any(v in cfa.input_set for v in free_vars(t)))


def _readers(
    cfa: CFA,
    start: int,
    given: frozenset[Term],
    cuts: frozenset[int],
    reads: Mapping[int, frozenset[Term]],
) -> Iterator[int]:
    """The first locations from here on, before any cut point and near, whose edges read at a place
    with one of the given variables.
    """
    stack, seen = [start], {start}
    while stack and len(seen) < NEAR:
        loc = stack.pop()
        if loc in cuts:
            continue
        if any(reads[e.id] & given for e in cfa.out(loc)):
            yield loc
            continue
        new = [e.target for e in cfa.out(loc) if e.target not in seen]
        seen.update(new)
        stack += new


def _in_places(nodes: Iterable[Term]) -> frozenset[Term]:
    """The variables in the places that are read."""
    return frozenset(v for t in nodes if t.op is Op.SELECT for v in free_vars(t.args[1]))
