"""The comparison of the Lustre interpreter with the transition system on random runs of a program,
on all streams.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from obligato.frontends.lustre import sampling
from obligato.frontends.lustre.replay import decode
from obligato.frontends.lustre.sampling import random_run
from obligato.frontends.lustre.simulate import Simulation, Step
from obligato.frontends.lustre.system import INLINE, LustreModel, read
from obligato.frontends.lustre.types import Table, Type
from obligato.frontends.lustre.values import Value, parts, scalars
from obligato.terms import Term, evaluate


def differences(
    text: str, rng: random.Random, steps: int = 6, contracts: str = INLINE
) -> list[str]:
    """What interpreter and transition system say differently about a random run of a program
    (modular: of its first node).
    """
    model = read(text, contracts=contracts)
    trace, nows = random_run(model.system, rng, steps)
    return sampling.differences(
        sampling.world_of(text, contracts=contracts),
        0,
        model.system,
        trace,
        nows,
        lambda *at: _streams(model, *at),
    )


def _streams(
    model: LustreModel,
    simulation: Simulation,
    step: Step,
    now: dict[Term, Any],
    memo: dict[Term, Any],
) -> list[str]:
    out: list[str] = []
    for name, value in model.streams.items():
        t = simulation.scope.variables[name]
        if isinstance(t, Table):
            out += [
                f"{name}: {problem}" for problem in _rows(t, value, now, memo, step.streams[name])
            ]
        elif (mine := decode(t, _scalars(t, value, now, memo))) != step.streams[name]:
            out.append(f"{name} is {step.streams[name]} / {mine}")
    return out


def _scalars(
    t: Type, value: Value, now: dict[Term, Any], memo: dict[Term, Any]
) -> Callable[[str], Any]:
    paths: list[str] = []

    def walk(pt: Type, path: str) -> None:
        inner = parts(pt)
        if inner is None:
            paths.append(path)
        for p, it in inner or ():
            walk(it, path + p)

    walk(t, "")
    table = dict(zip(paths, scalars(value), strict=True))
    return lambda path: evaluate(table[path], now, memo)


def _rows(
    t: Table, rows: Value, now: dict[Term, Any], memo: dict[Term, Any], found: Any
) -> list[str]:
    """What the rows of a table say differently from what the interpreter found in it."""
    assert isinstance(rows, tuple)
    out: list[str] = []
    for row in rows:
        assert isinstance(row, tuple) and isinstance(row[1], Term)
        key, here = decode(t.key, _scalars(t.key, row[0], now, memo)), evaluate(row[1], now, memo)
        if here != (key in found.entries):
            out.append(f"{key} is {'' if here else 'not '}there only in the system")
        elif (
            here
            and t.value is not None
            and decode(t.value, _scalars(t.value, row[2], now, memo)) != found.entries[key]
        ):
            out.append(f"the values of {key} differ")
    return out
