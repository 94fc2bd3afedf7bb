"""Two benchmarks compared, run by run:
what was gained, what was lost, what is wrong now, how times changed.

A difference is *near a limit* if one run was ended by a limit of which the other had needed so much
that a slower machine explains it (`noise` times its use reaches the limit). Our engines count their
own budgets, so that limits of time and memory are all that can make two runs of one revision
differ: they are the same if nothing else is different (`Comparison.same`).

A task is *lost* if A solved it and B did not. Near a limit that is noise; but noise goes both ways,
so that more near losses than near gains, by more than twice the spread of a fair coin,
are a loss as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, log, sqrt

from obligato.bench.limited import Limits
from obligato.bench.score import MEMORY, NOISE, TIMEOUT, Result
from obligato.bench.store import Store
from obligato.bench.tables import by_tool
from obligato.errors import ConfigError

_SHORTEST_S = 0.1

Pair = tuple[Result, Result]


@dataclass(slots=True)
class Comparison:
    """Of one tool in A with one in B."""

    a: str
    b: str
    pairs: list[Pair] = field(default_factory=list)
    only_a: list[Result] = field(default_factory=list)  # solved in A, not run in B
    wrong: list[Result] = field(default_factory=list)  # in B
    lost: list[Pair] = field(default_factory=list)
    near: list[Pair] = field(default_factory=list)  # lost, but close to the limit
    gained: list[Pair] = field(default_factory=list)
    near_gained: int = 0
    # not solved in another way, and no limit is near
    changed: list[Pair] = field(default_factory=list)
    unmatched: int = 0  # tasks in one of them only
    contradictions: list[Pair] = field(default_factory=list)

    @property
    def near_losses_are_many(self) -> bool:
        """Are there more losses near the time limit than noise explains?"""
        n = len(self.near) + self.near_gained
        return len(self.near) - self.near_gained > 2 * sqrt(n)

    @property
    def failed(self) -> bool:
        """Is B worse in a way that must not be?"""
        return bool(self.wrong or self.lost or self.contradictions) or self.near_losses_are_many

    @property
    def same(self) -> bool:
        """Did both run the same tasks to the same ends, but for what is near a limit?"""
        far_gained = len(self.gained) - self.near_gained
        return not (
            self.unmatched or self.contradictions or self.lost or self.changed or far_gained
        )

    @property
    def time_ratio(self) -> float:
        """Geometric mean of B's time to A's on what both solved."""
        logs = [
            log(max(y.cpu_s, _SHORTEST_S) / max(x.cpu_s, _SHORTEST_S))
            for x, y in self.pairs
            if x.solved and y.solved
        ]
        return exp(sum(logs) / len(logs)) if logs else 1.0


def compare(a: Store, b: Store, noise: float = NOISE) -> list[Comparison]:
    """Tools of the same name; if none is in both and each has one only, these two."""
    runs_a, runs_b = by_tool(a.results()), by_tool(b.results())
    matched = [(t, t) for t in runs_a if t in runs_b]
    if not matched and len(runs_a) == len(runs_b) == 1:
        matched = [(next(iter(runs_a)), next(iter(runs_b)))]
    if not matched:
        raise ConfigError(
            f"no tool is in both: {', '.join(runs_a) or 'none'} and {', '.join(runs_b) or 'none'}"
        )
    limits = (Limits(**a.meta()["limits"]), Limits(**b.meta()["limits"]))
    return [compare_runs(runs_a[x], runs_b[y], limits, noise) for x, y in matched]


def compare_runs(
    a: Sequence[Result], b: Sequence[Result], limits: tuple[Limits, Limits], noise: float = NOISE
) -> Comparison:
    """Two lists of results of one tool each."""
    out = Comparison(a[0].tool, b[0].tool, wrong=[r for r in b if r.wrong])
    after = {r.task: r for r in b}
    for x in a:
        y = after.get(x.task)
        if y is None:
            out.only_a += [x] if x.solved else []
        else:
            out.pairs.append((x, y))
            _judge(out, x, y, _near(x, y, limits[0], noise) or _near(y, x, limits[1], noise))
    out.unmatched = len(a) + len(b) - 2 * len(out.pairs)
    return out


def _judge(out: Comparison, x: Result, y: Result, near: bool) -> None:
    if x.solved and y.solved:
        out.contradictions += [(x, y)] if x.status != y.status else []
    elif x.solved:
        (out.near if near else out.lost).append((x, y))
    elif y.solved:
        out.gained.append((x, y))
        out.near_gained += near
    elif x.status != y.status and not near:
        out.changed.append((x, y))


def _near(ended: Result, other: Result, limits: Limits, noise: float) -> bool:
    """Was the one ended by a limit that the other nearly reached?"""
    if ended.status == MEMORY:
        return other.peak_mb * noise >= limits.memory_mb
    return (
        ended.status == TIMEOUT
        and max(other.cpu_s / limits.cpu_s, other.wall_s / limits.wall_s) * noise >= 1
    )


def comparison_text(c: Comparison) -> str:
    """For a terminal: the differences, then the summary."""
    lines = [f"wrong: {r.task}: {r.status}, expected {r.expected}" for r in c.wrong]
    lines += [f"contradiction: {x.task}: {x.status}, then {y.status}" for x, y in c.contradictions]
    titled = (
        ("lost", c.lost),
        ("lost near the limit", c.near),
        ("gained", c.gained),
        ("changed", c.changed),
    )
    for title, pairs in titled:
        lines += [
            f"{title}: {x.task}: {x.column} {x.cpu_s:.1f} s, then {y.column} {y.cpu_s:.1f} s"
            for x, y in pairs
        ]
    solved = [sum(r.solved for r in side) for side in zip(*c.pairs, strict=True)] or [0, 0]
    name = c.a if c.a == c.b else f"{c.a} -> {c.b}"
    lines.append(
        f"{name}: {len(c.pairs)} tasks in both, solved {solved[0]} -> {solved[1]}, gained"
        f" {len(c.gained)}, lost {len(c.lost)} (+ {len(c.near)} near the limit), wrong"
        f" {len(c.wrong)}, time x {c.time_ratio:.2f}"
        + (f", {len(c.only_a)} solved tasks of A were not run in B" if c.only_a else "")
    )
    return "\n".join(lines)
