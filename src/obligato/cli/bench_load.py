"""`obligato bench --load-only`: load each task to its CFA or transition system, one by one, each in
a process of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from time import monotonic, process_time

from obligato.api.reading import original_cfa
from obligato.api.request import read_property
from obligato.api.supervisor import Report, supervise
from obligato.bench.loading import Attempt, attempt, load_table
from obligato.bench.tasks import Task
from obligato.errors import ConfigError
from obligato.frontends.registry import InputKind, language_of


def load_only(tasks: Sequence[Task], timeout: float, memory: int, verbose: bool) -> None:
    """Print the table; with `verbose` each refusal too."""
    attempts = []
    for task in tasks:
        start = monotonic()
        ended = supervise(partial(_attempt, task), timeout=timeout, memory_mb=memory)
        if ended.how == "stopped":
            print("stopped", file=sys.stderr)
            break
        said: Attempt = (
            ended.value
            if ended.how == "done"
            else Attempt(f"DEFECT: {ended.how} {ended.detail}".rstrip())
        )
        attempts.append(replace(said, seconds=said.seconds or monotonic() - start))
        if verbose and said.construct:
            print(f"{task.name}: {said.construct}\n    {said.message}", file=sys.stderr)
    print(load_table(tasks[: len(attempts)], attempts))


def _attempt(task: Task, report: Report) -> Attempt:
    start = process_time()
    try:
        said = attempt(task, _load)
    except ConfigError as problem:
        said = Attempt(f"error: {problem}", str(problem))
    # A defect of ours is a line of the table, the others go on.
    except Exception as problem:  # noqa: BLE001
        said = Attempt(f"DEFECT: {type(problem).__name__}: {problem}"[:120], repr(problem))
    return replace(said, seconds=process_time() - start)


def _load(task: Task) -> object:
    language = language_of(task.file)
    asked = language.property(read_property(task.property) if task.is_c() else "")
    loaded = language.load(task.file, data_model=task.data_model or "ILP32", property=asked)
    return original_cfa(loaded) if language.kind is InputKind.PROGRAM else loaded
