"""Our own SAT solver against MiniSat: random circuits with guarded lemmas, questions with
assumptions and a temporary clause.

Answers must agree; a model must satisfy assumptions, lemmas and clause when the gates are evaluated
from its leaves; a core must be unsatisfiable. `python tests/fuzz/relevant_run.py --count 2000` runs
many, `--large` fewer and larger ones, whose solvers forget and compact clauses.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

import pysolvers

from obligato.smt.blast.cnf import CLAUSES
from obligato.smt.blast.gates import AND, INPUT, ITE, MAJ, XOR, XOR3
from obligato.smt.relevant import Relevant, agreeing, signed_as

ARITY = {XOR: 2, ITE: 3, XOR3: 3, MAJ: 3}


class Case:
    """One circuit in both solvers."""

    def __init__(self, seed: int) -> None:
        assert Relevant is not None
        self.random = random.Random(seed)
        self.ours, self.theirs = Relevant(), pysolvers.minisat22_new()
        self.count = 0
        self.gates: dict[int, tuple[int, list[int]]] = {}  # without guards
        self.guards: list[int] = []
        self.lemmas: list[tuple[list[int], int]] = []
        self.answers = [0, 0]

    def fresh(self) -> int:
        """A new variable."""
        self.count += 1
        return self.count

    def literals(self, most: int, leaves: bool = False) -> list[int]:
        """Some literals of different variables."""
        known = [v for v, (kind, _) in self.gates.items() if kind == INPUT or not leaves]
        chosen = self.random.sample(known, min(len(known), self.random.randint(1, most)))
        return [self.random.choice((v, -v)) for v in chosen]

    def tell(self, clause: list[int]) -> None:
        """A clause for MiniSat."""
        pysolvers.minisat22_add_cl(self.theirs, clause)

    def grow(self) -> None:
        """One more gate, or leaf."""
        kind = (
            self.random.choice([INPUT, AND, AND, XOR, ITE, XOR3, MAJ])
            if len(self.gates) > 6
            else INPUT
        )
        wanted = ARITY.get(kind, self.random.randint(2, 5))
        inputs = (
            [self.random.choice((v, -v)) for v in self.random.sample([*self.gates], wanted)]
            if kind != INPUT
            else []
        )
        v = self.fresh()
        self.gates[v] = kind, inputs
        self.ours.gate(kind, v, inputs)
        for clause in CLAUSES[kind](v, *inputs):
            self.tell([*clause])

    def learn(self) -> None:
        """A lemma, mostly over leaves, mostly under a guard; with a literal twice now and then."""
        if not self.guards or self.random.random() < 0.2:
            self.guards.append(self.fresh())
        clause = self.literals(4, self.random.random() < 0.8)
        if self.random.random() < 0.1:
            clause.append(clause[0])
        guard = (
            -self.random.choice(self.guards)
            if self.random.random() < 0.95 or len(clause) < 3
            else 0
        )
        if self.random.random() < 0.03:
            self.settle()
        self.lemmas.append((clause, guard))
        if self.random.random() < 0.5:
            self.ours.add(clause, guard)
        else:
            assert self.ours.deny([tuple(-x for x in clause)], 0, self.table(), guard) == 1
        self.tell([*clause, guard] if guard else clause)

    def settle(self) -> None:
        """A literal of a leaf becomes a fact, if all lemmas allow that."""
        leaf = self.literals(1, True)
        if pysolvers.minisat22_solve(self.theirs, [*leaf, *self.guards], 0):
            self.lemmas.append((leaf, 0))
            self.ours.add(leaf)
            self.tell(leaf)

    def ask(self) -> None:
        """A question, whose answer is judged."""
        assumed = [g for g in self.guards if self.random.random() < 0.5] + self.literals(8)
        clause = self.literals(4, True) if self.random.random() < 0.6 else None
        extra = []
        if clause is not None:
            extra = [self.fresh()]
            self.tell([*clause, -extra[0]])
        if self.random.random() < 0.1:
            assumed.append(-self.random.choice(assumed))
        plain = self.random.random() < 0.5
        answer, core = (
            self.posed(assumed, clause) if plain else self.posed_in_numbers(assumed, clause)
        )
        assert answer == pysolvers.minisat22_solve(self.theirs, assumed + extra, 0), (
            "the answers differ"
        )
        self.answers[answer] += 1
        if answer:
            self.judge_model(assumed, clause)
        else:
            assert set(core) <= set(assumed), "the core was not assumed"
            assert not pysolvers.minisat22_solve(self.theirs, core + extra, 0), (
                "the core is satisfiable"
            )
        if extra:
            self.tell([-extra[0]])

    def table(self) -> list[int]:
        """Numbers stand for themselves."""
        return [*range(self.count + 1), *range(-self.count, 0)]

    def posed(self, assumed: list[int], clause: list[int] | None) -> tuple[int, list[int]]:
        """The answer, and a core if it is no."""
        answer = self.ours.solve(assumed, clause)
        return answer, [] if answer else self.ours.core()

    def posed_in_numbers(
        self, assumed: list[int], clause: list[int] | None
    ) -> tuple[int, list[int]]:
        """The same, some of the assumptions and perhaps the clause by their numbers."""
        here = self.random.randint(0, len(assumed))
        given, denied = None if clause is None else tuple(clause), None
        if given is not None and self.random.random() < 0.5:
            given, denied = tuple(-x for x in given), self.table()
        found = self.ours.needed(assumed[:here], assumed[here:], self.table(), given, denied)
        if found is True:
            return 1, []
        assert isinstance(found, tuple), "no answer"
        return 0, [*(x for x in self.ours.core() if x in assumed[:here]), *found]

    def judge_model(self, assumed: list[int], clause: list[int] | None) -> None:
        """The model's leaves, with the gates evaluated from them, satisfy everything."""
        model = self.ours.model()
        value: dict[int, bool] = {}
        for v, (kind, inputs) in self.gates.items():
            value[v] = (
                bool(model[v])
                if kind == INPUT
                else _value(kind, [value[abs(x)] == (x > 0) for x in inputs])
            )
        value |= {g: g in assumed for g in self.guards}

        def holds(x: int) -> bool:
            return value[abs(x)] == (x > 0)

        assert agreeing is not None and signed_as is not None
        assert agreeing(model, self.table(), assumed) == assumed, (
            "an assumption is false in the model"
        )
        assert signed_as(model, self.table(), [-x for x in assumed]) == assumed, (
            "an assumption is false in the model"
        )
        assert all(map(holds, assumed)), "an assumption is false"
        assert clause is None or any(map(holds, clause)), "the temporary clause is false"
        assert all(any(map(holds, c)) or (g != 0 and holds(g)) for c, g in self.lemmas), (
            "a lemma is false"
        )

    def close(self) -> None:
        """Free both."""
        self.ours.close()
        pysolvers.minisat22_del(self.theirs)


