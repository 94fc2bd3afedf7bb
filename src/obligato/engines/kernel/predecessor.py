"""Predecessor cubes: the exact pre-image of a cube along the one path that a model names
[LNNK19, 4.1, 5.3].

wep(path, c) is a conjunction over the source state and the edge's inputs. What is not a literal is
replaced by an implicant that the model chooses; inputs are eliminated by equality, projection or
the model's value (`smt.projection`). Both may under-approximate; the obligation is then marked
inexact: it still reaches the error, but it is not the whole pre-image.

Ensures: the cube is satisfiable, contains no input,
and every state in it has a successor in `cube` along the path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from obligato.engines.kernel.cube import Literals, cube_of
from obligato.engines.kernel.normalize import normalize
from obligato.smt.implicant import implicant
from obligato.smt.projection import project
from obligato.terms import Op, Term, conjuncts, free_vars

if TYPE_CHECKING:
    from obligato.engines.kernel.block_edge import Reached
    from obligato.models.effect import PathEffect

Inspect = Callable[[Sequence[Term], Sequence[Term]], None]


def predecessor(
    reached: Reached, cube: Literals, inputs: frozenset[Term], inspect: Inspect | None = None
) -> tuple[Literals, PathEffect, bool]:
    """The cube of predecessors, the path to `cube`, and whether it is exact.
    `inspect`, a debug checker, sees normalisation.

    Requires: the model of `reached` satisfies wep(reached.edge, cube).
    """
    path = reached.edge.path_of(reached.model)
    parts: dict[Term, None] = dict.fromkeys(path.guard)
    for lit in cube:
        pulled = path.pull(lit)
        if pulled.op is Op.AND or pulled.op is Op.CONST:
            parts.update(dict.fromkeys(conjuncts(pulled)))
        else:
            parts[pulled] = None
    literals, exact = _literals(parts, reached)
    hidden = dict.fromkeys(
        v for lit in literals for v in reached.edge.shape(lit).variables if v in inputs
    )
    if hidden:
        values = {v: x for v in free_vars(*literals) if (x := reached.model.get(v)) is not None}
        projection = project(literals, list(hidden), values)
        literals, exact = list(projection.literals), exact and projection.exact
    normal = normalize(literals)
    if inspect is not None:
        inspect(literals, normal)
    return cube_of(normal), path, exact


def _literals(parts: Iterable[Term], reached: Reached) -> tuple[list[Term], bool]:
    """Literals without ite that imply all `parts`; exact if all were such literals already."""
    simple: list[Term] = []
    rest: list[Term] = []
    for p in parts:
        (simple if reached.edge.shape(p).plain else rest).append(p)
    if not rest:
        return simple, True
    found = implicant(rest[0].store.and_(*rest), reached.model)
    return list(dict.fromkeys([*simple, *found])), False
