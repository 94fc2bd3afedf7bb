"""What the IC3 skeleton asks of an instance (Boolean IC3, IC3IA, CTIGAR, IC3 with QE),
as contracts in logic.

Notation: x, i state and inputs, x' the next state; I initial states, C the constraints over (x, i),
T the transition relation, P the properties over (x, i); F_0 = I, and F_l for l > 0 is the
conjunction of the lemmas of level l and above. For an abstraction T and I are the abstract ones,
and `exact` is False. Literals are numbers (`cube.py`); `lift`, `weaken`, `refine`, `refine_step` and
`assume` may add numbers (predicates), and a number never changes its meaning.

The skeleton builds no formula and the hooks decide nothing:
a hook that cannot answer raises `ResourceOut`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from obligato.engines.ic3ts.cube import ConcreteState, Cube, Lemma, Obligation
    from obligato.models.ts_claims import SystemTrace
    from obligato.terms import Term


@dataclass(slots=True, eq=False)
class Query:
    """Consecution: is `cube` reached in one step from F_level, other than from itself?

    `purpose` names the query in statistics and changes nothing.
    A query that is not `required` may be left undecided.
    `in_frame`: not cube is part of F_level, so that it need not be assumed.
    `obligation`: the one whose cube this is.
    """

    cube: Cube
    level: int
    purpose: str
    required: bool = False
    in_frame: bool = False
    obligation: Obligation | None = None


class Reached:
    """A model was found. It stays valid;
    a subclass may read the state from the model when it is asked for."""

    __slots__ = ("_state",)

    def __init__(self, state: int) -> None:
        self._state = state

    @property
    def state(self) -> int:
        """The state before the step: bit n is the truth of literal n."""
        return self._state

    def digits(self, width: int) -> bytes:
        """The state, a digit for each literal, from number 0 on."""
        return f"{self.state:0{width}b}"[::-1].encode()

    def agreeing(self, cube: Cube) -> Cube:
        """The literals of the cube that are true in the state."""
        state = self.state
        return tuple([x for x in cube if (state >> abs(x) & 1) == (x > 0)])

    def joined(self, cube: Cube, needed: Set[int]) -> Cube | None:
        """As `agreeing`; None if a literal of the cube that is needed is false in the state."""
        kept = self.agreeing(cube)
        return kept if needed.isdisjoint(set(cube).difference(kept)) else None


@dataclass(slots=True)
class Unreached:
    """There is no model; `core` says of which literals of the cube that is true already."""

    core: Cube


@dataclass(frozen=True, slots=True)
class Undecided:
    """The solver gave up on a query that is not required."""


@dataclass(frozen=True, slots=True)
class Spurious:
    """The cube is reached, as `reached` says, but the concrete state of its obligation is not: the
    abstraction is too coarse (a consecution abstraction failure [BBW14, 3.2]). `kept`: that state,
    where the obligation itself has none since lifting succeeded, and the hooks kept it
    [BBW14, 4.3 CCE, CCL]."""

    reached: Reached
    kept: ConcreteState | None = None


Answer = Reached | Unreached | Undecided | Spurious


@dataclass(frozen=True, slots=True)
class Lifted:
    """A cube of predecessors with the move that they make. `state` is given exactly if the
    abstraction is too coarse for that (a lifting abstraction failure [BBW14, 3.2]): the move is
    then known of this concrete state of the cube only.
    `also`: more of them, where the predecessors are a disjunction of cubes."""

    cube: Cube
    move: Any
    state: ConcreteState | None = None
    also: tuple[Lifted, ...] = ()


class Hooks(ABC):
    """An instance of the skeleton. `exact`: states of an obligation really lead to a violation, as
    its moves say; where the obligation has a concrete state, that one does.

    `known` holds in all reachable states and is inductive under the constraints; every frame may
    assume it, so it is part of the certificate. Obligations are about states that satisfy it.

    `guidance`: how many cubes may be blocked for one that a cluster of lemmas suggests; 0: the
    literals say nothing about numbers, or nothing is to be suggested. What literals say about the
    variables `control` is no number. `concretise`: obligations may be parted.
    """

    exact: bool = True
    known: tuple[Term, ...] = ()
    guidance: int = 0
    concretise: bool = False
    control: tuple[Term, ...] = ()
    assumes: bool = False  # can `assume` be called?

    @property
    @abstractmethod
    def width(self) -> int:
        """The numbers of all literals are below it."""

    @abstractmethod
    def bad(self, level: int) -> Reached | None:
        """Is there a violation at the frontier?

        Asks:     F_level(x) and C(x, i) and not P(x, i)
        Ensures:  Reached(s): s is a state of it.   None: F_level and C implies P.
        """

    @abstractmethod
    def predecessor(self, query: Query) -> Answer:
        """Is the cube reached in one step from F_level, other than from itself?

        Requires: not (I and cube); where `in_frame` is set, F_level implies not cube
        Asks:     F_level(x) and not cube(x) and C(x, i) and T(x, i, x') and cube(x')
        Ensures:  Reached(s): s is the x of a model.
                  Unreached(g): g is part of cube, not (I and g), and
                  F_level(x) and not cube(x) and C(x, i) and T(x, i, x') implies not g(x').
                  Undecided: only if the query is not required.
                  Spurious(Reached(s)): as Reached(s), the obligation of the query has a concrete
                  state t (or it was kept), and
                  F_level(x) and not t(x) and C(x, i) and T(x, i, x') implies not t(x').
        """

    @abstractmethod
    def lift(self, reached: Reached, query: Query | None) -> Lifted:
        """Many states that do what this one does, and the move that does it.
        May add literals, and use them.

        Requires: `reached` is the answer to `query`, None: to `bad`; no other question was asked
                  since.
        Ensures:  (c, move, no state): reached.state is in c, and each state x of c satisfies
                  C(x, i) and T(x, i, x') and target(x')  for the inputs i of `move` and some x',
                  where target is the query's cube (no query: C(x, i) and not P(x, i)).
                  (c, move, s): s is in c, and s satisfies that.
        """

    def assume(self, formulas: Sequence[Term], others: Sequence[Term]) -> None:
        """From now on the formulas are `known`; the others claim nothing, and may suggest literals.

        Requires: known and formulas holds in all initial states, and after each step from states
                  that satisfy it, under the constraints.
        """
        raise NotImplementedError("these hooks cannot assume more than at first")

    def refine_step(self, obligation: Obligation, failure: Spurious) -> Lifted | None:
        """React to a consecution abstraction failure at once, or later.

        Requires: `failure` answers the query about the obligation's cube.
        Ensures:  Lifted: another cube with the concrete state of the obligation, about which
                  `lift` says the same; there are new literals, or it is another than before.
                  None: put off; the spurious predecessor is followed.
        """
        raise NotImplementedError("exact hooks have no spurious steps")

    def weaken(self, cube: Cube, level: int) -> Cube:
        """A cube that includes all states of this one, for a stronger lemma;
        by default the cube itself. May add literals.

        Requires: not (I and cube), and F_(level-1) and not cube and C and T implies not cube'.
        Ensures:  the same of the result.
        """
        return cube

    def before(self, reached: Reached, query: Query) -> Cube:
        """States that reach the query's cube in one step, as precise as they come. May add
        literals.

        Requires: `reached` is the answer to `query`; no other question was asked since.
        Ensures:  a state of the answer is in the result, and each state x of it satisfies
                  C(x, i) and T(x, i, x') and c(x')  for some i and x'.
        """
        raise NotImplementedError("only hooks with guidance are asked")

    def entered(self, literals: Sequence[Term]) -> Cube:
        """The cube of formulas over the state variables. May add literals.
        Ensures: formula(result) is equivalent to the conjunction of `literals`.
        """
        raise NotImplementedError("only hooks with guidance enter cubes")

    def excludes(self, cube: Cube, level: int) -> bool:
        """Ensures: True: F_level and cube is unsatisfiable."""
        raise NotImplementedError("only hooks with guidance are asked")

    def state_in(self, cube: Cube, level: int) -> ConcreteState | None:
        """Ensures: a state of F_level and cube, if one is found."""
        raise NotImplementedError("only hooks that concretise are asked")

    @abstractmethod
    def meets_initial(self, cube: Cube) -> bool:
        """Ensures: True iff I and cube is satisfiable."""

    @abstractmethod
    def add_lemma(self, lemma: Lemma) -> None:
        """From now on not lemma.cube is part of F_l for 0 < l <= lemma.level;
        also called when a lemma moves up.

        A lemma that the frames drop (it is subsumed) may still be part of the hooks' formulas:
        it holds.
        """

    @abstractmethod
    def extend(self) -> None:
        """The frontier has moved up by one level."""

    @abstractmethod
    def refine(self, chain: list[Obligation]) -> SystemTrace | None:
        """Decide what a counterexample means.

        Requires: I and chain[0].cube; each obligation leads to the next by its move, the last one
                  to a violation.
        Ensures:  a trace: a concrete run that violates P.
                  None: there is none along this chain, and the abstraction has been refined such
                  that the same chain cannot be found again; all lemmas still hold.
        """

    @abstractmethod
    def formula(self, cube: Cube) -> Term:
        """The cube as a formula over the state variables."""

    @abstractmethod
    def close(self) -> None:
        """Free the solvers."""
