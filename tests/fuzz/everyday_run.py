"""Everyday C against the compiler: what a program observes, compiled and as we read it, must be the
same.

    python tests/fuzz/everyday_run.py [--from 0] [--count 400] [--log FILE] [--models LP64,ILP32]
    [--only NUMBER] [--show]

Programs are compiled in batches with sanitizers and run on a few inputs; our reading is interpreted
on the same ones, with junk for all that it leaves open.  Besides what is observed:
- memory safety and overflows: where sanitizers are silent the readings for `memsafety` and
  `no-overflow` must not fail; where one reports an overflow or a stray access, ours must (LP64; two
  programs of five, the deliberately unsafe ones among them),
- verdicts: for every 100th program one assertion that holds on given inputs and one that fails are
  proved and refuted,
- every 20th program goes through `crosscheck` (printed C instead of the interpreter).

The log has one line per program and model (tab-separated: version of the generator, number, model,
outcome); what is in it for this version is passed over, so totals add up.  Exit status 1 if
something is WRONG, 2 if there is no compiler.
"""

from __future__ import annotations

import argparse
import collections
import json
import random
import sys
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from obligato.crosscheck.comparison import crosscheck  # noqa: E402
from obligato.crosscheck.native import (  # noqa: E402
    CannotCompile,
    Original,
    Stub,
    Toolchain,
    build_original,
    run,
    toolchain,
)
from obligato.errors import ConfigError, InputError, Unsupported  # noqa: E402
from obligato.frontends.c import load  # noqa: E402
from obligato.program.syntax import LAYOUT  # noqa: E402
from tests.fuzz.everyday import batch, inputs, standalone, version  # noqa: E402
from tests.fuzz.everyday_judge import Reading, read, verdict_problem  # noqa: E402

BATCH, PAIRS = 20, 4
HOW = Original(
    (Stub("__VERIFIER_nondet_int", 32),),
    wraps=False,
    more='void observe(uint64_t v) { cc_result("seen", v); } void outside(int n) { (void)n; }',
)
OVERFLOWS = ("signed integer overflow", "negation of", "cannot be represented")
STRAYS = ("AddressSanitizer", "out of bounds", "null pointer", "insufficient space", "misaligned")


@dataclass
class Native:
    """What the compiled program did on one pair of inputs: what it observed, or how it died."""

    seen: list[int] = field(default_factory=list)
    died: bool = False
    complaint: str = ""


def main() -> int:
    """Compare, count, report."""
    options = argparse.ArgumentParser()
    options.add_argument("--from", dest="first", type=int, default=0, help="the first number")
    options.add_argument("--count", type=int, default=400, help="how many programs")
    options.add_argument("--log", type=Path, help="where outcomes are kept")
    options.add_argument("--models", default="LP64,ILP32")
    options.add_argument(
        "--only", type=int, metavar="NUMBER", help="this program only, whatever the log says"
    )
    options.add_argument("--show", action="store_true", help="print the program")
    options.add_argument("--stop", action="store_true", help="at the first that is wrong")
    options.add_argument("--quick", action="store_true", help="neither verdicts nor crosscheck")
    options.add_argument(
        "--native", type=Path, help="a folder that keeps what compiled programs did"
    )
    o = options.parse_args()
    if o.only is not None:
        o.first, o.count, o.log = o.only, 1, None
    if o.show:
        print(standalone(o.first))
    total: collections.Counter[str] = collections.Counter()
    for model in o.models.split(","):
        try:
            tools = toolchain(model)
        except ConfigError as problem:
            print(f"{model} is skipped: {problem}")
            continue
        total += _model(tools, o)
        if o.stop and _is_wrong(total):
            break
    for what, count in total.most_common():
        print(f"{count:7}  {what}")
    if not total:
        return 2
    return 1 if _is_wrong(total) else 0


def _is_wrong(tally: collections.Counter[str]) -> bool:
    return any(what.startswith("WRONG") for what in tally)


