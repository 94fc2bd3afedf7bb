"""A task with its files, by content: what a machine needs that does not share our disk.

`packed` takes the task's file, what a C file includes with quotes, and the file that a property
names; `Bundle.unpacked` writes them below a folder, placed to each other as they were, and gives
the task there. Headers in angle brackets are not shipped.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from obligato.bench.tasks import Task

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
_NAMED = re.compile(r"(?:ctl|ltl):\s*(\S+\.(?:ctl|ltl))(?:#[0-9]+)?\s*")


@dataclass(frozen=True, slots=True)
class Bundle:
    """A task and its files: names relative to the folder that holds them all, and contents;
    the first is the task's own."""

    task: Task
    files: tuple[tuple[str, bytes], ...]

    def unpacked(self, folder: Path) -> Task:
        """The task with its files below `folder`."""
        for name, content in self.files:
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        return replace(self.task, file=str((folder / self.files[0][0]).resolve()))


def packed(task: Task, others: Sequence[Path] = ()) -> Bundle:
    """The task with all files that it needs and that are there, and `others`."""
    files = dict(_files([Path(task.file), *others], task))
    root = os.path.commonpath([path.parent for path in files])
    return Bundle(
        task, tuple((os.path.relpath(path, root), content) for path, content in files.items())
    )


def _files(given: Sequence[Path], task: Task) -> Iterator[tuple[Path, bytes]]:
    waiting, seen = [Path(os.path.normpath(path)) for path in given], set()
    named = _NAMED.fullmatch(task.property)
    if named:
        waiting.append(Path(os.path.normpath(given[0].parent / named[1])))
    while waiting:
        file = waiting.pop(0)
        if file in seen or not file.is_file():
            continue
        seen.add(file)
        content = file.read_bytes()
        yield file, content
        if task.is_c():
            waiting += [
                Path(os.path.normpath(file.parent / name.decode()))
                for name in _INCLUDE.findall(content)
            ]
