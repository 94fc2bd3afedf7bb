"""Which branches of `frontends/c` are reached by programs that are compared with a compiler, and
which are not.

    python tests/fuzz/c_coverage.py [--everyday 100] [--types 40] [--pointers 40] [--every N]
    [--list]

Programs are those that corners_run, test_compiled, test_c_memsafety and test_c_undefined compare,
everyday C (in all memory models and for all properties), types_run and pointers_run; they are only
loaded here, the other scripts and tests compare them. Counted are the two ways out of every ``if``,
except those that end in a refusal; --list names the ways that nobody takes.  The files of
`ELSEWHERE` read witnesses, task files and formulas about programs; a second total is without them.
An interrupt (SIGINT) ends it with what has been counted so far; `--every N` takes every N-th
reading of a program only.
"""

from __future__ import annotations

import argparse
import ast
import collections
import random
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from obligato.errors import InputError  # noqa: E402
from obligato.frontends.c import load  # noqa: E402
from obligato.frontends.registry import LTL  # noqa: E402
from tests.c.harness import PRELUDE  # noqa: E402
from tests.fuzz import corners_run, everyday, pointers_run, types_run  # noqa: E402
from tests.regression import test_compiled  # noqa: E402
from tests.regression.test_regression import asked  # noqa: E402
from tests.unit import test_c_memsafety, test_c_undefined  # noqa: E402

FOLDER = str(ROOT / "src" / "obligato" / "frontends" / "c")
MODELS = ("LP64", "ILP32")
ELSEWHERE = ("atoms.py", "markers.py", "marking.py", "positions.py", "svcomp.py", "witness.py")
Arcs = dict[str, set[tuple[int, int]]]
Trace = Callable[[FrameType, str, Any], Any]


def tracer(arcs: Arcs) -> Trace:
    """Records which line follows which (0: the function ends) in the files of the front end."""

    def enter(frame: FrameType, event: str, argument: Any) -> Trace | None:
        file = frame.f_code.co_filename
        if not file.startswith(FOLDER):
            return None
        seen, last = arcs[Path(file).name], [frame.f_lineno]

        def line(frame: FrameType, event: str, argument: Any) -> Trace:
            now = 0 if event == "return" else frame.f_lineno
            seen.add((last[0], now))
            last[0] = now
            return line

        return line

    return enter


