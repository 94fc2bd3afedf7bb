"""Where outcomes are written: standard output, and the files that options name.

A destination is tested before the run, so that a wrong path costs no run. A file is written beside
itself and renamed, so that it is never half there; what is no regular file (a device, a FIFO) is
written as it is. A failure afterwards (a full disk, a closed pipe) is told on standard error and
takes nothing else away: whatever can be written is.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from obligato.errors import ConfigError

STDOUT = "-"
# bytes of a file's name, so that there is room beside it for the name it has while it is written
LONGEST = 200


class Outputs:
    """The outputs of one command; `failed` says whether one of them is lost."""

    def __init__(self, paths: Mapping[str, str | None], source: Path) -> None:
        """`paths` by the option that names them; `source` is the input, which is not
        overwritten.
        """
        self.failed = False
        self.paths = {option: path for option, path in paths.items() if path is not None}
        self._targets: dict[str, Path] = {}  # by option; none for what goes to standard output
        for option, path in self.paths.items():
            if path != STDOUT and not _is_standard_output(path):
                self._targets[option] = self._tested(option, path, source)
            elif path == STDOUT and option != "--json":
                raise ConfigError(f"{option} needs the path of a file")

    def _tested(self, option: str, path: str, source: Path) -> Path:
        """Where to write; a symbolic link to a file stays one."""
        special = Path(path).exists() and not Path(path).is_file()
        target = Path(path) if special else Path(path).resolve()
        other = (
            None if special else next((o for o, t in self._targets.items() if t == target), None)
        )
        if other is not None:
            raise ConfigError(f"{option} and {other} name the same file")
        if target == source.resolve():
            raise ConfigError(f"{option} would overwrite the input")
        problem = obstacle(target)
        if problem:
            raise ConfigError(f"{option} {path}: {problem}")
        return target

    def print_first(self, option: str, text: str) -> None:
        """Print the text of an option whose file is standard output."""
        if option in self.paths and option not in self._targets:
            self.print(text)

    def write(self, option: str, text: str) -> None:
        """Write the text of an option to its file, if it has one."""
        if option in self._targets:
            try:
                write_file(self._targets[option], text)
            except (OSError, ValueError) as problem:
                self.lost(f"{option} {self.paths[option]}: {_reason(problem)}")

    def print(self, text: str) -> None:
        """Print to standard output at once."""
        try:
            if sys.stdout is None:  # it was closed before we began
                raise OSError(errno.EBADF, os.strerror(errno.EBADF))
            print(text, flush=True)
        except (OSError, ValueError) as problem:
            self.lost(f"standard output: {_reason(problem)}")
            # what is still buffered must not fail again at the end
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    def lost(self, message: str) -> None:
        """An output is lost: say so."""
        self.failed = True
        if sys.stderr is not None:
            with suppress(OSError, ValueError):
                print(f"error: {message}", file=sys.stderr, flush=True)


def _is_standard_output(path: str) -> bool:
    """Does the path name standard output (/dev/stdout)? A file that it is redirected to must not be
    replaced.
    """
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(1)) and not Path(path).samefile(
            os.devnull
        )
    except OSError:
        return False


def _reason(problem: Exception) -> str:
    """The reason of an error of the system, without the path."""
    return (problem.strerror if isinstance(problem, OSError) else None) or str(problem)


def obstacle(path: Path) -> str:
    """Why nothing can be written to a path; empty if nothing is known to prevent it."""
    if path.is_dir():
        return os.strerror(errno.EISDIR)
    if not path.parent.is_dir():
        return f"the folder {path.parent} does not exist"
    if len(os.fsencode(path.name)) > LONGEST:
        return os.strerror(errno.ENAMETOOLONG)
    if path.exists():
        return "" if os.access(path, os.W_OK) else os.strerror(errno.EACCES)
    return (
        ""
        if os.access(path.parent, os.W_OK | os.X_OK)
        else f"the folder {path.parent} is not writable"
    )


def write_file(path: Path, text: str) -> None:
    """Write a file: beside itself and renamed where it is a regular file, or none yet, in a folder
    that can be written.
    """
    new = not path.exists()
    if not (new or path.is_file()) or not os.access(path.parent, os.W_OK | os.X_OK):
        path.write_text(text, encoding="utf-8")
        return
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if not new:
            part.chmod(stat.S_IMODE(path.stat().st_mode))
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink()
