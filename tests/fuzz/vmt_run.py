"""Random VMT systems as text, over numbers, words, reals and small arrays: the engines against exploration.

    python tests/fuzz/vmt_run.py [--count 2000] [--seed N] [--only CASE [--show]]

A case is a number; the same number is the same system with the same engine and options. Formulas come
from `tests/support/horn_texts.py`, which knows neither our terms nor our reader: lets that hide names,
sets of operators on all sorts, quoted names. Each variable takes finitely many values, which `:init` and
`:trans` say. The file is read and decided as every run does it, its claims checked. Exit status 1 if
anything disagrees; what is not decided is counted.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from obligato.api.library import verify
from obligato.errors import ConfigError, Unsupported
from tests.fuzz.horn_run import drawn
from tests.fuzz.progress import Tally, arguments, run_cases
from tests.support.horn_texts import (
    BOOL,
    INT,
    MAP,
    REAL,
    VALUES,
    WORD,
    Both,
    Generator,
    compiled,
    instances,
    literal,
    python,
)

SECONDS = 60  # of CPU time for one system
LIMIT = 5  # seconds after which an engine gives up, between questions to its solver
STATES = 64  # of one system at most
ENGINES = ("ic3ia", "ctigar", "ic3qe", "bmc", "kinduction", "itp", "fsis", "ic3bmc")


class System:
    """One system; `state` and `inputs` are names with their sorts, formulas are lists of conjuncts."""

    def __init__(self, seed: int) -> None:
        self.g = g = Generator(seed)
        r = self.chance = g.chance
        g.sorts = [INT, BOOL, *r.choice(((), (WORD,), (REAL,), (MAP, WORD)))]
        self.state: dict[str, str] = {}
        for name in r.sample(("a", "b", "|c d|", "e"), r.choice((1, 2, 2, 3))):
            self.state[name] = r.choice(g.sorts)
            if instances(self.state) > STATES:
                del self.state[name]
        self.inputs = {"in": r.choice((BOOL, WORD) if WORD in g.sorts else (BOOL,))}
        self.nexts = {self.next(n): s for n, s in self.state.items()}
        both = {**self.state, **self.inputs}
        self.init = self._init()
        self.trans = [*g.guards(self.nexts), *self._steps(both)]
        self.properties = [
            self._either(both if r.random() < 0.3 else self.state) for _ in range(r.choice((1, 2)))
        ]

    def next(self, name: str) -> str:
        """The name of a next state."""
        return f"|{name.strip('|')} next|" if name.startswith("|") else f"{name}_n"

    def _init(self) -> list[Both]:
        g, r = self.g, self.chance
        known = [
            (n, literal(r, s, r.choice(VALUES[s])))
            for n, s in self.state.items()
            if r.random() < 0.6
        ]
        facts = [Both(f"(= {n} {v.smt})", f"({python(n)} == {v.py})") for n, v in known]
        return [*g.guards(self.state), *facts, *g.constraints(self.state, r.choice((0, 1)))]

    def _steps(self, both: dict[str, str]) -> list[Both]:
        g, r = self.g, self.chance
        if r.random() < 0.3:
            return list(g.constraints({**both, **self.nexts}, r.choice((1, 2))))
        pairs = [(n, g.value(s, both, 3)) for n, s in self.state.items() if r.random() < 0.85]
        steps = [
            Both(f"(= {self.next(n)} {v.smt})", f"({python(self.next(n))} == {v.py})")
            for n, v in pairs
        ]
        return [*steps, *g.constraints(both, r.choice((0, 0, 1)))]

    def _either(self, scope: dict[str, str]) -> Both:
        p, q = self.g.value(BOOL, scope, 3), self.g.value(BOOL, self.state, 3)
        return Both(f"(or {p.smt} {q.smt})", f"({p.py} or {q.py})")

    def text(self) -> str:
        """The file."""
        names = {**self.state, **self.nexts, **self.inputs}
        lines = [f"(declare-fun {n} () {s})" for n, s in names.items()]
        lines += [
            f"(define-fun .s{k} () {s} (! {n} :next {self.next(n)}))"
            for k, (n, s) in enumerate(self.state.items())
        ]
        lines += [
            f"(define-fun .{key} () Bool (! (and true {' '.join(f.smt for f in facts)}) :{key} true))"
            for key, facts in (("init", self.init), ("trans", self.trans))
        ]
        lines += [
            f"(define-fun .p{k} () Bool (! {p.smt} :invar-property {k}))"
            for k, p in enumerate(self.properties)
        ]
        return "\n".join(lines) + "\n"

    def violated(self) -> list[bool]:
        """Which properties some reachable state violates, with some inputs."""
        state, inputs, nexts = (
            [python(n) for n in names] for names in (self.state, self.inputs, self.nexts)
        )
        init, trans = (
            compiled(state, _all(self.init)),
            compiled(state + inputs + nexts, _all(self.trans)),
        )
        holds = [compiled(state + inputs, p.py) for p in self.properties]
        states = list(itertools.product(*(VALUES[s] for s in self.state.values())))
        given = list(itertools.product(*(VALUES[s] for s in self.inputs.values())))
        seen = dict.fromkeys(s for s in states if init(*s))
        todo: list[tuple[Any, ...]] = list(seen)
        while todo:
            s = todo.pop()
            new = [n for n in states if n not in seen and any(trans(*s, *i, *n) for i in given)]
            seen.update(dict.fromkeys(new))
            todo += new
        return [any(not p(*s, *i) for s in seen for i in given) for p in holds]


def _all(facts: Sequence[Both]) -> str:
    return " and ".join(["True", *(f.py for f in facts)])


def objections(case: int, tally: Tally) -> list[str]:
    """What speaks against one engine on one system."""
    system, rng = System(case), random.Random(case)
    engine = rng.choice(ENGINES)
    options = drawn(engine, rng)
    try:
        outcome = verify(
            system.text(), engine, language="vmt", timeout=LIMIT, isolated=False, **options
        )
    except (ConfigError, Unsupported) as refusal:
        tally[f"refused: {type(refusal).__name__}"] += 1
        return []
    out, violated = [], system.violated()
    for found in outcome.verdicts:
        expected = "false" if violated[int(found.property)] else "true"
        tally[f"{engine}: {found.verdict.value}"] += 1
        if found.verdict.value not in (expected, "unknown"):
            out.append(f"{engine} {options}: {found.property} is {expected}")
    return out


def main() -> int:
    """All cases."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", action="store_true", help="print the systems")
    o = arguments(parser, count=2000)

    def judged(case: int, tally: Tally) -> list[str]:
        if o.show:
            print(System(case).text())
        return objections(case, tally)

    return run_cases("VMT systems", o, SECONDS, judged)


if __name__ == "__main__":
    sys.exit(main())
