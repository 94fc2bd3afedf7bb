"""Two benchmarks compared, run by run: what was gained, what was lost, what is wrong now, how times changed.

A task is *lost* if A solved it and B did not. That is noise only where B ran into a limit and A had needed so much of that
limit that a slower machine explains it (`noise` times A's time reaches B's limit); and noise goes both ways, so that more
near losses than near gains, by more than twice the spread of a fair coin, are a loss as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, log, sqrt

from obligato.bench.score import MEMORY, TIMEOUT, Result
from obligato.bench.store import Store
from obligato.bench.tables import by_tool
from obligato.errors import ConfigError

NOISE = 2.0
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
    contradictions: list[Pair] = field(default_factory=list)

    @property
    def near_losses_are_many(self) -> bool:
        """More than noise explains."""
        n = len(self.near) + self.near_gained
        return len(self.near) - self.near_gained > 2 * sqrt(n)

    @property
    def failed(self) -> bool:
        """Is B worse in a way that must not be?"""
        return bool(self.wrong or self.lost or self.contradictions) or self.near_losses_are_many

    @property
    def time_ratio(self) -> float:
        """Geometric mean of B's time to A's on what both solved."""
        logs = [log(max(y.cpu_s, _SHORTEST_S) / max(x.cpu_s, _SHORTEST_S)) for x, y in self.pairs if x.solved and y.solved]
        return exp(sum(logs) / len(logs)) if logs else 1.0


def compare(a: Store, b: Store, noise: float = NOISE) -> list[Comparison]:
    """Tools of the same name; if none is in both and each has one only, these two."""
    runs_a, runs_b = by_tool(a.results()), by_tool(b.results())
    matched = [(t, t) for t in runs_a if t in runs_b]
    if not matched and len(runs_a) == len(runs_b) == 1:
        matched = [(next(iter(runs_a)), next(iter(runs_b)))]
    if not matched:
        raise ConfigError(f"no tool is in both: {', '.join(runs_a) or 'none'} and {', '.join(runs_b) or 'none'}")
    limits = tuple(float(s.meta()["limits"]["cpu_s"]) for s in (a, b))
    return [compare_runs(runs_a[x], runs_b[y], limits, noise) for x, y in matched]


def compare_runs(a: Sequence[Result], b: Sequence[Result], limits: tuple[float, ...], noise: float = NOISE) -> Comparison:
    """Two lists of results of one tool each."""
    out = Comparison(a[0].tool, b[0].tool, wrong=[r for r in b if r.wrong])
    after = {r.task: r for r in b}
    for x in a:
        y = after.get(x.task)
        if y is None:
            out.only_a += [x] if x.solved else []
            continue
        out.pairs.append((x, y))
        if x.solved and y.solved:
            out.contradictions += [(x, y)] if x.status != y.status else []
        elif x.solved:
            near = y.status in (TIMEOUT, MEMORY) and x.cpu_s * noise >= limits[1]
            (out.near if near else out.lost).append((x, y))
        elif y.solved:
            out.gained.append((x, y))
            out.near_gained += x.status in (TIMEOUT, MEMORY) and y.cpu_s * noise >= limits[0]
    return out


def comparison_text(c: Comparison) -> str:
    """For a terminal: the differences, then the summary."""
    lines = [f"wrong: {r.task}: {r.status}, expected {r.expected}" for r in c.wrong]
    lines += [f"contradiction: {x.task}: {x.status}, then {y.status}" for x, y in c.contradictions]
    for title, pairs in (("lost", c.lost), ("lost near the limit", c.near), ("gained", c.gained)):
        lines += [f"{title}: {x.task}: {x.column} {x.cpu_s:.1f} s, then {y.column} {y.cpu_s:.1f} s" for x, y in pairs]
    solved = [sum(r.solved for r in side) for side in zip(*c.pairs, strict=True)] or [0, 0]
    name = c.a if c.a == c.b else f"{c.a} -> {c.b}"
    lines.append(
        f"{name}: {len(c.pairs)} tasks in both, solved {solved[0]} -> {solved[1]}, gained {len(c.gained)}, lost {len(c.lost)} "
        f"(+ {len(c.near)} near the limit), wrong {len(c.wrong)}, time x {c.time_ratio:.2f}"
        + (f", {len(c.only_a)} solved tasks of A were not run in B" if c.only_a else "")
    )
    return "\n".join(lines)
