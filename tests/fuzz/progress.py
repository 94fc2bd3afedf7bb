"""What the long random runs share: numbered cases, a CPU limit per case, a memory limit for all,
complaints, a summary.

A case that raises, or takes longer than its limit (of CPU time, so that a busy machine changes
nothing), is a complaint with its number; the run goes on. Memory is limited by the address space of
the process: what goes beyond is a MemoryError, also a complaint.
"""

from __future__ import annotations

import argparse
import collections
import random
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SHOWN = 40
Tally = collections.Counter[str]


class Hang(BaseException):
    """A case has used up its CPU time."""


def arguments(parser: argparse.ArgumentParser, count: int) -> argparse.Namespace:
    """How many cases, from which seed."""
    parser.add_argument("--count", type=int, default=count, help="how many cases")
    parser.add_argument(
        "--seed", type=int, help="the number of the first case; by default a fresh one"
    )
    parser.add_argument("--only", type=int, metavar="CASE", help="this case only")
    return parser.parse_args()


class Guard:
    """Watches over the cases of one run."""

    def __init__(self, seconds: float, memory: int) -> None:
        self.seconds = seconds
        self.done = 0
        self.first = 0
        self.problems: list[str] = []
        resource.setrlimit(resource.RLIMIT_AS, (memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
        signal.signal(signal.SIGVTALRM, self._over)

    def _over(self, number: int, frame: FrameType | None) -> None:
        raise Hang

    def cases(self, o: argparse.Namespace) -> Iterator[int]:
        """The numbers of the cases; progress goes to standard error."""
        if o.only is not None:
            o.seed, o.count = o.only, 1
        self.first = random.SystemRandom().randrange(10**9) if o.seed is None else o.seed
        print(f"{o.count} cases from {self.first} on", file=sys.stderr, flush=True)
        for n in range(o.count):
            yield self.first + n
            if (n + 1) % max(1, o.count // 100) == 0:
                told = (
                    f"... {n + 1} cases, {time.process_time():.0f} s CPU, {len(self.problems)}"
                    " complaints"
                )
                print(told, file=sys.stderr, flush=True)

    @contextmanager
    def case(self, number: int) -> Iterator[None]:
        """One case: any exception is a complaint."""
        signal.setitimer(signal.ITIMER_VIRTUAL, self.seconds)
        try:
            yield
        except Hang:
            self.complaints(number, [f"more than {self.seconds} s of CPU time"])
        # Whatever it is, the run must tell the case and go on.
        except Exception as error:  # noqa: BLE001
            where = "".join(traceback.format_tb(error.__traceback__)[-3:])
            self.complaints(number, [f"{type(error).__name__}: {str(error)[:500]}\n{where}"])
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            self.done += 1

    def complaints(self, case: int, problems: list[str]) -> None:
        """Note what is wrong with a case, and tell it at once."""
        for p in problems:
            self.problems.append(f"case {case}: {p}")
            if len(self.problems) <= SHOWN:
                print(self.problems[-1], flush=True)


def run_cases(
    what: str, o: argparse.Namespace, seconds: float, judge: Callable[[int, Tally], list[str]]
) -> int:
    """All cases, each judged within so many seconds; the exit status. A judge says what is wrong
    with a case, and counts what it was.
    """
    tally: Tally = collections.Counter()
    guard = Guard(seconds, memory=4 << 30)
    for case in guard.cases(o):
        with guard.case(case):
            guard.complaints(case, judge(case, tally))
    return finish(what, guard, tally)


def finish(what: str, guard: Guard, tally: collections.Counter[str]) -> int:
    """The summary; the exit status."""
    for name, count in sorted(tally.items()):
        print(f"{count:8}  {name}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{what}: {guard.done} cases from {guard.first} on, {len(guard.problems)} complaints, "
        f"{time.process_time():.0f} s CPU, {peak} MB",
        flush=True,
    )
    return 1 if guard.problems else 0
