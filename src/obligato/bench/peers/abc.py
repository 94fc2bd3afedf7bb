"""Berkeley ABC's PDR on AIGER files, where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from tempfile import gettempdir

from obligato.bench.limited import Ended, Limits
from obligato.bench.score import FALSE, INTERNAL, TRUE, UNKNOWN
from obligato.bench.tasks import Task
from obligato.bench.tools import Answer, Tool, shortened
from obligato.errors import ConfigError

NAMES = ("berkeley-abc", "abc", "yosys-abc")
# Constraints become part of the output;
# latches without a reset value are any value at the start (ABC takes them for 0).
_SCRIPT = "read_aiger {file}; fold; logic; undc; strash; zero; pdr"


def tool() -> Tool:
    """The adapter; refuses where there is no ABC."""
    program = next((path for path in map(shutil.which, NAMES) if path), None)
    if program is None:
        raise ConfigError(f"no ABC is installed (looked for {', '.join(NAMES)})")

    def command(task: Task, limits: Limits) -> list[str]:
        return [program, "-c", _SCRIPT.format(file=task.file)]

    return Tool(
        "abc", _version(program), f'{Path(program).name} -c "{_SCRIPT}"', command, read, _accepts
    )


def _version(program: str) -> str:
    done = subprocess.run(  # where it runs it leaves the file abc.history
        [program, "-c", "version"],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        cwd=gettempdir(),
    )
    lines = [line.strip() for line in done.stdout.splitlines() if "ABC" in line]
    return lines[-1] if lines else "ABC"


def _accepts(task: Task) -> bool:
    """Safety of a bit-level model; not its CTL properties."""
    return task.language() == "aiger" and not task.is_ctl()


def read(ended: Ended, folder: Path) -> Answer:
    """ABC says it in English."""
    if ended.status != 0:
        return Answer(INTERNAL, f"exit status {ended.status}: {shortened(ended.err or ended.out)}")
    if "was asserted in frame" in ended.out:
        return Answer(FALSE)
    if "Property proved" in ended.out:
        return Answer(TRUE)
    return Answer(UNKNOWN, shortened(ended.out))
