"""Which check of `make fuzz-c` catches which deliberate fault (c_faults.py), and after how much
processor time.

    python tests/fuzz/c_faults_run.py [--log FILE] [--only WORD] [--seconds 600]

Each fault is put into a copy of the sources; then the checks run until one complains.  The log has
one line per fault (tab-separated: fault, check or MISSED, seconds, what it said); faults that are
in it are passed over.  Exit status 1 if a fault is missed or no longer applies.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from tests.fuzz.c_faults import FAULTS, Fault, applied, places  # noqa: E402

CHECKS = (
    ("everyday", ("everyday_run.py", "--count", "400", "--stop", "--quick")),
    ("types", ("types_run.py",)),
    ("pointers", ("pointers_run.py",)),
    ("csmith", ("csmith_run.py", "--agree", "100")),
)


def main() -> int:
    """Try every fault."""
    options = argparse.ArgumentParser()
    options.add_argument("--log", type=Path, default=Path("c-faults.tsv"))
    options.add_argument("--only", default="", help="faults with this in their name")
    options.add_argument(
        "--native", type=Path, help="a folder that keeps what compiled everyday programs did"
    )
    options.add_argument(
        "--seconds", type=float, default=600, help="of processor time for each fault"
    )
    o = options.parse_args()
    lines = o.log.read_text(encoding="utf-8").splitlines() if o.log.exists() else []
    known = {line.split("\t")[0]: line.split("\t")[1] for line in lines}
    for fault in FAULTS:
        if o.only not in fault.name or fault.name in known:
            continue
        if len(places(fault)) != 1:
            print(f"does not apply: {fault.name}", flush=True)
            known[fault.name] = "MISSED"
            continue
        check, seconds, said = _caught(fault, o.seconds, o.native)
        known[fault.name] = check
        row = [fault.name, check, f"{seconds:.0f}", said]
        print("  ".join(row), flush=True)
        with o.log.open("a", encoding="utf-8") as out:
            out.write("\t".join(row) + "\n")
    missed = [name for name, check in known.items() if check == "MISSED"]
    print(f"{len(known) - len(missed)} of {len(known)} faults are caught")
    return 1 if missed else 0


def _caught(fault: Fault, limit: float, native: Path | None) -> tuple[str, float, str]:
    """The check that complains, the processor time until then, and its words."""
    spent = 0.0
    with tempfile.TemporaryDirectory(prefix="fault-") as name:
        source = applied(fault, Path(name))
        for check, (script, *arguments) in CHECKS:
            command = [sys.executable, str(ROOT / "tests" / "fuzz" / script), *arguments]
            command += (
                ["--native", str(native.resolve())]
                if check == "everyday" and native is not None
                else []
            )
            before = _cpu()
            done = subprocess.run(
                command,
                cwd=name,
                env={**os.environ, "PYTHONPATH": f"{source}:{ROOT}"},
                capture_output=True,
                text=True,
                check=False,
                preexec_fn=partial(_limit, int(limit - spent) + 1),
            )
            spent += _cpu() - before
            if done.returncode == 1:
                return check, spent, _words(done.stdout or done.stderr)
            if done.returncode < 0 or spent > limit:
                break
    return "MISSED", spent, ""


def _limit(seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def _words(said: str) -> str:
    wrong = [
        x
        for x in said.splitlines()
        if any(w in x for w in ("WRONG", "DIFFERENT", "MISSED", "DISAGREE", "Error"))
    ]
    return (wrong or said.splitlines() or [""])[0].replace("\t", " ")[:160]


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    os.nice(5)
    sys.exit(main())
