"""Where and with what a benchmark ran:
revision and sources of Obligato, versions of its solvers, the machine."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from collections.abc import Iterator
from functools import lru_cache
from importlib import metadata
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
_SOLVERS = ("z3-solver", "bitwuzla", "cvc5", "python-sat", "libclang")


def sources() -> str:
    """A digest of our own source files: the same digest, the same program.
    They are read again when one of them changed."""
    return _digest(tuple(_files(str(PACKAGE))))


def _files(folder: str) -> Iterator[tuple[str, int, int]]:
    """Name, time and size of each source file below `folder`."""
    with os.scandir(folder) as found:
        for entry in found:
            if entry.is_dir():
                yield from _files(entry.path)
            elif entry.name.endswith(".py"):
                yield entry.path, entry.stat().st_mtime_ns, entry.stat().st_size


@lru_cache(maxsize=1)
def _digest(files: tuple[tuple[str, int, int], ...]) -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(name) for name, _, _ in files):
        digest.update(f"{path.relative_to(PACKAGE)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def revision() -> str:
    """The commit, with a + if the sources differ from it;
    the version where there is no repository."""
    commit = _git("rev-parse", "--short=12", "HEAD")
    if not commit:
        return metadata.version("obligato")
    return commit + ("+" if _git("status", "--porcelain", "--", str(PACKAGE)) else "")


def _git(*args: str) -> str:
    try:
        done = subprocess.run(
            ["git", *args], cwd=PACKAGE, capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def machine() -> dict[str, object]:
    """Processor, cores, memory, system."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(memory / 1e9, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "packages": {name: metadata.version(name) for name in _SOLVERS},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
