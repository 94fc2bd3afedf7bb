"""What Obligato does: prove the running example of its flagship paper, and refute a broken variant,
in C.

Each command is shown as you would type it. The demo fails if a verdict is not the expected one.
"""

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent
RUNS = (("gcd.c", 0), ("gcd_bug.c", 10))


def verify(name: str) -> int:
    """Run the command line on one example, as a user would; the exit status."""
    print(f"$ obligato verify examples/{name} --stats", flush=True)
    command = [
        sys.executable,
        "-c",
        "from obligato.cli.main import main; main()",
        "verify",
        f"examples/{name}",
        "--stats",
    ]
    return subprocess.run([*command, *sys.argv[1:]], cwd=EXAMPLES.parent, check=False).returncode


def main() -> int:
    """All runs; the number of unexpected verdicts."""
    wrong = 0
    for name, expected in RUNS:
        status = verify(name)
        print(
            f"exit status {status}"
            + ("" if status == expected else f", but {expected} was expected"),
            end="\n\n",
        )
        wrong += status != expected
    return wrong


if __name__ == "__main__":
    sys.exit(main())
