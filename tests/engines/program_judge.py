"""Engines that unwind programs, judged by the independent checker and by exploration; their options
pairwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import pytest

from obligato.api.registry import engine
from obligato.engines.environment import Environment
from obligato.engines.kernel import steps
from obligato.engines.preparation import sorts_of
from obligato.errors import InternalError
from obligato.models.importing import import_cfa
from obligato.results.outcome import Verdict
from obligato.smt.factory import supports
from obligato.terms import TermStore
from tests.engines.judge import checked, sample

Choice = dict[str, Any]

DEEP = 40  # large blocks: every error of the random programs lies within

CEGAR: dict[str, Sequence[Any]] = {
    "abstraction": ("cartesian", "boolean"),
    "refinement": ("wp", "interpolants"),
    "large_blocks": (True, False),
    "seed_invariants": (True, False),
    "predicates": (0, 20),
    "backend": ("auto", "z3", "bitwuzla"),
}
TREEIC3: dict[str, Sequence[Any]] = {
    "interpolants": ("never", "first", "fallback"),
    "abstraction": (False, True),
    "relative": (True, False),
    "large_blocks": (True, False),
    "seed_invariants": (True, False),
    "patience": (200, 1),
    "backend": ("auto", "z3", "bitwuzla"),
}
BMC: dict[str, Sequence[Any]] = {
    "bound": (60, 10),
    "acceleration": (True, False),
    "backend": ("auto", "z3", "bitwuzla"),
}
KINDUCTION: dict[str, Sequence[Any]] = {
    "bound": (40, 5),
    "invariants": (True, False),
    "backend": ("auto", "z3", "bitwuzla"),
}


def pairwise(values: Mapping[str, Sequence[Any]]) -> list[Choice]:
    """Choices, the defaults (first values) first, in which every two values of two options occur
    together.
    """
    wanted = {
        ((a, x), (b, y)): None
        for a, b in combinations(values, 2)
        for x in values[a]
        for y in values[b]
    }
    out: list[Choice] = [{a: vs[0] for a, vs in values.items()}]
    for pair in wanted:
        if not any(pair in _pairs(choice) for choice in out):
            out.append(
                _completed(
                    dict(pair), values, [p for p in wanted if not any(p in _pairs(c) for c in out)]
                )
            )
    return out


def _pairs(choice: Choice) -> list[tuple[tuple[str, Any], tuple[str, Any]]]:
    return list(combinations(choice.items(), 2))


def _completed(start: Choice, values: Mapping[str, Sequence[Any]], missing: list[Any]) -> Choice:
    """The other options so that many missing pairs occur."""
    chosen = dict(start)
    for a, vs in values.items():
        if a not in chosen:
            chosen[a] = max(vs, key=lambda x: sum(_agrees(p, {**chosen, a: x}) for p in missing))
    return {a: chosen[a] for a in values}


def _agrees(pair: tuple[tuple[str, Any], ...], choice: Choice) -> bool:
    return all(a in choice and choice[a] == x for a, x in pair)


def objection(name: str, task: int | str, choice: Choice, questions: int = 10_000) -> str | None:
    """What one of the judges has against a run on the task's program; None if all agree (or it is
    too large).

    The programs are small: a run that asks more than so many `questions` will not end.
    """
    known = sample(task)
    if known is None:
        return None
    program, cfa, expected = known
    if choice.get("backend", "auto") != "auto" and not supports(choice["backend"], sorts_of(cfa)):
        return None
    run = engine(name)
    try:
        env = Environment(debug=True)
        env.cancelled = lambda: env.questions > questions
        result = run.prove_cfa(import_cfa(cfa, TermStore()), run.options(**choice), env)
    except InternalError as error:
        return f"internal: {error}"
    refused = checked(program, cfa, result)
    if refused is not None or result.verdict is expected:
        return refused
    if (
        result.verdict is Verdict.UNKNOWN
        and "bound" in choice
        and (expected is Verdict.TRUE or choice["bound"] < DEEP)
    ):
        return None  # there are longer runs than the bound allows
    return f"exploration: {expected.value}, not {result.verdict.value} ({result.reason})"


CHOICES = {
    "cegar": pairwise(CEGAR),
    "treeic3": pairwise(TREEIC3),
    "bmc": pairwise(BMC),
    "kinduction": pairwise(KINDUCTION),
}


def unknown_is_unsat(patch: pytest.MonkeyPatch) -> None:
    """Every seventh question is answered by unsat."""
    real, count = steps.Steps.ask, [0]

    def faulty(self: Any, *args: Any, **kw: Any) -> Any:
        count[0] += 1
        return steps.Unreached((), ()) if count[0] % 7 == 0 else real(self, *args, **kw)

    patch.setattr(steps.Steps, "ask", faulty)