def _value(kind: int, x: list[bool]) -> bool:
    table: dict[int, Any] = {
        AND: all,
        XOR: lambda x: x[0] != x[1],
        ITE: lambda x: x[1] if x[0] else x[2],
        XOR3: lambda x: sum(x) % 2 == 1,
        MAJ: lambda x: sum(x) > 1,
    }
    return bool(table[kind](x))


def run(seed: int, gates: int, questions: int) -> list[int]:
    """One case; how often the answer was no and yes."""
    case = Case(seed)
    for _ in range(case.random.randint(8, gates)):
        case.grow()
    for _ in range(questions):
        case.random.choices((case.grow, case.learn, case.ask), (0.1, 0.3, 0.6))[0]()
    case.close()
    return case.answers


def main() -> None:
    """Run many cases."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--large", action="store_true")
    asked = parser.parse_args()
    size = (400, 6000) if asked.large else (60, 60)
    total = [0, 0]
    for seed in range(asked.seed, asked.seed + asked.count):
        try:
            answers = run(seed, *size)
        except AssertionError as problem:
            print(f"seed {seed}: {problem}")
            sys.exit(1)
        total = [a + b for a, b in zip(total, answers, strict=True)]
    print(
        f"{asked.count} circuits: {total[1]} questions satisfiable, {total[0]} not; no difference"
    )


if __name__ == "__main__":
    main()
