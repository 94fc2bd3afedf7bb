"""What is claimed about a transition system:
an invariant that proves its properties, or a run that violates one.

Variables are named, not terms: a claim found on a system in one store is checked on the original in
another. Both are only claims until `results.checking` has accepted them on the original system.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from obligato.terms import Term, Value


@dataclass(frozen=True, slots=True)
class SystemCertificate:
    """Q = `invariant` (over the state only) and all properties is `k`-inductive.

    With C the constraints, at each step about that step's state and inputs:
        initiation    I(s0) and C and T ... C   implies   Q(s_j, i_j), for all runs of j < k steps
        consecution   Q and C and T ... Q and C and T and C   implies   Q at the end of any k steps
    `distinct`: in consecution the k + 1 states are pairwise different in these variables; a
    shortest run to a violation repeats no state. Other state variables than these must have no
    influence on them, the constraints and the properties. `relation` R is about the state and the
    next state (``x'``), claimed of every step. It is one more thing to show of the last step, in
    initiation (j >= 1) and in consecution, and one more to assume in consecution, of the steps
    before the last. With k = 1 it is therefore of no use.

    `indices` are variables that the system does not have; the invariant is meant for all their
    values. `instances` are tuples of terms, one for each index, over state, inputs, next state and
    indices, which they should be replaced by where the invariant is assumed. Then k is 1, nothing
    is `distinct`, and there is no relation. `differences`: a variable and two arrays over a step of
    the system; it is a place where they differ, if they do. Instances may speak about it.
    """

    invariant: Term
    k: int = 1
    distinct: tuple[str, ...] = ()
    relation: Term | None = None
    indices: tuple[Term, ...] = ()
    instances: tuple[tuple[Term, ...], ...] = ()
    differences: tuple[tuple[Term, Term, Term], ...] = ()


@dataclass(frozen=True, slots=True)
class SystemStep:
    """A state and the inputs given in it, by name; what is missing may have any value."""

    state: Mapping[str, Value] = field(default_factory=dict)
    inputs: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SystemTrace:
    """A run: n + 1 steps, the last of which violates a property in its state and with its
    inputs."""

    steps: tuple[SystemStep, ...]
