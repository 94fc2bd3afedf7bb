"""Random Horn clauses as text, in all forms that SMT-LIB has for them, with the truth about them.

Nothing here knows our terms or our reader: an expression is a pair of texts, one in SMT-LIB and one in
Python, and the oracle computes the least model by evaluating the second. Each variable of a clause
takes finitely many values, because its sort has few or the clause says so.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

INT, BOOL, WORD, BIT, REAL, MAP = (
    "Int",
    "Bool",
    "(_ BitVec 2)",
    "(_ BitVec 1)",
    "Real",
    "(Array (_ BitVec 1) (_ BitVec 2))",
)
HALVES = tuple(Fraction(n, 2) for n in range(-1, 3))
VALUES: dict[str, tuple[Any, ...]] = {
    INT: tuple(range(-1, 4)),
    BOOL: (False, True),
    WORD: (0, 1, 2, 3),
    BIT: (0, 1),
    REAL: HALVES,
    MAP: tuple(itertools.product(range(4), repeat=2)),
}
INSTANCES = 1000  # of one clause at most


class Both(NamedTuple):
    """An expression in SMT-LIB and in Python."""

    smt: str
    py: str


class Atom(NamedTuple):
    """A relation of some expressions."""

    name: str
    args: tuple[Both, ...]

    @property
    def smt(self) -> str:
        """As SMT-LIB writes it."""
        return f"({self.name} {' '.join(a.smt for a in self.args)})" if self.args else self.name


@dataclass(frozen=True)
class Rule:
    """Body and constraints imply the head, or false."""

    variables: dict[str, str]  # with their sorts
    body: tuple[Atom, ...]
    constraints: tuple[Both, ...]
    head: Atom | None


@dataclass
class Problem:
    """The text, and the rules that it should mean."""

    text: str
    rules: list[Rule]
    queried: list[str] = field(default_factory=list)  # relations that must be empty
    forms: list[str] = field(default_factory=list)


def _signed(x: int) -> int:
    return x - 4 if x > 1 else x


def _sdiv(x: int, y: int) -> int:
    a, b = _signed(x), _signed(y)
    if b == 0:
        return 1 if a < 0 else 3
    q = abs(a) // abs(b)
    return (q if (a < 0) == (b < 0) else -q) % 4


def _srem(x: int, y: int) -> int:
    a, b = _signed(x), _signed(y)
    return x if b == 0 else (a - b * (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)) % 4


def _smod(x: int, y: int) -> int:
    a, b = _signed(x), _signed(y)
    return x if b == 0 else (a % b) % 4


MEANING: dict[str, Callable[..., Any]] = {
    "div": lambda a, b: a // b if b > 0 else -(a // -b),
    "mod": lambda a, b: a % abs(b),
    "bvudiv": lambda a, b: a // b if b else 3,
    "bvurem": lambda a, b: a % b if b else a,
    "bvsdiv": _sdiv,
    "bvsrem": _srem,
    "bvsmod": _smod,
    "bvshl": lambda a, b: (a << b) % 4,
    "bvlshr": lambda a, b: a >> b,
    "bvashr": lambda a, b: (_signed(a) >> min(b, 2)) % 4,
    "store": lambda m, i, v: (v, m[1]) if i == 0 else (m[0], v),
    "floor": lambda r: r.numerator // r.denominator,
    "distinct": lambda *xs: len(set(xs)) == len(xs),
    "signed": _signed,
    "F": Fraction,
}


def literal(chance: random.Random, sort: str, value: Any) -> Both:
    """A value, in one of the ways to write it."""
    if sort == BOOL:
        return Both("true" if value else "false", repr(value))
    if sort in (WORD, BIT):
        width = 2 if sort == WORD else 1
        return Both(chance.choice((f"#b{value:0{width}b}", f"(_ bv{value} {width})")), repr(value))
    if sort == MAP:
        first, second = value
        text = f"((as const {MAP}) {literal(chance, WORD, first).smt})"
        if second != first:
            text = f"(store {text} #b1 {literal(chance, WORD, second).smt})"
        return Both(text, repr(value))
    size = abs(value)
    if sort == INT:
        text = str(size)
    elif size.denominator == 1:
        text = chance.choice((f"{size}.0", f"(to_real {size})"))
    else:
        text = chance.choice((f"(/ {size.numerator} 2)", f"{float(size)}", f"(* 0.5 {size * 2}.0)"))
    return Both(
        f"(- {text})" if value < 0 else text,
        f"F({value.numerator},{value.denominator})" if sort == REAL else repr(value),
    )


class Generator:
    """Draws problems."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        r = self.chance
        self.sorts = [INT, BOOL, *r.choice(((), (), (WORD,), (REAL,), (MAP, WORD), (WORD, REAL)))]
        self.relations = {
            n: tuple(r.choice(self.sorts) for _ in range(r.choice((0, 1, 1, 2, 2, 3))))
            for n in ("p", "q", "|r s|", "t")[: r.randint(1, 4)]
        }
        self.linear = r.random() < 0.5
        self.named = 0

    # -- expressions ---------------------------------------------------------------------------

    def value(self, sort: str, scope: dict[str, str], depth: int) -> Both:
        """An expression of a sort."""
        r = self.chance
        mine = [n for n, s in scope.items() if s == sort]
        if mine and r.random() < (0.7 if depth else 0.85):
            name = r.choice(mine)
            return Both(name, python(name))
        if depth <= 0 or r.random() < 0.15:
            return literal(r, sort, r.choice(VALUES[sort]))
        if r.random() < 0.08:
            return self._let(sort, scope, depth)
        if r.random() < 0.1:
            c = self.value(BOOL, scope, depth - 1)
            a, b = self.value(sort, scope, depth - 1), self.value(sort, scope, depth - 1)
            return Both(f"(ite {c.smt} {a.smt} {b.smt})", f"({a.py} if {c.py} else {b.py})")
        return self._operation(sort, scope, depth - 1)

    def _let(self, sort: str, scope: dict[str, str], depth: int) -> Both:
        """Bound in parallel; a name may hide a variable, and the bound terms are about the hidden one."""
        r = self.chance
        names = r.sample(list(dict.fromkeys((*scope, "l1", "l2"))), r.choice((1, 2)))
        sorts = [r.choice(self.sorts) for _ in names]
        terms = [self.value(s, scope, depth - 1) for s in sorts]
        inner = self.value(sort, {**scope, **dict(zip(names, sorts, strict=True))}, depth - 1)
        bound = " ".join(f"({n} {t.smt})" for n, t in zip(names, terms, strict=True))
        values = ", ".join(t.py for t in terms)
        return Both(
            f"(let ({bound}) {inner.smt})",
            f"(lambda {', '.join(map(python, names))}: {inner.py})({values})",
        )

    def _operation(self, sort: str, scope: dict[str, str], depth: int) -> Both:
        made = {
            BOOL: self._formula,
            INT: self._number,
            REAL: self._fraction,
            WORD: self._word,
            BIT: self._bit,
            MAP: self._map,
        }
        return made[sort](scope, depth)

    def _formula(self, scope: dict[str, str], depth: int) -> Both:
        r = self.chance
        if r.random() < 0.6:
            sort = r.choice(self.sorts)
            a, b = self.value(sort, scope, depth), self.value(sort, scope, depth)
            return self._comparison(sort, a, b)
        a, b, c = (self.value(BOOL, scope, depth) for _ in range(3))
        return r.choice(
            (
                Both(f"(not {a.smt})", f"(not {a.py})"),
                Both(f"(and {a.smt} {b.smt})", f"({a.py} and {b.py})"),
                Both(f"(or {a.smt} {b.smt} {c.smt})", f"({a.py} or {b.py} or {c.py})"),
                Both(f"(xor {a.smt} {b.smt})", f"({a.py} != {b.py})"),
                Both(f"(=> {a.smt} {b.smt} {c.smt})", f"(not {a.py} or not {b.py} or {c.py})"),
                Both(f"(= {a.smt} {b.smt} {c.smt})", f"({a.py} == {b.py} == {c.py})"),
            )
        )

    def _comparison(self, sort: str, a: Both, b: Both) -> Both:
        r = self.chance
        forms = [
            Both(f"(= {a.smt} {b.smt})", f"({a.py} == {b.py})"),
            Both(f"(distinct {a.smt} {b.smt})", f"({a.py} != {b.py})"),
        ]
        if sort in (INT, REAL):
            forms += [
                Both(f"({o} {a.smt} {b.smt})", f"({a.py} {o} {b.py})")
                for o in ("<", "<=", ">", ">=")
            ]
            forms.append(
                Both(f"(<= 0{'.0' * (sort == REAL)} {a.smt} {b.smt})", f"(0 <= {a.py} <= {b.py})")
            )
        if sort == REAL:
            forms.append(Both(f"(is_int {a.smt})", f"({a.py}.denominator == 1)"))
        if sort == WORD:
            for name, sign in (("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
                forms.append(Both(f"(bvu{name} {a.smt} {b.smt})", f"({a.py} {sign} {b.py})"))
                forms.append(
                    Both(f"(bvs{name} {a.smt} {b.smt})", f"(signed({a.py}) {sign} signed({b.py}))")
                )
        return r.choice(forms)

    def _number(self, scope: dict[str, str], depth: int) -> Both:
        r = self.chance
        a, b = self.value(INT, scope, depth), self.value(INT, scope, depth)
        k = r.choice((-3, -2, 2, 3))
        written = literal(r, INT, k).smt
        forms = [
            Both(f"(+ {a.smt} {b.smt})", f"({a.py} + {b.py})"),
            Both(f"(+ {a.smt} 1)", f"({a.py} + 1)"),
            Both(f"(- {a.smt} {b.smt})", f"({a.py} - {b.py})"),
            Both(f"(- {a.smt} 1 {b.smt})", f"({a.py} - 1 - {b.py})"),
            Both(f"(- {a.smt})", f"(- {a.py})"),
            Both(f"(* {written} {a.smt})", f"({k} * {a.py})"),
            Both(f"(div {a.smt} {written})", f"div({a.py}, {k})"),
            Both(f"(mod {a.smt} {written})", f"mod({a.py}, {k})"),
            Both(f"(abs {a.smt})", f"abs({a.py})"),
        ]
        if REAL in self.sorts:
            x = self.value(REAL, scope, depth)
            forms.append(Both(f"(to_int {x.smt})", f"floor({x.py})"))
        return r.choice(forms)

    def _fraction(self, scope: dict[str, str], depth: int) -> Both:
        r = self.chance
        a, b = self.value(REAL, scope, depth), self.value(REAL, scope, depth)
        n = self.value(INT, scope, depth)
        return r.choice(
            (
                Both(f"(+ {a.smt} {b.smt})", f"({a.py} + {b.py})"),
                Both(f"(- {a.smt} {b.smt})", f"({a.py} - {b.py})"),
                Both(f"(* 2.0 {a.smt})", f"(2 * {a.py})"),
                Both(f"(/ {a.smt} (- 2.0))", f"({a.py} * F(-1,2))"),
                Both(f"(to_real {n.smt})", f"F({n.py})"),
            )
        )

    def _word(self, scope: dict[str, str], depth: int) -> Both:
        r = self.chance
        a, b = self.value(WORD, scope, depth), self.value(WORD, scope, depth)
        bits = (self.value(BIT, scope, 0), self.value(BIT, scope, 0))
        forms = [
            Both(f"(bvadd {a.smt} {b.smt})", f"(({a.py} + {b.py}) % 4)"),
            Both(f"(bvsub {a.smt} {b.smt})", f"(({a.py} - {b.py}) % 4)"),
            Both(f"(bvmul {a.smt} {b.smt})", f"(({a.py} * {b.py}) % 4)"),
            Both(f"(bvand {a.smt} {b.smt})", f"({a.py} & {b.py})"),
            Both(f"(bvor {a.smt} {b.smt})", f"({a.py} | {b.py})"),
            Both(f"(bvxor {a.smt} {b.smt})", f"({a.py} ^ {b.py})"),
            Both(f"(bvxnor {a.smt} {b.smt})", f"(3 - ({a.py} ^ {b.py}))"),
            Both(f"(bvnot {a.smt})", f"(3 - {a.py})"),
            Both(f"(bvneg {a.smt})", f"(-{a.py} % 4)"),
            Both(f"(concat {bits[0].smt} {bits[1].smt})", f"(2 * {bits[0].py} + {bits[1].py})"),
            Both(f"((_ sign_extend 1) {bits[0].smt})", f"(3 * {bits[0].py})"),
            Both(f"((_ zero_extend 1) {bits[0].smt})", f"{bits[0].py}"),
            Both(f"((_ rotate_left 1) {a.smt})", f"({a.py} * 2 % 4 + {a.py} // 2)"),
            Both(f"((_ repeat 2) {bits[0].smt})", f"(3 * {bits[0].py})"),
        ]
        forms += [
            Both(f"({o} {a.smt} {b.smt})", f"{o}({a.py}, {b.py})") for o in MEANING if o[:2] == "bv"
        ]
        if MAP in self.sorts:
            m = self.value(MAP, scope, depth)
            forms += [Both(f"(select {m.smt} {bits[0].smt})", f"{m.py}[{bits[0].py}]")] * 6
        return r.choice(forms)

    def _bit(self, scope: dict[str, str], depth: int) -> Both:
        a, k = self.value(WORD, scope, depth), self.chance.choice((0, 1))
        return Both(f"((_ extract {k} {k}) {a.smt})", f"({a.py} >> {k} & 1)")

    def _map(self, scope: dict[str, str], depth: int) -> Both:
        m, i, v = (self.value(s, scope, depth) for s in (MAP, BIT, WORD))
        return Both(f"(store {m.smt} {i.smt} {v.smt})", f"store({m.py}, {i.py}, {v.py})")

    # -- clauses -------------------------------------------------------------------------------

    def atom(self, scope: dict[str, str], body: bool) -> Atom:
        """A relation, in bodies mostly of variables."""
        r, name = self.chance, self.chance.choice(list(self.relations))
        depth = 0 if body and r.random() < 0.8 else 2
        return Atom(name, tuple(self.value(s, scope, depth) for s in self.relations[name]))

    def scope(self) -> dict[str, str]:
        """Variables of a clause."""
        r, out = self.chance, dict[str, str]()
        names = r.sample(("x", "y", "z", "|x y|", "w"), r.choice((0, 1, 2, 2, 3)))
        for name in names:
            out[name] = r.choice(self.sorts)
            if instances(out) > INSTANCES:
                del out[name]
        return out

    def bodies(self, scope: dict[str, str], first: bool) -> tuple[Atom, ...]:
        """The relations in a body."""
        many = 0 if first else self.chance.choice((0, 1, 1, 1) if self.linear else (0, 1, 2, 2, 3))
        return tuple(self.atom(scope, True) for _ in range(many))

    def constraints(self, scope: dict[str, str], many: int) -> tuple[Both, ...]:
        """What else a body says."""
        return tuple(self.value(BOOL, scope, 3) for _ in range(many))

    def guards(self, scope: dict[str, str]) -> tuple[Both, ...]:
        """Which values the variables of infinite sorts have."""
        out = []
        for n, sort in scope.items():
            x = python(n)
            if sort == INT:
                texts = (f"(<= (- 1) {n} 3)", f"(and (< (- 2) {n}) (not (>= {n} 4)))")
                out.append(Both(self.chance.choice(texts), f"(-1 <= {x} <= 3)"))
            elif sort == REAL:
                cases = " ".join(f"(= {n} {literal(self.chance, REAL, v).smt})" for v in HALVES)
                out.append(Both(f"(or {cases})", "True"))
        return tuple(out)


def python(name: str) -> str:
    """The name of a variable in Python."""
    return "v_" + name.strip("|").replace(" ", "_")


def instances(scope: dict[str, str]) -> int:
    """How many there are of a clause with these variables."""
    out = 1
    for sort in scope.values():
        out *= len(VALUES[sort])
    return out


# -- the oracle ------------------------------------------------------------------------------------

Element = tuple[str, tuple[Any, ...]]


def derivable(problem: Problem) -> bool:
    """Is false derivable? The least model by saturation."""
    found: set[Element] = set()
    instances_of = [list(_ground(rule)) for rule in problem.rules]
    while True:
        before = len(found)
        for ground in instances_of:
            for body, head in ground:
                if all(b in found for b in body):
                    if head is None:
                        return True
                    found.add(head)
        if len(found) == before:
            return any(name in problem.queried for name, _ in found)


def _ground(rule: Rule) -> Iterator[tuple[list[Element], Element | None]]:
    """The instances of a rule whose constraints hold."""
    names = [python(n) for n in rule.variables]
    condition = compiled(names, " and ".join(["True", *(c.py for c in rule.constraints)]))
    atoms = [
        (a.name, compiled(names, f"({''.join(t.py + ',' for t in a.args)})"))
        for a in (*rule.body, *([rule.head] if rule.head else []))
    ]
    for values in itertools.product(*(VALUES[s] for s in rule.variables.values())):
        if condition(*values):
            made = [(name, tuple(f(*values))) for name, f in atoms]
            yield (made[:-1], made[-1]) if rule.head else (made, None)


def compiled(names: list[str], text: str) -> Callable[..., Any]:
    """The expression as a function of the variables."""
    made: Callable[..., Any] = eval(f"lambda {', '.join(names)}: {text}", dict(MEANING))
    return made
