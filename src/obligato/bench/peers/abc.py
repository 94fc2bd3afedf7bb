"""Berkeley ABC on AIGER files as they are and on other finite systems through our AIGER export,
where it is installed: `abc` is its PDR, `abc-dprove` its combination of methods.

    python -m obligato.bench.peers.abc PROGRAM COMMAND FILE

exports FILE and becomes ABC with that command; export counts into the time.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import gettempdir

from obligato.bench.limited import Ended, Limits
from obligato.bench.score import FALSE, INTERNAL, REFUSED, TRUE, UNKNOWN
from obligato.bench.tasks import Task
from obligato.bench.tools import Conclusion, Tool, shortened
from obligato.errors import ConfigError, InputError, Unsupported
from obligato.frontends import aiger
from obligato.frontends.registry import InputKind, find_language, language_of
from obligato.models.ts_arrays import expand_arrays
from obligato.models.ts_reduce import reduce_system

NAMES = ("berkeley-abc", "abc", "yosys-abc")
COMMANDS = {"abc": "pdr", "abc-dprove": "orpos; dprove"}
# Constraints become part of the output;
# latches without a reset value are any value at the start (ABC takes them for 0).
_SCRIPT = "read_aiger {file}; fold; logic; undc; strash; zero; {command}"
_MODEL = "model.aig"  # written into the folder of the run
_ARRAY_CELLS = 4096
_REFUSED = 3


def tool(name: str = "abc") -> Tool:
    """The adapter; refuses where there is no ABC."""
    program = next((path for path in map(shutil.which, NAMES) if path), None)
    if program is None:
        raise ConfigError(f"no ABC is installed (looked for {', '.join(NAMES)})")
    script = partial(_SCRIPT.format, command=COMMANDS[name])

    def command(task: Task, limits: Limits) -> list[str]:
        if task.language() == "aiger":
            return [program, "-c", script(file=task.file)]
        exporter = [sys.executable, "-m", "obligato.bench.peers.abc"]
        return [*exporter, program, script(file=_MODEL), task.file]

    shown = f'{Path(program).name} -c "{script(file="{file}")}"'
    return Tool(name, _version(program), shown, command, read, _accepts)


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
    """Safety of a bit-level model; of another system all its invariants, where the export does not
    refuse it.
    """
    language = find_language(task.file)
    if language is None or language.kind is not InputKind.SYSTEM:
        return False
    return not (task.is_ctl() if language.name == "aiger" else task.about())


def read(ended: Ended, folder: Path) -> Conclusion:
    """ABC says it in English."""
    if ended.status == _REFUSED:
        return Conclusion(REFUSED, shortened(ended.err))
    if ended.status != 0:
        return Conclusion(
            INTERNAL, f"exit status {ended.status}: {shortened(ended.err or ended.out)}"
        )
    if "was asserted in frame" in ended.out:
        return Conclusion(FALSE)
    if "Property proved" in ended.out or "Networks are equivalent" in ended.out:
        return Conclusion(TRUE)
    return Conclusion(UNKNOWN, shortened(ended.out))


def main(argv: list[str]) -> None:
    """Export a file and become ABC; ends with status 3 where the export refuses."""
    program, script, file = argv
    try:
        Path(_MODEL).write_bytes(_exported(file))
    except InputError as problem:
        sys.stderr.write(f"error: {problem.message}\n")
        sys.exit(_REFUSED)
    os.execv(program, [program, "-c", script])  # the limits are those of this process


def _exported(file: str) -> bytes:
    """The system in AIGER with all its invariants, small arrays cell by cell."""
    language = language_of(file)
    loaded = language.load(file, property=language.property(""))
    if not loaded.assertions:
        raise Unsupported("there is no invariant", construct="property")
    system, _ = reduce_system(replace(loaded, properties=tuple(loaded.assertions)), 0)
    return aiger.aiger_bytes(expand_arrays(system, limit=_ARRAY_CELLS)[0])


if __name__ == "__main__":
    main(sys.argv[1:])
