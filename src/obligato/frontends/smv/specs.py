"""Specifications: invariants, and formulas of LTL and CTL over the terms of the model.

An invariant that speaks about inputs or next values is about steps: a bit remembers whether the
last step satisfied it. Such an atom of LTL is an input that every step makes true or false
(`foretold`). The past operators Y Z O H S T become bits that remember; they may not contain future
ones.
"""

from __future__ import annotations

from collections.abc import Callable

from obligato.errors import NO_SPAN, InputError, Span, Unsupported
from obligato.frontends.smv.dynamics import Dynamics, Following
from obligato.frontends.smv.expression_parser import CTL_UNARY, LTL_UNARY
from obligato.frontends.smv.instances import Instance
from obligato.frontends.smv.syntax import Expr, Spec
from obligato.models.ctl import from_fair_starts
from obligato.models.ltl import Formula, atom
from obligato.terms import BOOL, Term, free_vars

PAST = ("Y", "Z", "H", "O", "S", "T")
TEMPORAL = frozenset((*LTL_UNARY, *CTL_UNARY, "U", "V", "S", "T", "AU", "EU"))
_SAME = {"V": "R", "xnor": "<->"}
MAX_DEPTH = 200  # of a temporal formula, as in `frontends.ltl`
_JUNCTIONS = ("!", "&", "|", "->", "<->", "xor", "xnor")


class Specs:
    """From specifications to formulas; what they need to remember is added to the model, unless
    that is `closed`.
    """

    def __init__(self, dynamics: Dynamics) -> None:
        self.d, self.t = dynamics, dynamics.translator
        self.store = self.t.store
        self.closed = False

    def invariant(self, spec: Spec, scope: Instance) -> Term:
        """What must hold in every state."""
        term = self.t.boolean(spec.formula, scope)
        if self._about_steps(term):
            return self._bit("the last step is right", True, lambda _: term)
        return term

    def ltl(self, formula: Expr, scope: Instance) -> Formula:
        """A formula of LTL."""
        return self._formula(formula, scope, self._step_atom)

    def ctl(self, formula: Expr, scope: Instance) -> Formula:
        """A formula of CTL, asked of the states that start a fair path."""
        return from_fair_starts(self._formula(formula, scope, self._state_atom))

    def _formula(
        self, e: Expr, scope: Instance, leaf: Callable[[Term, Span], Formula], depth: int = 0
    ) -> Formula:
        if depth > MAX_DEPTH:
            raise Unsupported(
                "a temporal formula that is nested so deeply is not supported",
                e.span,
                "deep nesting",
            )
        if not _temporal(e):
            return leaf(self.t.boolean(e, scope), e.span)
        if e.op in PAST:
            return atom(self._past(e, scope))
        if e.op not in _JUNCTIONS and e.op not in TEMPORAL:
            raise InputError("a temporal formula cannot stand here", e.span)
        return Formula(
            _SAME.get(e.op, e.op), tuple([self._formula(a, scope, leaf, depth + 1) for a in e.args])
        )

    # -- atoms -------------------------------------------------------------------------------------

    def _next_values(self, term: Term) -> bool:
        later = set(self.t.later.values())
        return any(v in later for v in free_vars(term))

    def _about_steps(self, term: Term) -> bool:
        inputs = set(self.d.inputs)
        return self._next_values(term) or any(v in inputs for v in free_vars(term))

    def _state_atom(self, term: Term, span: Span) -> Formula:
        if self._about_steps(term):
            raise InputError("an input or a next value cannot stand in a formula of CTL", span)
        return atom(term)

    def _step_atom(self, term: Term, span: Span) -> Formula:
        if not self._next_values(term):
            return atom(term)
        self._open(span)
        foretold = self.store.fresh("foretold", BOOL)
        self.d.inputs.append(foretold)
        self.d.steps.append(self.store.eq(foretold, term))
        return atom(foretold)

    def _open(self, span: Span) -> None:
        if self.closed:
            raise Unsupported(
                "next values and past operators are supported in specifications of the file only",
                span,
                "past",
            )

    # -- the past ----------------------------------------------------------------------------------

    def _past(self, e: Expr, scope: Instance) -> Term:
        """A formula without future operators, as a term over bits that remember."""
        s = self.store
        if not _temporal(e):
            term = self.t.boolean(e, scope)
            if self._next_values(term):
                raise Unsupported(
                    "a next value below a past operator is not supported", e.span, "past"
                )
            return term
        if e.op in ("!", "&", "|", "->", "<->", "xor", "xnor"):
            return self._junction(e.op, [self._past(a, scope) for a in e.args])
        self._open(e.span)
        if e.op not in PAST:
            raise Unsupported(
                f"the future operator {e.op} below a past operator is not supported", e.span, "past"
            )
        parts = [self._past(a, scope) for a in e.args]
        a, b = parts[0], parts[-1]
        match e.op:
            case "Y" | "Z":
                return self._bit("before", e.op == "Z", lambda _: a)
            case "O" | "S":
                first = a if e.op == "S" else s.true
                before = self._bit("since", False, lambda x: s.or_(b, s.and_(first, x)))
                return s.or_(b, s.and_(first, before))
        first = a if e.op == "T" else s.false
        before = self._bit("triggered", True, lambda x: s.and_(b, s.or_(first, x)))
        return s.and_(b, s.or_(first, before))

    def _junction(self, op: str, parts: list[Term]) -> Term:
        s, a, b = self.store, parts[0], parts[-1]
        match op:
            case "!":
                return s.not_(a)
            case "&":
                return s.and_(a, b)
            case "|":
                return s.or_(a, b)
            case "->":
                return s.implies(a, b)
        return s.not_(s.eq(a, b)) if op == "xor" else s.eq(a, b)

    def _bit(self, name: str, start: bool, following: Callable[[Term], Term]) -> Term:
        """A new bit of the state with its first and its next value."""
        bit = self.store.fresh(name, BOOL)
        self.d.state.append(bit)
        self.d.init.append(bit if start else self.store.not_(bit))
        self.d.following[bit] = Following(following(bit), NO_SPAN)
        return bit


def _temporal(e: Expr) -> bool:
    """Does the formula contain a temporal operator?"""
    stack = [e]
    while stack:
        e = stack.pop()
        if e.op in TEMPORAL:
            return True
        stack += e.args
    return False
