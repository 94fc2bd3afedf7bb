"""Faults injected into runs of the command line: `make faults`.

    python tests/fuzz/faults_run.py [--count 300] [--seed N] [--only CASE]

Each case runs `obligato verify` on an input whose verdict is known, with one engine, several, or as
the command line chooses, and one fault at a random moment: a worker or the whole run is killed, a
solver raises, crashes or does not answer, memory runs out (of the run's own limit, or of the
address space), the disk for the output is full, standard output is closed or full, SIGINT or
SIGTERM arrives, once or twice. Afterwards must hold:

- the exit status is documented, and a verdict (exit status, last line, JSON) is the known one;
- no process of the run is left, and no temporary file;
- the JSON file is not there, or it is whole and says what the exit status says.

A signal that arrives before the command line has begun (while Python starts) ends it as the system
says. Where the run itself is killed by SIGKILL there is no exit status, and its temporary files
stay. Exit status 1 if there is a complaint.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from obligato.processes import descendants
from tests.fuzz.progress import arguments

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FAULTY = Path(__file__).with_name("faulty_main.py")
MAIN = (sys.executable, "-c", "from obligato.cli.main import main; main()")
MARK = "OBLIGATO_FAULT"
LIMIT_S = 60.0  # of wall time, for a run that has 20 s
STATUS = {0: "true", 10: "false", 20: "unknown"}
OTHERS = (2, 3, 4, 5)  # documented, without a verdict or with one that could not be written
ENDLESS = """extern void reach_error(void); extern unsigned nondet(void);
int main(void) {
  unsigned x = 1, y = 1, z = nondet();
  while (nondet()) {
    unsigned t = x * y + z;
    y = x * x * z + y; z = z * 3 + t; x = t;
    if (x * x + y * y == 7 * z + 3 && z > y) y = 1;
  }
  if (x == 0 && y == 0 && z == 12345) reach_error();
  return 0;
}
"""
HOW = ("failure", "bug", "memory", "unknown", "crash", "exit")
FAULTS = (
    "kill worker",
    "crash worker",
    "kill run",
    "solver",
    "memory",
    "address space",
    "output",
    "disk",
    "stdout",
    "signal",
    "signals",
)


@dataclass
class Case:
    """One run: its input with the verdict that is known (None: any), the command, the fault, what
    came of it.
    """

    number: int
    folder: Path
    random: random.Random = field(init=False)
    fault: str = ""
    problems: list[str] = field(default_factory=list)
    early: bool = False  # a signal was sent before the run had begun its work

    def __post_init__(self) -> None:
        self.random = random.Random(self.number)
        self.fault = self.random.choice(FAULTS)
        (self.folder / "endless.c").write_text(ENDLESS)
        (self.folder / "out").mkdir()
        (self.folder / "tmp").mkdir()
        self.file, self.expected = self.random.choice(
            [
                (EXAMPLES / "gcd.c", "true"),
                (EXAMPLES / "gcd_bug.c", "false"),
                (EXAMPLES / "peterson.ivl", "true"),
                (EXAMPLES / "cruise.lus", "true"),
                (EXAMPLES / "cruise_bug.lus", "false"),
                (EXAMPLES / "crossing.smv", "false"),
                (self.folder / "endless.c", None),
                (self.folder / "endless.c", None),
            ]
        )
        c = self.file.suffix in (".c", ".ivl")
        self.engine = self.random.choice(
            ["", "", "ic3cfa,bmc,kinduction", "bmc"] if c else ["", "", "auto"]
        )
        if self.engine == "bmc":
            self.expected = None if self.expected == "true" else self.expected
        self.json = self.folder / "out" / "outcome.json"

    def command(self) -> list[str]:
        """The command line, with what is wrong in it from the start."""
        base = list(MAIN)
        if self.fault == "solver":
            base = [
                sys.executable,
                str(FAULTY),
                self.random.choice(HOW),
                str(self.random.choice([1, 2, 5, 20, 80, 300])),
            ]
        out = "/dev/full" if self.fault == "output" else str(self.json)
        more = ["--engine", self.engine] if self.engine else []
        if self.engine != "bmc" and self.random.random() < 0.5:
            more += ["--set", "exchange=true"]
        more += (
            ["--memory", str(self.random.choice([20, 60, 90, 120]))]
            if self.fault == "memory"
            else []
        )
        more += self.random.choice(
            [[], ["--core"], ["--report", f"html={self.folder / 'out' / 'page.html'}"], ["--stats"]]
        )
        return [*base, "verify", str(self.file), "--json", out, "--timeout", "20", *more]

    # -- the run -----------------------------------------------------------------------------------

    def run(self) -> None:
        """Run it, with its fault, and look at what is left."""
        closed = self.fault == "stdout" and self.random.random() < 0.5
        path = Path("/dev/full") if self.fault == "stdout" else self.folder / "stdout"
        target = path.open("wb")
        environment = {
            **os.environ,
            MARK: f"{os.getpid()}.{self.number}",
            "TMPDIR": str(self.folder / "tmp"),
        }
        with target, (self.folder / "stderr").open("wb") as errors:
            process = subprocess.Popen(
                self.command(),
                stdout=target,
                stderr=errors,
                cwd=self.folder,
                env=environment,
                preexec_fn=lambda: self.limit(closed),
            )
            self.harm(process)
            try:
                status = process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                self.problems.append("it does not end")
                process.kill()
                status = process.wait()
        self.judge(status, environment[MARK])

    def limit(self, closed: bool) -> None:
        """In the new process, before it begins: what it may use."""
        if closed:
            os.close(1)
        if self.fault == "address space":
            size = self.random.choice([200, 350, 500, 700]) << 20
            resource.setrlimit(resource.RLIMIT_AS, (size, size))
        if self.fault == "disk":
            size = self.random.choice([0, 500, 2000, 8000])
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    def harm(self, process: subprocess.Popen[bytes]) -> None:
        """At a random moment, a signal to the run or to one of its processes."""
        kinds = {
            "kill worker": signal.SIGKILL,
            "crash worker": signal.SIGSEGV,
            "kill run": signal.SIGKILL,
            "signal": self.random.choice([signal.SIGINT, signal.SIGTERM]),
            "signals": signal.SIGINT,
        }
        if self.fault not in kinds:
            return
        select.select([], [], [], self.random.uniform(0.05, 4.0))
        workers = list(descendants(process.pid))
        self.early = not workers
        if process.poll() is not None or (self.fault.endswith("worker") and not workers):
            return
        target = self.random.choice(workers) if self.fault.endswith("worker") else process.pid
        for _ in range(1 + (self.fault == "signals")):
            try:
                os.kill(target, kinds[self.fault])
            except ProcessLookupError:
                return

    # -- what is left ------------------------------------------------------------------------------

    def judge(self, status: int, mark: str) -> None:
        """Complain about what must not be."""
        killed = self.fault == "kill run" and status == -signal.SIGKILL
        early = self.early and status in (-signal.SIGINT, -signal.SIGTERM, 130, 143)
        if status not in STATUS and status not in OTHERS and not killed and not early:
            self.problems.append(f"exit status {status}")
        told = STATUS.get(status)
        if told in ("true", "false") and self.expected is not None and told != self.expected:
            self.problems.append(f"wrong: {told}")
        if (
            self.expected is None
            and told in ("true", "false")
            and self.file.name == "gcd.c"
            and told == "false"
        ):
            self.problems.append(f"wrong: {told}")
        self.look_at_output(status, told)
        self.look_for_processes(mark)
        if not killed and (left := sorted(p.name for p in (self.folder / "tmp").iterdir())):
            self.problems.append(f"temporary files: {left[:3]}")
        strange = {p.name for p in (self.folder / "out").iterdir()} - {"outcome.json", "page.html"}
        if strange and not killed:
            self.problems.append(f"files beside the output: {sorted(strange)}")
        if b"Traceback" in (self.folder / "stderr").read_bytes() and not early:
            self.problems.append(
                "a traceback: " + (self.folder / "stderr").read_text(errors="replace")[-600:]
            )

    def look_at_output(self, status: int, told: str | None) -> None:
        """Standard output and the JSON file agree with the exit status."""
        if told is not None and self.fault != "stdout" and not self.early:
            lines = (self.folder / "stdout").read_text(errors="replace").split()
            last = lines[-1].partition("(")[0] if lines else ""
            if last != told and self.fault != "disk":
                self.problems.append(f"exit status {status}, but the last line is {last!r}")
        if self.json.exists():
            try:
                data = json.loads(self.json.read_text())
            except ValueError as problem:
                self.problems.append(f"half a file: {problem}")
                return
            if told is not None and data["verdict"] != told:
                self.problems.append(f"exit status {status}, but the JSON says {data['verdict']}")
            if self.expected is not None and data["verdict"] not in (self.expected, "unknown"):
                self.problems.append(f"wrong in the JSON: {data['verdict']}")

    def look_for_processes(self, mark: str) -> None:
        """Nobody with the mark is left; a killed process has two seconds to vanish."""
        deadline = time.monotonic() + 2.0
        while (left := marked(mark)) and time.monotonic() < deadline:
            select.select([], [], [], 0.05)
        if left:
            self.problems.append(f"processes left: {left}")
            for pid in left:
                os.kill(pid, signal.SIGKILL)


def marked(mark: str) -> list[int]:
    """The living processes whose environment has the mark."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue  # it has ended, or is not ours
    return found


def main() -> None:
    """Run all cases."""
    o = arguments(argparse.ArgumentParser(description=__doc__), 300)
    first = (
        o.only
        if o.only is not None
        else random.SystemRandom().randrange(10**9)
        if o.seed is None
        else o.seed
    )
    tally: collections.Counter[str] = collections.Counter()
    complaints = 0
    for number in range(first, first + (1 if o.only is not None else o.count)):
        with tempfile.TemporaryDirectory(prefix="faults-") as folder:
            case = Case(number, Path(folder))
            case.run()
        tally[case.fault] += 1
        for problem in case.problems:
            complaints += 1
            print(
                f"case {number} ({case.fault}, {case.file.name}, {case.engine or 'default'}):"
                f" {problem}",
                flush=True,
            )
    told = ", ".join(f"{name} {tally[name]}" for name in FAULTS)
    print(f"{sum(tally.values())} faults from case {first} on ({told}): {complaints} complaints")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