def _model(tools: Toolchain, o: argparse.Namespace) -> collections.Counter[str]:
    """All programs for one data model."""
    log, numbers = o.log, range(o.first, o.first + o.count)
    if tools.remark:
        print(f"{tools.data_model}: {tools.remark}")
    lines = log.read_text(encoding="utf-8").splitlines() if log is not None and log.exists() else []
    rows = [line.split("\t") for line in lines]
    known = {int(r[1]): r[3] for r in rows if r[0] == version() and r[2] == tools.data_model}
    tally = collections.Counter(_kind(known[n]) for n in numbers if n in known)
    todo = [n for n in numbers if n not in known]
    for i in range(0, len(todo), BATCH):
        for number, outcome in _batch(todo[i : i + BATCH], tools, o.native, o.quick):
            tally[_kind(outcome)] += 1
            if outcome.startswith("WRONG"):
                print(f"{number} {tools.data_model}: {outcome}", flush=True)
                if o.stop:
                    return tally
            if log is not None:
                with log.open("a", encoding="utf-8") as out:
                    out.write(f"{version()}\t{number}\t{tools.data_model}\t{outcome}\n")
        if (i // BATCH) % 10 == 9:
            print(
                f"... {tools.data_model}, {i + BATCH} programs: {dict(tally.most_common(4))}",
                file=sys.stderr,
                flush=True,
            )
    return tally


def _kind(outcome: str) -> str:
    head, _, detail = outcome.partition(": ")
    return f"{head}: {detail}" if head == "refused" else head


def _batch(
    numbers: list[int], tools: Toolchain, kept: Path | None = None, quick: bool = False
) -> Iterator[tuple[int, str]]:
    """The outcome of each program of a batch; `kept` is a folder that keeps what compiled programs
    did.
    """
    with tempfile.TemporaryDirectory(prefix="everyday-") as name:
        folder = Path(name)
        try:
            native = (
                _compiled(numbers, tools, folder)
                if kept is None
                else _kept(numbers, tools, folder, kept)
            )
        except CannotCompile as problem:
            if len(numbers) == 1:
                yield numbers[0], f"does not compile: {problem}"
                return
            for n in numbers:
                yield from _batch([n], tools)
            return
        for n in numbers:
            yield n, _outcome(n, native[n], tools, folder, quick)


def _compiled(numbers: list[int], tools: Toolchain, folder: Path) -> dict[int, list[Native]]:
    source = folder / "batch.c"
    source.write_text(batch(numbers))
    binary = build_original(source, HOW, tools, folder, len(numbers) * PAIRS)
    words = [[i, x % 2**32, y % 2**32] for i, n in enumerate(numbers) for x, y in inputs(n, PAIRS)]
    logs = run(binary, words, tools, folder)
    logs += [["done 255"]] * (len(words) - len(logs))
    return {
        n: [_native(lines) for lines in logs[i * PAIRS : (i + 1) * PAIRS]]
        for i, n in enumerate(numbers)
    }


def _kept(
    numbers: list[int], tools: Toolchain, folder: Path, kept: Path
) -> dict[int, list[Native]]:
    file = kept / f"{version()}-{tools.data_model}-{numbers[0]}-{numbers[-1]}.json"
    if not file.exists():
        found = _compiled(numbers, tools, folder)
        kept.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps([[asdict(n) for n in found[x]] for x in numbers]))
    return {
        n: [Native(**x) for x in runs]
        for n, runs in zip(numbers, json.loads(file.read_text()), strict=True)
    }


def _native(lines: list[str]) -> Native:
    seen = [int(x.split()[2]) for x in lines if x.startswith("result seen ")]
    said = [x for x in lines if "runtime error: " in x or "ERROR: AddressSanitizer: " in x]
    return Native(seen, lines[-1] != "done 77", said[0] if said else "")


def _outcome(number: int, native: list[Native], tools: Toolchain, folder: Path, quick: bool) -> str:
    """What became of one program."""
    try:
        return _judged(number, native, tools, folder, quick)
    except Unsupported as problem:
        return f"refused: {problem.construct}"
    except InputError as problem:
        return f"refused: {problem.message}"
    except Exception:  # noqa: BLE001 - a traceback is a finding; the run goes on
        return (
            f"WRONG: {traceback.format_exc().splitlines()[-1]} at"
            f" {traceback.format_exc().splitlines()[-3].strip()}"
        )