def programs(o: argparse.Namespace) -> Iterator[tuple[str, dict[str, str]]]:
    """Texts, and how they are read."""
    for n, (name, text) in enumerate(corners_run.observing()):
        special = (ROOT / "tests" / "c" / "corners" / f"{name.split(':')[0]}.c").exists()
        step = o.every if special else 3 * o.every
        for how in corners_run.READINGS[n % min(step, len(corners_run.READINGS)) :: step]:
            yield PRELUDE + text, {"data_model": MODELS[n % 2], **how}
    for file in corners_run.asking():
        for how in corners_run.READINGS:
            yield file.read_text(), {"data_model": "LP64", **how}
    for file in test_compiled.PROGRAMS:
        # a formula is read with its expressions (`api.ltl_search`)
        if not asked(file).startswith(LTL):
            yield file.read_text(), {"data_model": "ILP32", "property": asked(file)}
    for text in (*test_c_memsafety.SAFE.values(), *test_c_memsafety.UNSAFE.values()):
        yield test_c_memsafety.HEAD + text, {"property": "memsafety"}
    for prop, text, _ in test_c_undefined.CASES.values():
        yield f"int main(void) {{ {text} return 0; }}\n", {"property": prop}
    for n in range(o.everyday):
        prop = ("unreach-call", "unreach-call", "memsafety", "no-overflow")[n % 4]
        yield (
            everyday.standalone(n),
            {
                "data_model": MODELS[n % 2],
                "property": prop,
                "externals": "pure",
                "memory": ("auto", "regions", "bytes")[n % 3],
                "addresses": ("any", "apart")[n // 4 % 2],
            },
        )
    for n in range(o.types):
        text = types_run.function(random.Random(n), "f0")
        text = f"{types_run.HEAD}{text}int main(void) {{ return f0(); }}\n"
        yield text, {"data_model": "LP64", "memory": ("auto", "regions")[n % 2]}
    for n in range(o.pointers):
        text = pointers_run.HEAD + pointers_run.function(random.Random(n), "main")
        yield text, {"data_model": "LP64", "property": "memsafety"}


def ways(file: Path, arcs: set[tuple[int, int]]) -> Iterator[tuple[int, bool, bool]]:
    """Line, which way (the condition holds or not) and whether it was taken, for every way that is
    no refusal.
    """
    tree = ast.parse(file.read_text(encoding="utf-8"))
    bodies = [
        b
        for n in ast.walk(tree)
        for b in (getattr(n, "body", None), getattr(n, "orelse", None))
        if isinstance(b, list)
    ]
    # what follows is a refusal
    refusing = {a for body in bodies for a, b in pairwise(body) if isinstance(b, ast.Raise)}
    for n in ast.walk(tree):
        if not isinstance(n, ast.If) or (
            isinstance(n.test, ast.Name) and n.test.id == "TYPE_CHECKING"
        ):
            continue
        test = range(n.test.lineno, (n.test.end_lineno or 0) + 1)
        body = range(n.body[0].lineno, (n.body[-1].end_lineno or 0) + 1)
        leaving = {b for a, b in arcs if a in test and b not in test}
        if not isinstance(n.body[-1], ast.Raise):
            yield n.lineno, True, any(b in body for b in leaving) or body.start in test
        if not (n.orelse and isinstance(n.orelse[-1], ast.Raise)) and (
            n.orelse or n not in refusing
        ):
            yield n.lineno, False, any(b not in body for b in leaving)


def main() -> int:
    """Load, count, report."""
    options = argparse.ArgumentParser()
    options.add_argument("--everyday", type=int, default=100)
    options.add_argument("--types", type=int, default=40)
    options.add_argument("--pointers", type=int, default=40)
    options.add_argument("--every", type=int, default=1, metavar="N")
    options.add_argument("--list", action="store_true", help="the ways that nobody takes")
    o = options.parse_args()
    arcs: Arcs = collections.defaultdict(set)
    refused: collections.Counter[str] = collections.Counter()
    loaded = 0
    with tempfile.TemporaryDirectory() as name:
        file, todo = Path(name) / "program.c", list(programs(o))
        random.Random(1).shuffle(todo)
        try:
            for files in corners_run.several():
                how_all = {"preprocessing": corners_run.together(files)}
                ways_to_read = [{**how, **how_all} for how in corners_run.READINGS]
                loaded += sum(_loads(arcs, refused, files[0], how) for how in ways_to_read)
            for text, how in todo:
                file.write_text(text)
                loaded += _loads(arcs, refused, file, how)
        except KeyboardInterrupt:
            print(f"stopped after {loaded + sum(refused.values())} of {len(todo)}")
    _report(arcs, loaded, refused, o.list)
    return 0


def _loads(
    arcs: Arcs, refused: collections.Counter[str], file: Path, how: Mapping[str, Any]
) -> bool:
    threading.settrace(tracer(arcs))  # the front end works on a thread of its own, but begins here
    sys.settrace(tracer(arcs))
    try:
        load(file, **how)
    except InputError as problem:
        refused[problem.message[:80]] += 1
        return False
    finally:
        sys.settrace(None)
        threading.settrace(None)
    return True


def _report(arcs: Arcs, loaded: int, refused: collections.Counter[str], listed: bool) -> None:
    totals = {True: [0, 0], False: [0, 0]}
    for file in sorted(Path(FOLDER).glob("*.py")):
        found = list(ways(file, arcs[file.name]))
        total = totals[file.name in ELSEWHERE]
        total[0] += (taken := sum(t for _, _, t in found))
        total[1] += len(found)
        print(f"{taken:5} of {len(found):4}  {file.name}")
        if listed:
            lines = file.read_text(encoding="utf-8").splitlines()
            for line, holds, was_taken in found:
                if not was_taken:
                    print(
                        f"      {line:4} {'holds' if holds else 'fails'}:"
                        f" {lines[line - 1].strip()[:110]}"
                    )
    (taken, count), (more_taken, more) = totals[False], totals[True]
    share, part = 100 * (taken + more_taken) / (count + more), 100 * taken / count
    all_taken, all_ways, not_loaded = taken + more_taken, count + more, sum(refused.values())
    print(
        f"{all_taken} of {all_ways} ways ({share:.1f} %) by {loaded} programs; {not_loaded} were"
        " refused"
    )
    print(f"without {', '.join(ELSEWHERE)}: {taken} of {count} ({part:.1f} %)")


if __name__ == "__main__":
    sys.exit(main())
