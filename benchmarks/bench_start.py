"""What a run costs before it works: processor time of its stages, as JSON.

- interpreter: Python alone; help: `obligato --help`; commands: what `obligato verify` imports
  before it starts a worker.
- verdicts: a whole run on the smallest input of each kind, its worker included; `stages` are the
  worker's own, in wall time.

A figure is the smallest of several runs (the machine may be busy), in seconds of user and system
time of the process and its children. Bytecode is written first, as `make setup` does: compiling the
sources would be half of a run.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import obligato

COMMAND = "from obligato.cli.main import main; main()"
INPUTS = {  # a latch that keeps 0; a loop; the same in C
    "aiger": ("latch.aag", "aag 1 0 1 0 0 1\n2 2\n2\n"),
    "btor2": (
        "latch.btor2",
        "1 sort bitvec 1\n2 zero 1\n3 state 1\n4 init 1 3 2\n5 next 1 3 3\n6 bad 3\n",
    ),
    "ivl": (
        "loop.ivl",
        (
            "proc main() {\n  var x: bv8;\n  x := 0;\n  while (x <u 10) { x := x + 1; }\n  assert x"
            " == 10;\n}\n"
        ),
    ),
    "c": (
        "loop.c",
        (
            "void reach_error(void) {}\nint main(void) { unsigned char x = 0; while (x < 10) x++;"
            " if (x != 10) reach_error(); return 0; }\n"
        ),
    ),
}


def cpu_s(command: list[str], runs: int) -> float:
    """The least processor time of a command and its children."""
    times = []
    for _ in range(runs):
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, _, used = os.wait4(child.pid, 0)
        times.append(used.ru_utime + used.ru_stime)
    return round(min(times), 3)


def verdict(file: Path, runs: int) -> dict[str, Any]:
    """Processor time of a whole run on the file, and the worker's stages."""
    verify = [sys.executable, "-c", COMMAND, "verify", "--quiet", str(file)]
    said = json.loads(
        subprocess.run([*verify, "--json", "-"], capture_output=True, text=True, check=False).stdout
    )
    return {
        "cpu_s": cpu_s(verify, runs),
        "verdict": said["verdict"],
        "stages_s": said["stats"]["stages_s"],
    }


def main() -> None:
    """Print the stages as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=7, help="of each command; the fastest counts")
    runs = parser.parse_args().runs
    compileall.compile_dir(Path(obligato.__file__).parent, quiet=2)
    with tempfile.TemporaryDirectory() as folder:
        verdicts = {}
        for kind, (name, text) in INPUTS.items():
            file = Path(folder, name)
            file.write_text(text, encoding="utf-8")
            verdicts[kind] = verdict(file, runs)
    print(
        json.dumps(
            {
                "interpreter_s": cpu_s([sys.executable, "-c", ""], runs),
                "help_s": cpu_s([sys.executable, "-c", COMMAND, "--help"], runs),
                "commands_s": cpu_s([sys.executable, "-c", "import obligato.cli.verify"], runs),
                "verdicts": verdicts,
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