def _judged(number: int, native: list[Native], tools: Toolchain, folder: Path, quick: bool) -> str:
    file = folder / f"program{number}.c"
    file.write_text(standalone(number))
    memory = ("auto", "auto", "regions", "bytes")[number % 4]
    ours = read(file, tools.data_model, "unreach-call", memory)
    outcomes: list[str] = []
    for pair, theirs in zip(inputs(number, PAIRS), native, strict=True):
        outcome = "undefined" if theirs.died else _compared(ours, pair, theirs, memory)
        if LAYOUT in outcome:
            ours = read(file, tools.data_model, "unreach-call", memory, "apart")
            outcome = _compared(ours, pair, theirs, memory)
        outcomes.append(outcome)
    if tools.sanitized and number % 5 in (0, 4):
        readings = _safety_readings(file, tools.data_model)
        outcomes += [
            _safety(readings, pair, theirs)
            for pair, theirs in zip(inputs(number, PAIRS), native, strict=True)
        ]
    if number % 20 == 7 and not quick:
        found = crosscheck(
            file, load(file, data_model=tools.data_model), tools.data_model, 6, number
        ).differences
        outcomes += [f"WRONG crosscheck: {d.what}" for d in found]
    if number % 100 == 3 and not native[0].died and not quick:
        outcomes.append(
            verdict_problem(
                standalone(number), inputs(number, 1)[0], native[0].seen, tools.data_model, file
            )
        )
    wrong = [x for x in outcomes if x.startswith("WRONG")]
    if (
        wrong
        and number % 5 == 4
        and wrong[0].startswith("WRONG: inputs")
        and not _differs(file, tools, number)
    ):
        return "undefined: a changed program reads what nothing has set"
    return wrong[0] if wrong else next((x for x in outcomes if x.startswith("agree")), outcomes[0])


def _differs(file: Path, tools: Toolchain, number: int) -> bool:
    """Does `crosscheck`, which discards runs that depend on uninitialised memory, find a
    difference?
    """
    return bool(
        crosscheck(
            file, load(file, data_model=tools.data_model), tools.data_model, 30, number
        ).differences
    )


def _compared(ours: Reading, pair: tuple[int, int], theirs: Native, memory: str) -> str:
    end, seen = ours.run(pair, random.Random(pair[0] * 31 + pair[1]))
    if end == "finished":
        return (
            "agree"
            if seen == theirs.seen
            else f"WRONG: inputs {pair}, memory {memory}: {_first(theirs.seen, seen)}"
        )
    if end.startswith("limit") and end != "limit steps":
        return f"limit: {end}"
    return f"WRONG: inputs {pair}, memory {memory}: ours ends with {end}"


def _first(theirs: list[int], ours: list[int]) -> str:
    for i, (a, b) in enumerate(zip(theirs, ours, strict=False)):
        if a != b:
            return f"observation {i} is {a}, ours {b}"
    return f"{len(theirs)} observations, ours {len(ours)}"


def _safety_readings(file: Path, model: str) -> dict[str, Reading | None]:
    found: dict[str, Reading | None] = {}
    for prop in ("memsafety", "no-overflow"):
        try:
            found[prop] = read(file, model, prop, "auto")
        except InputError:
            found[prop] = None
    return found


def _safety(readings: dict[str, Reading | None], pair: tuple[int, int], theirs: Native) -> str:
    """The readings for memory safety and overflows against the sanitizers."""
    ends = {
        p: "refused" if r is None else r.run(pair, random.Random(1))[0] for p, r in readings.items()
    }
    failed = {p for p, end in ends.items() if end.startswith("failed")}
    if not theirs.died:
        return (
            f"WRONG {sorted(failed)[0]}: inputs {pair}: ours fails, sanitizers are silent"
            if failed
            else "agree"
        )
    if any(end == "refused" or end.startswith("limit") for end in ends.values()):
        return "undefined"
    if (
        any(x in theirs.complaint for x in STRAYS)
        and "memsafety" not in failed
        and "no-overflow" not in failed
    ):
        return (
            f"WRONG memsafety: inputs {pair}: ours is silent, the sanitizer says"
            f" {theirs.complaint[-120:]}"
        )
    if any(x in theirs.complaint for x in OVERFLOWS) and not failed:
        return (
            f"WRONG no-overflow: inputs {pair}: ours is silent, the sanitizer says"
            f" {theirs.complaint[-120:]}"
        )
    return "agree that it is undefined" if failed else "undefined"


if __name__ == "__main__":
    sys.exit(main())
