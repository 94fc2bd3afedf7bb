"""Random recursive programs over two-bit numbers, and two oracles: exact summaries by tabulation,
and runs of the interpreter.

The tabulation works on statements, not on CFAs or clauses: it shares with the engine the syntax and
`terms.evaluate` only. For each procedure and entry state it computes the exit states and whether an
assertion may fail, to a fixed point.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

from obligato.errors import Span
from obligato.frontends.ivl import parse
from obligato.program.interpreter import Interpreter, Status
from obligato.program.syntax import (
    Assert,
    Assign,
    Assume,
    Call,
    Choice,
    Halt,
    Havoc,
    If,
    Program,
    Return,
    Statement,
    While,
)
from obligato.terms import Sort, Term, Value, evaluate

VALUES = range(4)
PARTS = 10_000  # programs from this number on also take words apart and put them together
State = tuple[tuple[str, int], ...]


def random_recursive(seed: int) -> Program:
    """A program whose procedures call themselves and each other."""
    return parse(random_text(seed), f"<random {seed}>")


def random_text(seed: int) -> str:
    """The same as IVL text."""
    chance = random.Random(seed)
    names = ["f", "h"][: chance.choice((1, 1, 2))]
    declared = f"var g: bv2 := {chance.choice(VALUES)};\n" if chance.random() < 0.6 else ""
    made = _Text(chance, names, bool(declared), parts=seed >= PARTS)
    narrow = "var n: bv1; " if made.parts else ""
    procedures = [
        f"proc {n}(x: bv2) returns (r: bv2) {{ {narrow}var t: bv2; {made.body(n)} }}" for n in names
    ]
    main = (
        f"proc main() {{ {narrow}var x, t, r: bv2; havoc x; {made.statements(2)} r :="
        f" {names[0]}(x); {made.assertion()} }}"
    )
    return declared + "\n".join([*procedures, main])


class _Text:
    def __init__(
        self, chance: random.Random, names: list[str], has_global: bool, parts: bool
    ) -> None:
        self.chance, self.names, self.parts = chance, names, parts
        self.variables = ["x", "t", "r", *(["g"] if has_global else [])]

    def body(self, name: str) -> str:
        chance = self.chance
        call = f"t := {chance.choice(self.names)}({self.value()});"
        more = (
            f"{self.statements(1)} r := {chance.choice(self.names)}({self.value()});"
            if chance.random() < 0.4
            else ""
        )
        tail = f"r := {name}({self.value()}); return;" if chance.random() < 0.3 else ""
        deep = (
            f"{self.statements(1)} {'' if tail and chance.random() < 0.6 else call} {more}"
            f" {self.statements(1)} {tail}"
        )
        loop = (
            f"while ({self.condition()}) {{ {self.statements(1)} x := x - 1; }}"
            if chance.random() < 0.15
            else ""
        )
        base = f"t := 0; r := {self.value()}; {self.statements(1)}"
        return (
            f"t := x; r := 0; if ({self.condition()}) {{ {base} }} else {{ {deep} }} {loop}"
            f" {self.statements(1)}"
        )

    def statements(self, most: int) -> str:
        return " ".join(self.statement() for _ in range(self.chance.randint(0, most)))

    def statement(self) -> str:
        chance, kind = self.chance, self.chance.randint(0, 9)
        target = chance.choice(self.variables)
        if kind < 5:
            return f"{target} := {self.value()};"
        if kind == 5:
            return (
                f"havoc n; {target} := {chance.choice(('zext', 'sext'))}(n, 2);"
                if self.parts
                else f"havoc {target};"
            )
        if kind == 6:
            return f"assume {self.condition()};"
        if kind == 7:
            return self.assertion()
        if kind == 8:
            return (
                f"if ({self.condition()}) {{ halt; }}"
                if chance.random() < 0.4
                else f"if ({self.condition()}) {{ return; }}"
            )
        return f"choose {{ {target} := {self.value()}; }} or {{ {target} := {self.value()}; }}"

    def value(self) -> str:
        a, b = self.chance.choice(self.variables), self.chance.choice([*self.variables, "1", "2"])
        if self.parts and self.chance.random() < 0.5:
            c = self.chance.choice(self.variables)
            return self.chance.choice(
                (
                    f"zext({a}[0:0], 2)",
                    "sext(n, 2)",
                    "zext(n, 2)",
                    f"{a}[0:0] ++ {c}[1:1]",
                    f"{a} ^ {c}",
                    f"{a} * 3",
                    f"~{a}",
                )
            )
        return self.chance.choice(
            (a, f"{a} - 1", f"{a} + {b}", f"{a} & {b}", str(self.chance.choice(VALUES)))
        )

    def condition(self) -> str:
        a = self.chance.choice(self.variables)
        op = self.chance.choice(("==", "!=", "<u", "<=u", "<s"))
        return f"{a} {op} {self.chance.choice((*self.variables, *map(str, VALUES)))}"

    def assertion(self) -> str:
        return f"assert {self.condition()} || {self.condition()};"


# -- tabulation ------------------------------------------------------------------------------------


class Tabulation:
    """Exact summaries of all procedures for the entry states that are needed."""

    def __init__(self, program: Program) -> None:
        self.program = program
        # entry state: values of globals and parameters
        self.exits: dict[tuple[str, State], set[State]] = {}
        self.fails: set[tuple[str, State]] = set()
        self.halted = False

    def violated(self) -> bool:
        """May an assertion fail?"""
        start = (
            self.program.entry,
            tuple(
                (g.name, evaluate(g.init, {})) for g in self.program.globals if g.init is not None
            ),
        )
        self.exits[start] = set()
        changed = True
        while changed:
            before = (len(self.fails), len(self.exits), sum(map(len, self.exits.values())))
            for name, state in list(self.exits):
                self._procedure(name, state)
            changed = before != (
                len(self.fails),
                len(self.exits),
                sum(map(len, self.exits.values())),
            )
        return start in self.fails

    def _procedure(self, name: str, entry: State) -> None:
        p = self.program.procedures[name]
        known, self.key = {x for x, _ in entry}, (name, entry)
        mine = [v for v in (*p.parameters, *p.results, *p.locals) if v.name not in known]
        fresh = {v.name: range(1 << v.type.width) for v in mine if isinstance(v.type, Sort)}
        starts = {
            _frozen({**dict(entry), **dict(zip(fresh, values, strict=True))})
            for values in product(*fresh.values())
        }
        ends, returned = self._run(starts, p.body)
        keep = {g.name for g in self.program.globals} | {r.name for r in p.results}
        self.exits[self.key] |= {
            tuple(pair for pair in s if pair[0] in keep) for s in ends | returned
        }

    def _run(
        self, states: set[State], body: tuple[Statement, ...]
    ) -> tuple[set[State], set[State]]:
        """The states after the body, and those that leave the procedure from inside."""
        returned: set[State] = set()
        for s in body:
            if isinstance(s, If):
                yes, no = _split(states, s.condition)
                (a, b), (c, d) = self._run(yes, s.then), self._run(no, s.otherwise)
                states, returned = a | c, returned | b | d
            elif isinstance(s, While):
                seen, done = set(states), set[State]()
                while states:
                    again, out = _split(states, s.condition)
                    done |= out
                    after, left = self._run(again, s.body)
                    returned |= left
                    states, seen = after - seen, seen | after
                states = done
            elif isinstance(s, Choice):
                parts = [self._run(states, b) for b in s.branches]
                states = set().union(*(p[0] for p in parts))
                returned = returned.union(*(p[1] for p in parts))
            elif isinstance(s, Return):
                return set(), returned | states
            elif isinstance(s, Halt):
                return set(), returned
            else:
                states = {t for state in states for t in self._step(s, state)}
        return states, returned

    def _step(self, s: Statement, state: State) -> Iterator[State]:
        values = dict(state)
        if isinstance(s, Assign):
            yield _frozen(
                {
                    **values,
                    **{x.name: _value(e, values) for x, e in zip(s.targets, s.values, strict=True)},
                }
            )
        elif isinstance(s, Havoc):
            for given in product(*(range(1 << x.width) for x in s.targets)):
                yield _frozen(
                    {**values, **{x.name: v for x, v in zip(s.targets, given, strict=True)}}
                )
        elif isinstance(s, Assume | Assert):
            if _value(s.condition, values):
                yield state
            elif isinstance(s, Assert):
                self.fails.add(self.key)
        elif isinstance(s, Call):
            yield from self._call(s, values)
        else:
            raise AssertionError(s)

    def _call(self, s: Call, values: dict[str, int]) -> Iterator[State]:
        callee = self.program.procedures[s.callee]
        entry = {g.name: values[g.name] for g in self.program.globals}
        entry |= {
            p.name: _value(a, values) for p, a in zip(callee.parameters, s.arguments, strict=True)
        }
        key = (s.callee, tuple(entry.items()))
        if key not in self.exits:
            self.exits[key] = set()
        if key in self.fails:
            self.fails.add(self.key)
        for exit_ in list(self.exits[key]):
            after = dict(exit_)
            results = {
                x.name: after[r.name] for x, r in zip(s.results, callee.results, strict=True)
            }
            yield _frozen(
                {**values, **{g.name: after[g.name] for g in self.program.globals}, **results}
            )


def _frozen(values: dict[str, int]) -> State:
    return tuple(sorted(values.items()))


def _value(t: Term, values: dict[str, int]) -> int:
    from obligato.terms import free_vars

    found: int = evaluate(t, {v: values[v.name] for v in free_vars(t)})
    return found


def _split(states: set[State], condition: Term | None) -> tuple[set[State], set[State]]:
    if condition is None:
        return states, states
    yes = {s for s in states if _value(condition, dict(s))}
    return yes, states - yes


# -- runs of the interpreter -----------------------------------------------------------------------


class _Needed(Exception):
    def __init__(self, count: int) -> None:
        self.count = count


class _Answers:
    def __init__(self, answers: tuple[int, ...]) -> None:
        self.answers, self.at = answers, 0

    def _next(self, count: int) -> int:
        if self.at == len(self.answers):
            raise _Needed(count)
        self.at += 1
        return self.answers[self.at - 1]

    def initial(self, name: str, sort: Sort) -> Value:
        return self._next(len(VALUES))

    def havoc(self, name: str, sort: Sort, span: Span) -> Value:
        return self._next(len(VALUES))

    def choose(self, count: int, span: Span) -> int:
        return self._next(count)


def some_run_fails(program: Program, seed: int, runs: int = 150, steps: int = 300) -> bool:
    """Does one of `runs` random runs of at most `steps` instructions fail an assertion?"""
    return any(result is Status.FAILED for _, result in random_runs(program, seed, runs, steps))


def random_runs(
    program: Program, seed: int, runs: int, steps: int
) -> Iterator[tuple[tuple[int, ...], Status]]:
    """The answers that random runs were given, and how they ended; those that ask for too much are
    left out.
    """
    interpreter, chance = Interpreter(program), random.Random(seed)
    for _ in range(runs):
        answers: tuple[int, ...] = ()
        while len(answers) <= 120:
            try:
                yield answers, interpreter.run(_Answers(answers), steps).status
                break
            except _Needed as needed:
                answers = (*answers, chance.randrange(needed.count))


def ending(program: Program, answers: tuple[int, ...], steps: int) -> Status:
    """How a run ends that is given these answers."""
    return Interpreter(program).run(_Answers(answers), steps).status
