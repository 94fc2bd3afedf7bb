"""Which tasks load at all: refusals by construct, and the times (`obligato bench --load-only`).

Sequential. The caller says how a task is loaded (to its CFA) and isolates it;
here the attempts are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from obligato.bench.tasks import Task
from obligato.errors import InputError, Unsupported


@dataclass(frozen=True, slots=True)
class Attempt:
    """One task: the construct it is refused for (empty: it loads), the message, the seconds."""

    construct: str = ""
    message: str = ""
    seconds: float = 0.0


def attempt(task: Task, load: Callable[[Task], object]) -> Attempt:
    """Load a task; errors other than refusals are not caught."""
    try:
        load(task)
    except Unsupported as problem:
        return Attempt(problem.construct, str(problem))
    except InputError as problem:
        return Attempt(f"error: {problem.message}", str(problem))
    return Attempt()


def load_table(tasks: Sequence[Task], attempts: Sequence[Attempt]) -> str:
    """How many load, the refusals by construct, the times."""
    loaded = sum(not a.construct for a in attempts)
    lines = [f"{loaded} of {len(attempts)} load ({100 * loaded / max(1, len(attempts)):.1f} %)"]
    lines += [
        f"{n:5}  {c}"
        for c, n in Counter(a.construct for a in attempts if a.construct).most_common()
    ]
    times = sorted((a.seconds, t.name) for a, t in zip(attempts, tasks, strict=True))
    if times:
        at = (len(times) // 2, int(len(times) * 0.95), -1)
        middle, most, longest = (times[n] for n in at)
        usual = f"processor time: median {middle[0]:.3f} s, 95 % within {most[0]:.3f} s"
        lines.append(f"{usual}, longest {longest[0]:.3f} s ({longest[1]})")
    return "\n".join(lines)
