"""What is claimed about properties of infinite runs: a lasso, or one of four kinds of proof.

Proofs speak about the *product* of the system with the property, which the checker builds itself
(`results.checking.product` says what it consists of and how its variables are named). B_1 ... B_n
are the fairness sets of the product, C its constraints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from obligato.models.ts_claims import SystemStep
    from obligato.terms import Term


@dataclass(frozen=True, slots=True)
class Wall:
    """A set of states that runs cross in one direction only,
    once they stay on one side of the earlier walls `relative`."""

    formula: Term
    relative: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Walls:
    """There is no fair run [BSHZ11]. With R = `invariant`, W_0, W_1, ... the walls:

    I implies R;   R and C and T implies R'
    W_k and R and C and T and R' and (W_j iff W_j' for j in relative_k) implies W_k'   (j < k)
    there are no steps (s_i, x_i, t_i) of C and T, i = 1 .. n, with B_i(s_i, x_i), R(s_i),
    R(t_i), and all s_i and t_i on one side of each W_k
    """

    invariant: Term
    walls: tuple[Wall, ...]


@dataclass(frozen=True, slots=True)
class Saved:
    """No reachable state of a finite system recurs on a fair loop [BAS02]:
    `invariant` is inductive where a state is saved.

    With terms `watched`, Booleans or words over the state, their values are saved instead, and do
    not all recur; there are finitely many,
    so that this proves something about every system [DCGMT16]."""

    invariant: Term
    watched: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Counted:
    """No run visits all fairness sets more than `k` times [CS12]:
    `invariant` is inductive where visits are counted."""

    k: int
    invariant: Term


@dataclass(frozen=True, slots=True)
class Ranked:
    """There is no fair run. Of the product beside a monitor, whose bit `rank round` is true after
    each step that completes a round of all fairness sets: `invariant` is inductive, and the tuple
    `rank` of words (compared as unsigned numbers) and integers (not negative before they decrease)
    never increases in the lexicographic order, and decreases where the bit is true."""

    invariant: Term
    rank: tuple[Term, ...]


LiveCertificate = Walls | Saved | Counted | Ranked


@dataclass(frozen=True, slots=True)
class Lasso:
    """A fair run: the steps in order, then again and again those from number `loop` on.

    The state after the last step is that of step `loop`, perhaps except for variables that matter
    neither for the constraints nor for the property: then going round more often may close the
    loop, or these variables are left out (`results.checking`).
    """

    steps: tuple[SystemStep, ...]
    loop: int
