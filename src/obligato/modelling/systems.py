"""A builder of transition systems.

    s = SystemBuilder("counter")
    x = s.state("x", INT, init=0)
    go = s.input("go", BOOL)
    s.next(x, ite(go & (x < 10), x + 1, x))
    s.check(x <= 10, "bounded")
    verify(s)

Each state variable has a next-state function (`next`), or the transition relation says what follows
(`trans`, in which `s.after(x)` is the next value of x). `assume` restricts states and inputs in
every step. Properties: `check` (in every state), `justice` (no fair run has all of these infinitely
often), `ltl` and `ctl` (formulas as text, about the names of variables).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from obligato.errors import ModelError
from obligato.frontends.ctl import read_ctl
from obligato.frontends.ltl import read_ltl
from obligato.modelling.expressions import Expr, as_expr
from obligato.modelling.names import Names
from obligato.modelling.places import caller
from obligato.modelling.types import BOOL, Type
from obligato.models.properties import Assertion, CtlProperty, Justice, LtlProperty, Property
from obligato.models.transition_system import TransitionSystem, functional, next_var
from obligato.terms import Term, TermStore


class SystemBuilder:
    """Collects the parts of one transition system;
    `build` makes it, and `obligato.verify` takes the builder as it is."""

    def __init__(self, name: str = "system") -> None:
        self.name = name
        self._store = TermStore.raw()
        self._names = Names()
        self._true = Expr(self._store.true, BOOL)
        self._state: dict[Term, Type] = {}
        self._inputs: dict[Term, Type] = {}
        self._next: dict[Term, Term] = {}
        self._init: list[Term] = []
        self._relations: list[Term] = []
        self._constraints: list[Term] = []
        self._fairness: list[Term] = []
        self._predicates: list[Term] = []
        self._properties: list[Property] = []
        # read when all names are known
        self._texts: list[tuple[type[LtlProperty] | type[CtlProperty], str, str]] = []

    def __repr__(self) -> str:
        state, inputs = len(self._state), len(self._inputs)
        properties = len(self._properties) + len(self._texts)
        return (
            f"<SystemBuilder {self.name}: {state} state variables, {inputs} inputs, {properties}"
            " properties>"
        )

    # -- variables ---------------------------------------------------------------------------------

    def state(self, name: str, type: Type, init: Any = None, next: Any = None) -> Expr:
        """A new state variable; `init` is its first value (none: any),
        `next` a next value that does not read it."""
        sort = self._type(type).sort
        # what fails takes no name
        first, then = (None if v is None else as_expr(v, type, self._true) for v in (init, next))
        x = Expr(self._store.var(self._names.variable(name), sort), type)
        self._state[x.term] = type
        if first is not None:
            self.init(x == first)
        if then is not None:
            self.next(x, then)
        return x

    def input(self, name: str, type: Type) -> Expr:
        """A new input: it has any value in each step."""
        sort = self._type(type).sort
        x = Expr(self._store.var(self._names.variable(name), sort), type)
        self._inputs[x.term] = type
        return x

    def constant(self, value: Any, type: Type) -> Expr:
        """A constant, where nothing else says its type."""
        return as_expr(value, type, self._true)

    def _type(self, type: Type) -> Type:
        if not isinstance(type, Type):
            raise ModelError(
                f"a type is BOOL, INT, REAL, signed(8), unsigned(8) or array(...), not {type!r}"
            )
        return type

    # -- behaviour ---------------------------------------------------------------------------------

    def init(self, condition: Any) -> None:
        """The condition holds in the first state; several must hold together."""
        self._init.append(self._condition(condition))

    def next(self, x: Expr, value: Any) -> None:
        """The value of the state variable `x` in the next state,
        by state variables and inputs of this one."""
        self._variable(x)
        if x.term in self._next:
            raise ModelError(f"{x} has two next-state functions")
        self._next[x.term] = as_expr(value, x.type, x).term

    def after(self, x: Expr) -> Expr:
        """The value of the state variable `x` in the next state, for `trans`."""
        self._variable(x)
        return Expr(next_var(x.term), x.type)

    def trans(self, relation: Any) -> None:
        """Every step satisfies the relation, in which `after(x)` is the next value of `x`;
        several must hold together."""
        self._relations.append(self._condition(relation))

    def assume(self, condition: Any) -> None:
        """Only steps that satisfy the condition, over state and inputs, are taken;
        the last state satisfies it, too."""
        self._constraints.append(self._condition(condition))

    def fair(self, condition: Any) -> None:
        """Properties of infinite runs count only runs that take steps in which the condition holds
        infinitely often."""
        self._fairness.append(self._condition(condition))

    def suggest(self, predicate: Any) -> None:
        """A predicate over the state that might help to prove; it claims nothing."""
        self._predicates.append(self._condition(predicate))

    def _variable(self, x: Any) -> None:
        if not isinstance(x, Expr) or x.term not in self._state:
            raise ModelError(f"{x!r} is no state variable of {self.name}")

    def _condition(self, given: Any) -> Term:
        return as_expr(given, BOOL, self._true).term

    # -- properties --------------------------------------------------------------------------------

    def check(self, condition: Any, name: str | None = None) -> None:
        """The condition must hold in every state that is reached, for all inputs."""
        holds = self._condition(condition)
        self._properties.append(Assertion(self._names.property(name, "check"), holds, caller()))

    def justice(self, *sets: Any, name: str | None = None) -> None:
        """No fair run may take steps in each of these sets infinitely often."""
        if not sets:
            raise ModelError("justice needs at least one condition")
        hold = tuple(map(self._condition, sets))
        self._properties.append(Justice(self._names.property(name, "justice"), hold, caller()))

    def ltl(self, formula: str, name: str | None = None) -> None:
        """Every fair run satisfies the formula of linear time, such as `G (req -> F ack)`."""
        self._texts.append((LtlProperty, self._names.property(name, "ltl"), formula))

    def ctl(self, formula: str, name: str | None = None) -> None:
        """Every initial state satisfies the formula of branching time, such as `AG EF idle`."""
        self._texts.append((CtlProperty, self._names.property(name, "ctl"), formula))

    # -- the system --------------------------------------------------------------------------------

    def build(self) -> TransitionSystem:
        """The transition system. What has no next state, or no property, is refused."""
        if not self._relations:
            self._all_have_next()
        if not self._properties and not self._texts:
            raise ModelError(
                f"{self.name} has no property; say what must hold by check, justice, ltl or ctl"
            )
        complete = len(self._next) == len(self._state) and not self._relations
        words = {
            x.name
            for group in (self._state, self._inputs)
            for x, t in group.items()
            if t.is_word and t.is_signed
        }
        return TransitionSystem(
            self._store,
            tuple(self._state),
            tuple(self._inputs),
            self._all(self._init),
            functional(self._store, self._next, *self._relations),
            (*self._properties, *self._temporal(words)),
            tuple(self._constraints),
            next={x: self._next[x] for x in self._state} if complete else None,
            total=True if complete and not self._constraints else None,
            predicates=tuple(self._predicates),
            fairness=tuple(self._fairness),
            signed=frozenset(words),
        )

    def _all_have_next(self) -> None:
        for x in self._state:
            if x not in self._next:
                raise ModelError(
                    f"what is {x.name} in the next state? Say next({x.name}, ...); a value that is"
                    f" free in each step is an input, and one that stays is next({x.name},"
                    f" {x.name})"
                )

    def _all(self, conditions: Iterable[Term]) -> Term:
        return self._store.and_(*conditions)

    def _temporal(self, signed: set[str]) -> list[Property]:
        names = {x.name: x for x in (*self._state, *self._inputs)}
        for p in self._properties:
            if isinstance(p, Assertion):
                names.setdefault(p.name, p.formula)
        ordered = frozenset(names[name] for name in signed)
        return [
            kind(
                name,
                (read_ltl if kind is LtlProperty else read_ctl)(
                    text, self._store, names, f"<{name}>", ordered
                ),
            )
            for kind, name, text in self._texts
        ]
