"""Random C programs (csmith) against the compiler: the interpreter on the loaded program must print
the same checksum.

    python tests/fuzz/csmith_run.py [--agree 200] [--seed 1] [--log FILE] [--show] [--keep FOLDER]

Runs until that many programs agree; refusals are counted by construct, a program whose checksum
differs is kept.  The log has one line per program (tab-separated: seed, outcome); a seed that is in
it is passed over, so totals add up.  Exit status 1 if one differs, 2 if csmith or its headers are
missing.  Even seeds use LP64, odd ones ILP32 (where gcc can build for it).  A program costs about
half a second of processor time: a third csmith and gcc, a third loading, a third running.
"""

from __future__ import annotations

import argparse
import collections
import gc
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from obligato.errors import InputError, Unsupported
from obligato.frontends.c import load
from obligato.program.interpreter import Defaults, Interpreter, Status

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from tests.c.harness import GCC, MODEL_FLAGS, can_compile  # noqa: E402

HEADERS = Path("/usr/include/csmith")
STEPS = 2_000_000
# long initialisers cost most and test least
ARRAYS = ("--max-array-dim", "2", "--max-array-len-per-dim", "5")
SIZES = (
    ("--max-funcs", "3", "--max-block-size", "3"),
    ("--max-funcs", "5", "--max-block-size", "4", "--max-expr-complexity", "5"),
    ("--max-funcs", "2", "--max-block-size", "6"),
    ("--max-funcs", "4", "--no-pointers"),
)


def main() -> int:
    """Compare until enough programs agree."""
    options = argparse.ArgumentParser()
    options.add_argument("--agree", type=int, default=200, help="how many agreements to collect")
    options.add_argument("--seed", type=int, default=1, help="the first seed")
    options.add_argument("--log", type=Path, help="where outcomes are kept")
    options.add_argument("--show", action="store_true", help="print every refusal")
    options.add_argument(
        "--keep", type=Path, default=Path(), help="where programs that disagree are kept"
    )
    o = options.parse_args()
    if (
        shutil.which("csmith") is None
        or not (HEADERS / "csmith.h").exists()
        or not can_compile("LP64")
    ):
        print("csmith, its headers (libcsmith-dev) and gcc are needed", file=sys.stderr)
        return 2
    if not can_compile("ILP32"):
        print("ILP32 is skipped: gcc cannot build for it here (gcc-multilib)")
    gc.set_threshold(200_000, 20, 20)
    outcomes: collections.Counter[str] = collections.Counter()
    known, seed = _logged(o.log), o.seed
    with tempfile.TemporaryDirectory() as folder:
        while outcomes["agree"] < o.agree:
            outcome = known[seed] if seed in known else compare(seed, Path(folder), o.show)
            outcomes[outcome] += 1
            if o.log is not None and seed not in known:
                with o.log.open("a", encoding="utf-8") as out:
                    out.write(f"{seed}\t{outcome}\n")
            if outcome == "DISAGREE" and seed not in known:
                shutil.copy(Path(folder) / "random.i", o.keep / f"disagree{seed}.i")
            seed += 1
            if seed % 50 == 0:
                print(f"... seed {seed}: {dict(outcomes.most_common())}", flush=True)
    print(f"seeds {o.seed}..{seed - 1}")
    for outcome, count in outcomes.most_common():
        print(f"{count:6}  {outcome}")
    return 1 if outcomes["DISAGREE"] else 0


def _logged(log: Path | None) -> dict[int, str]:
    lines = log.read_text(encoding="utf-8").splitlines() if log is not None and log.exists() else []
    return {int(seed): outcome for seed, _, outcome in (line.partition("\t") for line in lines)}


def compare(seed: int, folder: Path, show: bool) -> str:
    """What became of one random program."""
    model = "ILP32" if seed % 2 and can_compile("ILP32") else "LP64"
    binary, prepared = folder / "random", folder / "random.i"
    try:
        arguments = [
            "csmith",
            "--seed",
            str(seed),
            "--no-argc",
            *ARRAYS,
            *SIZES[seed // 2 % len(SIZES)],
        ]
        source = subprocess.run(arguments, check=True, capture_output=True, timeout=60).stdout
        gcc = [*GCC, *MODEL_FLAGS[model]]
        expand = [*gcc, f"-I{HEADERS}", "-E", "-x", "c", "-", "-o", str(prepared)]
        subprocess.run(expand, input=source, check=True, capture_output=True)
        subprocess.run(
            [*gcc, str(prepared), "-o", str(binary), "-lm"], check=True, capture_output=True
        )
        expected = subprocess.run(
            [str(binary)], capture_output=True, text=True, timeout=0.2, check=False
        ).stdout.strip()
    except subprocess.TimeoutExpired as e:
        return f"too long ({Path(e.cmd[0]).name})"
    return interpret(prepared, model, expected, seed, show)


def interpret(file: Path, model: str, expected: str, seed: int, show: bool) -> str:
    """Load, run, compare."""
    try:
        program = load(file, data_model=model)
    except InputError as e:
        if show:
            print(f"seed {seed}: {e}")
        return f"refused: {e.construct if isinstance(e, Unsupported) else e.message}"
    run = Interpreter(program).start(Defaults())
    result = run.run(STEPS)
    if result.status is not Status.FINISHED:
        return f"interpreted: {result.status.value}"
    checksum = f"checksum = {int(str(run.value('crc32_context'))) ^ 0xFFFFFFFF:X}"
    if checksum == expected:
        return "agree"
    print(f"seed {seed} {model}: compiled {expected}, interpreted {checksum}")
    return "DISAGREE"


if __name__ == "__main__":
    sys.exit(main())
