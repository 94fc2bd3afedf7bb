"""What is claimed about a formula of branching time:
bounds of its subformulas, as the list of what changed them [HBS12].

Formulas are in the core language (`models.ctl`), atoms called p0, p1, ... as they occur; the
structure is the system, with inputs in its state where an atom names one (`models.ctl.structure`).
Of each subformula there are a lower bound L and an upper bound U, by the entries so far:

    true: all states.  atom p: p.  !f: L = not U_f, U = not L_f.
    f & g: L = L_f and L_g, U = U_f and U_g.
    EX f, E f U g, EG f: L is all that has joined by entries, U what has not left; L of E f U g has
    L_g besides, its U is within U_f or U_g, and the U of EG f within U_f.

With R the `invariant` (I implies R; R and C and T implies R'), B_1 ... B_n the fairness sets, "step
of a cube" a state of R in the cube with the given inputs (and, where the system has no next-state
functions, the given next state), X' the X after it:

    Leads   a step of the cube satisfies C and T, and: L_f' (EX f); L_f and L' (E f U g, EG f).
            The cube joins.
    Loops   a step of cube k satisfies C, T and L_f, and leads to cube k + 1 (the last to the first)
            or L'; each B_m is satisfied by the steps of some cube. If there are no B_m, it may lead
            to any of the cubes.  All cubes join (EG f).
    Leaves  EX f: no step of R and C and T from the set leads to U_f.
            E f U g: no state of the set is in U_g and U; a step of R, C and T from the set, U_f and
            U leads into the set or out of U. (Where g demands a fair path, only states with a step
            count.)
            EG f: likewise a step from the set and U leads into the set or out of U; and there are
            no steps (s_i, x_i, t_i) of R, C and T, i = 1 .. n (one if n = 0), with B_i, all s_i and
            t_i in U and the set, and on one side of each wall so far.
    Separates   (EG f) a wall W:  W, R, C, T, U, U' and (W_j iff W_j' for j in `relative`) implies
                W'.   The next wall of f.

The formula holds if I implies L of it; it does not if `start`, an initial state, is outside its U.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from obligato.models.ltl import Formula
    from obligato.terms import Term, Value


@dataclass(frozen=True, slots=True)
class CubeStep:
    """States (a formula) and the inputs that they take;
    `follows` is the next state where it is no function."""

    cube: Term
    inputs: Mapping[str, Value]
    follows: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Leads:
    """A cube joins the lower bound of a temporal formula."""

    formula: Formula
    step: CubeStep


@dataclass(frozen=True, slots=True)
class Loops:
    """The cubes of a fair loop join the lower bound of EG f."""

    formula: Formula
    steps: tuple[CubeStep, ...]


@dataclass(frozen=True, slots=True)
class Leaves:
    """A set of states leaves the upper bound of a temporal formula."""

    formula: Formula
    set: Term


@dataclass(frozen=True, slots=True)
class Separates:
    """A wall for the cycles inside the upper bound of EG f."""

    formula: Formula
    wall: Term
    relative: tuple[int, ...]


Entry = Leads | Loops | Leaves | Separates


@dataclass(frozen=True, slots=True)
class Bounds:
    """Why a formula holds or, if `start` is given, why it does not."""

    invariant: Term
    entries: tuple[Entry, ...]
    start: Mapping[str, Value] | None = None
