"""The systems that proofs about infinite runs speak about,
built by the checker itself from the system as read.

`product`: the system and, for a temporal formula, the tableau of its negation. Names and meaning
are fixed here; with f the formula, and a subformula written fully parenthesised with negations at
atoms and the operators & | X U R only (F g is (true U g), G g is (false R g), f W g is (g R (f |
g))):

    state variable `ltl must g`  for g the negation of f and each g that a step may put off: X g,
                                 and each U and R formula
    input          `ltl next g`  for each g that may be put off
    initially      only the whole negation must hold
    steps          must g' = next g; must g implies what g asks of one step
    fairness       for each U formula, ordered by its text: its right side is asked of this step, or
                   it is not put off; then the sets of the system

`with_saved_state`, `with_counter` and `with_rounds` are the monitors of liveness to safety, of
k-liveness and of ranks beside a product.
Nothing here is shared with `models.tableau`, which engines use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from obligato.errors import Unsupported
from obligato.models.ltl import Formula
from obligato.models.properties import Assertion, Justice, LiveProperty
from obligato.models.transition_system import TransitionSystem, next_var
from obligato.terms import BOOL, Term

ROUND = "rank round"


def product(system: TransitionSystem, p: LiveProperty) -> TransitionSystem:
    """The fair runs of the result are the runs that violate `p`:
    `fairness` holds all its sets, and it has no properties."""
    if isinstance(p, Justice):
        return replace(system, properties=(), fairness=(*p.sets, *system.fairness))
    return _Reading(system).violating(p.formula)


class _Reading:
    """Formulas as what they ask of one step;
    a pair (f, True) stands for f, (f, False) for its negation."""

    def __init__(self, system: TransitionSystem) -> None:
        self.system, self.store = system, system.store
        self.open: dict[str, tuple[Formula, bool]] = {}  # may be put off, by text
        self.delayed: dict[str, Term] = {}  # untils: the fairness set of each

    def text(self, f: Formula, yes: bool) -> str:
        """The formula or its negation as the head of this file says."""
        sides = [(a, yes) for a in f.args]
        match f.op:
            case "atom":
                return str(f) if yes else f"! {f}"
            case "true" | "false":
                return "true" if (f.op == "true") is yes else "false"
            case "!":
                return self.text(f.args[0], not yes)
            case "X":
                return f"X {self.text(*sides[0])}"
            case "F" | "G":
                until = (f.op == "F") is yes
                return (
                    f"({'true' if until else 'false'} {'U' if until else 'R'}"
                    f" {self.text(*sides[0])})"
                )
            case "U" | "R":
                return self._joined(sides[0], "U" if (f.op == "U") is yes else "R", sides[1])
            case "W":
                both = self._joined(sides[0], "|" if yes else "&", sides[1])
                return f"({self.text(*sides[1])} {'R' if yes else 'U'} {both})"
            case "&" | "|":
                return self._joined(sides[0], "&" if (f.op == "&") is yes else "|", sides[1])
            case "->":
                return self._joined((f.args[0], not yes), "|" if yes else "&", sides[1])
        same = (f.op == "<->") is yes
        a, b = f.args
        first = self._joined((a, True), "&", (b, same))
        second = self._joined((a, False), "&", (b, not same))
        return f"({first} | {second})"

    def _joined(self, a: tuple[Formula, bool], op: str, b: tuple[Formula, bool]) -> str:
        return f"({self.text(*a)} {op} {self.text(*b)})"

    def asked(self, f: Formula, yes: bool) -> Term:
        """What the formula or its negation asks of one step."""
        s = self.store
        match f.op:
            case "atom":
                assert f.atom is not None
                return f.atom if yes else s.not_(f.atom)
            case "true" | "false":
                return s.bool_((f.op == "true") is yes)
            case "!":
                return self.asked(f.args[0], not yes)
            case "X":
                return self._later(f.args[0], yes)
            case "&" | "|":
                parts = [self.asked(a, yes) for a in f.args]
                return s.and_(*parts) if (f.op == "&") is yes else s.or_(*parts)
            case "->":
                parts = [self.asked(f.args[0], not yes), self.asked(f.args[1], yes)]
                return s.or_(*parts) if yes else s.and_(*parts)
            case "<->" | "xor":
                same = (f.op == "<->") is yes
                a, b = f.args
                return s.or_(
                    s.and_(self.asked(a, True), self.asked(b, same)),
                    s.and_(self.asked(a, False), self.asked(b, not same)),
                )
        return self._unfolded(f, yes)

    def _unfolded(self, f: Formula, yes: bool) -> Term:
        """An until, release, weak until, finally or globally formula, or its negation."""
        s, again = self.store, self._later(f, yes)
        last = self.asked(f.args[-1], yes)
        first = self.asked(f.args[0], yes) if len(f.args) == 2 else s.bool_((f.op == "F") is yes)
        if f.op == "W":  # f W g is g R (f | g); its negation is !g U (!f & !g)
            first, last = last, s.or_(first, last) if yes else s.and_(first, last)
        if (f.op in ("U", "F")) is yes:
            self.delayed[self.text(f, yes)] = s.or_(last, s.not_(again))
            return s.or_(last, s.and_(first, again))
        return s.and_(last, s.or_(first, again))

    def _later(self, f: Formula, yes: bool) -> Term:
        name = self.text(f, yes)
        self.open[name] = (f, yes)
        return self.store.var(f"ltl next {name}", BOOL)

    def violating(self, f: Formula) -> TransitionSystem:
        """The system beside the tableau of the negation of `f`."""
        s, system = self.store, self.system
        whole = self.text(f, False)
        rules = {whole: self.asked(f, False)}
        while missing := [name for name in self.open if name not in rules]:
            for name in missing:
                rules[name] = self.asked(*self.open[name])
        must = {name: s.var(f"ltl must {name}", BOOL) for name in rules}
        later = {name: s.var(f"ltl next {name}", BOOL) for name in self.open}
        starts = [must[name] if name == whole else s.not_(must[name]) for name in rules]
        steps = [s.eq(next_var(must[name]), later.get(name, s.false)) for name in rules]
        _refuse_names_in_use(system, [*must.values(), *later.values()])
        return replace(
            system,
            state=(*system.state, *must.values()),
            inputs=(*system.inputs, *later.values()),
            init=s.and_(system.init, *starts),
            trans=s.and_(system.trans, *steps),
            next=None,
            properties=(),
            constraints=(
                *system.constraints,
                *(s.implies(must[name], rule) for name, rule in rules.items()),
            ),
            fairness=(*(f for _, f in sorted(self.delayed.items())), *system.fairness),
        )


def with_saved_state(system: TransitionSystem, watched: Sequence[Term]) -> TransitionSystem:
    """A product beside a copy of one of its states, chosen by the input `l2s save` [BAS02]; the
    property is that this state does not come back after steps in all fairness sets. Of a finite
    system it implies that there is no fair run. If there are `watched` terms, the copy is one of
    their values, and if these are finitely many the same is implied of any system: a fair run has
    some of these values again and again, and a step in each set in between.

    State variables: `l2s saved` (initially false), `l2s copy x` for each x, or `l2s value n` for
    term number n (any value at first), `l2s seen n` for set number n.
    """
    s = system.store
    save, saved = s.var("l2s save", BOOL), s.var("l2s saved", BOOL)
    if watched:
        copies = {t: s.var(f"l2s value {n}", t.sort) for n, t in enumerate(watched)}
    else:
        copies = {x: s.var(f"l2s copy {x.name}", x.sort) for x in system.state}
    seen = [s.var(f"l2s seen {n}", BOOL) for n in range(len(system.fairness))]
    now = s.and_(save, s.not_(saved))
    steps = [s.eq(next_var(saved), s.or_(saved, save))]
    steps += [s.eq(next_var(c), s.ite(now, x, c)) for x, c in copies.items()]
    steps += [
        s.eq(next_var(b), s.and_(s.or_(saved, save), s.or_(b, f)))
        for b, f in zip(seen, system.fairness, strict=True)
    ]
    back = s.and_(saved, *seen, *(s.eq(x, c) for x, c in copies.items()))
    return _with_monitor(
        system,
        [saved, *copies.values(), *seen],
        [save],
        [s.not_(x) for x in (saved, *seen)],
        steps,
        s.not_(back),
    )


def with_counter(system: TransitionSystem, k: int) -> TransitionSystem:
    """A product beside a counter of the rounds in which all fairness sets were visited [CS12]; the
    property is that there are at most `k`, which implies that there is no fair run.

    State variables, initially false: `klive seen n` for set number n (in this round),
    `klive round m` for m = 0 .. k (at least m + 1 rounds are complete).
    """
    s = system.store
    seen = [s.var(f"klive seen {n}", BOOL) for n in range(len(system.fairness))]
    rounds = [s.var(f"klive round {m}", BOOL) for m in range(k + 1)]
    visited = [s.or_(b, f) for b, f in zip(seen, system.fairness, strict=True)]
    full = s.and_(*visited)
    steps = [s.eq(next_var(b), s.and_(v, s.not_(full))) for b, v in zip(seen, visited, strict=True)]
    before = [s.true, *rounds]
    steps += [
        s.eq(next_var(r), s.or_(r, s.and_(full, b))) for r, b in zip(rounds, before, strict=False)
    ]
    return _with_monitor(
        system,
        [*seen, *rounds],
        [],
        [s.not_(x) for x in (*seen, *rounds)],
        steps,
        s.not_(rounds[-1]),
    )


def with_rounds(system: TransitionSystem) -> TransitionSystem:
    """A product beside a bit `rank round`, initially false, that is true after each step that
    completes a round of all fairness sets; there is a fair run iff it is true again and again.
    Where there are several sets, `rank seen n`, initially false:
    set number n was visited in this round."""
    s = system.store
    seen = [
        s.var(f"rank seen {n}", BOOL)
        for n in range(len(system.fairness))
        if len(system.fairness) > 1
    ]
    visited = (
        [s.or_(b, f) for b, f in zip(seen, system.fairness, strict=True)]
        if seen
        else list(system.fairness)
    )
    full, done = s.and_(*visited), s.var(ROUND, BOOL)
    steps = [
        s.eq(next_var(b), s.and_(v, s.not_(full))) for b, v in zip(seen, visited, strict=False)
    ]
    steps.append(s.eq(next_var(done), full))
    return _with_monitor(
        system, [*seen, done], [], [s.not_(x) for x in (*seen, done)], steps, s.true
    )


def _with_monitor(
    system: TransitionSystem,
    state: list[Term],
    inputs: list[Term],
    starts: list[Term],
    steps: list[Term],
    claim: Term,
) -> TransitionSystem:
    """The system with further state variables and inputs, which watch its runs, and a claim."""
    s = system.store
    _refuse_names_in_use(system, [*state, *inputs])
    return replace(
        system,
        state=(*system.state, *state),
        inputs=(*system.inputs, *inputs),
        init=s.and_(system.init, *starts),
        trans=s.and_(system.trans, *steps),
        next=None,
        properties=(Assertion("monitor", claim),),
        fairness=(),
    )


def _refuse_names_in_use(system: TransitionSystem, added: list[Term]) -> None:
    """A variable of the system with the name of an added one would be the same variable,
    and obey the rules of both."""
    taken = {name for x in (*system.state, *system.inputs) for name in (x.name, f"{x.name}'")}
    clash = [name for x in added for name in (x.name, f"{x.name}'") if name in taken]
    if clash:
        raise Unsupported(
            f"the name {clash[0]!r} is needed for the product with the property", construct="name"
        )
