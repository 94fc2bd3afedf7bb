"""Random small IVL programs, for testing whatever takes programs: same seed, same program.

They are meant to be nasty rather than natural: havoc in loops, parallel edges, several entries to a
loop head, nested and irreducible loops, assume(false), division by zero, several asserts,
unreachable code, errors without a step, and calls. Sorts are Bool, bit-vectors of `width` bits and
integers that stay in 0..3, so that `tests.support.explore` is exact.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from obligato.errors import Span
from obligato.program.syntax import (
    LIMIT,
    PROPERTY,
    Assert,
    Assign,
    Assume,
    Call,
    Choice,
    Goto,
    Halt,
    Havoc,
    If,
    Label,
    Procedure,
    Program,
    Return,
    Statement,
    Variable,
    While,
)
from obligato.program.validate import validate
from obligato.terms import BOOL, INT, Op, Sort, Term, TermStore, bitvec

BV_BINARY = (
    Op.BVADD,
    Op.BVSUB,
    Op.BVMUL,
    Op.BVAND,
    Op.BVOR,
    Op.BVXOR,
    Op.BVSHL,
    Op.BVLSHR,
    Op.BVASHR,
    Op.BVUDIV,
    Op.BVUREM,
    Op.BVSDIV,
    Op.BVSREM,
    Op.BVSMOD,
)
COMPARE = (Op.EQ, Op.BVULT, Op.BVULE, Op.BVSLT, Op.BVSGE, Op.BVUGT)


def random_program(
    seed: int,
    *,
    width: int | None = None,
    calls: bool = True,
    ints: bool = True,
    size: int = 12,
    limits: bool = False,
) -> Program:
    """A random program; `size` is roughly its number of statements, `limits` allows asserts of
    class limit.
    """
    rng = random.Random(seed)
    return _Generator(
        rng, width or rng.choice((2, 2, 3, 3, 4)), calls and rng.random() < 0.6, ints, limits
    ).program(size)


class _Generator:
    def __init__(
        self, rng: random.Random, width: int, calls: bool, ints: bool, limits: bool
    ) -> None:
        self.rng = rng
        self.store = TermStore.raw()
        self.bv = bitvec(width)
        self.ints = ints and rng.random() < 0.3
        self.limits = limits
        self.procedures: dict[str, Procedure] = {}
        self.callable = calls
        self.line = 0
        self.labels: list[str] = []
        self.unplaced: list[str] = []
        self.scope: list[Term] = []

    def program(self, size: int) -> Program:
        globals_ = [
            Variable(
                "g",
                self.bv,
                self._literal(self.bv) if self.rng.random() < 0.7 else None,
                self._span(),
            )
        ]
        if self.rng.random() < 0.3:
            init = self.store.mk(Op.BVADD, (self.store.var("g", self.bv), self._literal(self.bv)))
            globals_.append(Variable("h", self.bv, init, self._span()))
        outer = [self.store.var(v.name, self.bv) for v in globals_]
        if self.callable:
            for name in ("f", "k")[: self.rng.randint(1, 2)]:
                self._procedure(name, outer, max(2, size // 3))
        self._procedure("main", outer, size)
        program = Program(self.store, (), tuple(globals_), self.procedures, "main", "random.ivl")
        validate(program)
        return program

    def _span(self) -> Span:
        self.line += 1
        return Span("random.ivl", self.line, 1)

    # -- procedures and statements -----------------------------------------------------------------

    def _procedure(self, name: str, outer: list[Term], size: int) -> None:
        main = name == "main"
        sorts = {"x": self.bv, "y": self.bv} if main else {"a": self.bv, "r": self.bv, "t": self.bv}
        if main and self.rng.random() < 0.3:
            sorts["b"] = BOOL
        if main and self.ints:
            sorts["i"] = INT
        variables = [Variable(f"{name}::{n}", s, None, self._span()) for n, s in sorts.items()]
        self.scope = [
            *outer,
            *(self.store.var(v.name, sorts[v.name.partition("::")[2]]) for v in variables),
        ]
        self.labels = [f"l{n}" for n in range(self.rng.choice((0, 1, 2, 3)))]
        self.unplaced = list(self.labels)
        body = [*self._bounds(), *self._block(size, 0)]
        while self.unplaced:
            body += [Label(self.unplaced.pop(), self._span()), *self._block(1, 0)]
        parts = (
            ((), (), tuple(variables))
            if main
            else (tuple(variables[:1]), tuple(variables[1:2]), tuple(variables[2:]))
        )
        self.procedures[name] = Procedure(name, *parts, tuple(body), self._span())

    def _bounds(self) -> list[Statement]:
        return [Assume(self._in_range(x), self._span()) for x in self.scope if x.sort is INT]

    def _in_range(self, x: Term) -> Term:
        s = self.store
        return s.and_(s.le(s.int_(0), x), s.le(x, s.int_(3)))

    def _block(self, size: int, depth: int) -> list[Statement]:
        out: list[Statement] = []
        while size > 0:
            if self.unplaced and self.rng.random() < 0.2:
                out.append(Label(self.unplaced.pop(), self._span()))
            statement, used = self._statement(size, depth)
            out += statement
            size -= used
        return out

    def _statement(self, size: int, depth: int) -> tuple[list[Statement], int]:
        kinds: list[tuple[int, Callable[[], Statement | list[Statement]]]] = [
            (30, self._assign),
            (10, self._havoc),
            (6, self._assume),
            (10, self._assert),
            (6, self._goto),
            (1, self._end),
            (10 if len(self.procedures) else 0, self._call),
        ]
        if depth < 3 and size > 2:
            inner = self.rng.randint(1, max(1, size - 1))
            compound = (self._if, self._while, self._choice)
            pick = self.rng.choice(compound)
            kinds.append((30, lambda: pick(inner, depth + 1)))
            used_compound = inner + 1
        else:
            used_compound = 1
        weights = [w for w, _ in kinds]
        n = self.rng.choices(range(len(kinds)), weights)[0]
        made = kinds[n][1]()
        return (made if isinstance(made, list) else [made]), used_compound if n == 7 else 1

    def _target(self) -> Term:
        return self.rng.choice(self.scope)

    def _assign(self) -> Statement:
        targets = self.rng.sample(self.scope, 2 if self.rng.random() < 0.15 else 1)
        return Assign(
            tuple(targets), tuple(self._expression(x.sort, 2) for x in targets), self._span()
        )

    def _havoc(self) -> list[Statement]:
        targets = self.rng.sample(self.scope, 2 if self.rng.random() < 0.15 else 1)
        bounds: list[Statement] = [
            Assume(self._in_range(x), self._span()) for x in targets if x.sort is INT
        ]
        return [Havoc(tuple(targets), None, self._span()), *bounds]

    def _assume(self) -> Statement:
        return Assume(
            self.store.false if self.rng.random() < 0.1 else self._condition(), self._span()
        )

    def _assert(self) -> Statement:
        s, r = self.store, self.rng.random()
        condition = (
            s.false
            if r < 0.05
            else s.or_(self._condition(), self._condition())
            if r < 0.8
            else self._condition()
        )
        kind = LIMIT if self.limits and self.rng.random() < 0.3 else PROPERTY
        return Assert(condition, self.rng.choice(("", "p", "q")), kind, self._span())

    def _goto(self) -> Statement:
        if not self.labels:
            return self._assign()
        return Goto(
            tuple(self.rng.choices(self.labels, k=self.rng.choice((1, 1, 2, 3)))), self._span()
        )

    def _end(self) -> Statement:
        return Return(self._span()) if self.rng.random() < 0.6 else Halt(self._span())

    def _call(self) -> Statement:
        callee = self.rng.choice(list(self.procedures))
        target = self.rng.choice([x for x in self.scope if x.sort is self.bv])
        return Call((target,), callee, (self._expression(self.bv, 1),), self._span())

    def _maybe(self) -> Term | None:
        return None if self.rng.random() < 0.25 else self._condition()

    def _if(self, size: int, depth: int) -> Statement:
        span = self._span()
        then = self._block(self.rng.randint(0, size), depth)
        otherwise = self._block(self.rng.randint(0, size), depth) if self.rng.random() < 0.5 else []
        return If(self._maybe(), tuple(then), tuple(otherwise), span)

    def _while(self, size: int, depth: int) -> Statement:
        span = self._span()
        return While(self._maybe(), tuple(self._block(size, depth)), span)

    def _choice(self, size: int, depth: int) -> Statement:
        span = self._span()
        branches = self.rng.randint(1, 3)
        return Choice(
            tuple(
                tuple(self._block(self.rng.randint(0, size // branches), depth))
                for _ in range(branches)
            ),
            span,
        )

    # -- expressions -------------------------------------------------------------------------------

    def _literal(self, sort: Sort) -> Term:
        if sort is BOOL:
            return self.store.bool_(self.rng.random() < 0.5)
        return (
            self.store.int_(self.rng.randint(0, 3))
            if sort is INT
            else self.store.const(self.rng.getrandbits(4), sort)
        )

    def _leaf(self, sort: Sort) -> Term:
        known = [x for x in self.scope if x.sort is sort]
        return self.rng.choice(known) if known and self.rng.random() < 0.7 else self._literal(sort)

    def _expression(self, sort: Sort, depth: int) -> Term:
        if depth == 0 or self.rng.random() < 0.3:
            return self._leaf(sort)
        if sort is BOOL:
            return self._condition(depth - 1)
        if self.rng.random() < 0.1:
            return self.store.ite(
                self._condition(0),
                self._expression(sort, depth - 1),
                self._expression(sort, depth - 1),
            )
        a, b = self._expression(sort, depth - 1), self._expression(sort, depth - 1)
        if sort is INT:
            return self.store.mod(self.store.add(a, b), self.store.int_(4))
        return (
            self.store.mk(self.rng.choice(BV_BINARY), (a, b))
            if self.rng.random() < 0.9
            else self._reshaped(a)
        )

    def _reshaped(self, a: Term) -> Term:
        s, w = self.store, self.bv.width
        half = s.extract(a, w - 1, 1)
        rotated = s.concat(s.extract(a, 0, 0), half)
        return self.rng.choice(
            (s.zero_ext(half, 1), s.sign_ext(half, 1), rotated, s.mk(Op.BVNEG, (a,)))
        )

    def _condition(self, depth: int = 1) -> Term:
        s, r = self.store, self.rng.random()
        if depth and r < 0.15:
            return self.rng.choice((s.and_, s.or_, s.implies, s.xor))(
                self._condition(0), self._condition(0)
            )
        if r < 0.3:
            return s.not_(self._condition(0))
        flags = [x for x in self.scope if x.sort in (BOOL, INT)]
        if flags and r < 0.4:
            x = self.rng.choice(flags)
            return (
                x
                if x.sort is BOOL
                else s.mk(
                    self.rng.choice((Op.EQ, Op.LE, Op.LT, Op.GE)), (x, self._expression(INT, 1))
                )
            )
        return s.mk(
            self.rng.choice(COMPARE), (self._expression(self.bv, 1), self._expression(self.bv, 1))
        )
