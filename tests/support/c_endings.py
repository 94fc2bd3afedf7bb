"""Random C programs on narrow words with all kinds of loops and jumps, and whether they end, by
compiled runs.

All inputs are one byte that is read first, so each of its 256 values gives one run. The compiled
program keeps its whole state in view: `T(n)` is called at each loop head and label, and compares
the state with one that was kept [Brent 1980]. The same state at the same place: the run goes on for
ever. Each program has a limit of ticks, which decides nothing.
"""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

TICKS = 3_000_000  # of one run
NAMES = ("a", "b", "c", "g", "m[0]", "m[1]", "m[2]", "m[3]")
_TYPES = ("unsigned char", "signed char", "char")
_ORACLE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned char state_[9], kept_[9]; static unsigned long ticks_, next_;
static void tick_(int n) {{
  state_[0] = n; {copies}
  if (ticks_ && !memcmp(state_, kept_, 9)) exit(7);
  if (++ticks_ >= {ticks}) exit(9);
  if (ticks_ >= next_) {{ memcpy(kept_, state_, 9); next_ = 2 * ticks_; }}
}}
static unsigned char input_;
unsigned char __VERIFIER_nondet_uchar(void) {{ return input_; }}
#define T(n) tick_(n)
#define main program_
"""
_MAIN = """
#undef main
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  int unknown = 0;
  for (int i = 0; i < 256; i++) {
    int status; pid_t child = fork();
    if (!child) { input_ = i; program_(); _exit(0); }
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 7) return 7;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 9) unknown = 1;
  }
  return unknown ? 9 : 0;
}
"""


class Writer:
    """One random program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.ticks = 0
        self.labels = 0
        self.targets: list[str] = []

    def text(self) -> str:
        """The program; `T` is a macro for the oracle."""
        t = [self.random.choice(_TYPES) for _ in range(4)]
        function = self._function()
        body = self._block(3, False) + self._block(2, False)
        return (
            "unsigned char __VERIFIER_nondet_uchar(void);\nvoid exit(int); void"
            f" abort(void);\nstatic {t[0]} a; static {t[1]} b; static {t[2]} c; static {t[3]} g;"
            f" static unsigned char m[4];\n{function}int main(void) {{\n  a ="
            f" __VERIFIER_nondet_uchar();\n{body}  return 0;\n}}\n"
        )

    def _function(self) -> str:
        low, down, up, stop = (self.random.randrange(n) for n in (3, 2, 3, 9))
        return (
            f"static int f(int x) {{\n  while (x > {low}) {{ x -= {down + 1}; g += {up + 1}; if (g"
            f" == {stop}) break; }}\n  return x;\n}}\n"
        )

    def _tick(self) -> str:
        self.ticks += 1
        return f"T({self.ticks % 250});"

    def _block(self, depth: int, loop: bool) -> str:
        return "".join(self._statement(depth, loop) for _ in range(self.random.randint(1, 3)))

    def _statement(self, depth: int, loop: bool) -> str:
        kinds = ["assign", "assign", "assign", "call", "step"]
        kinds += ["if", "while", "do", "for", "switch", "goto", "label"] if depth else []
        kinds += ["break", "continue", "goto"] if loop else []
        return str(getattr(self, "_" + self.random.choice(kinds))(depth, loop))

    def _variable(self) -> str:
        return self.random.choice(
            ("a", "b", "c", "g", "a", "b", f"m[{self.random.choice(('a', 'b'))} & 3]")
        )

    def _value(self) -> str:
        r, v, w = self.random, self._variable(), self._variable()
        number = r.choice((0, 1, 2, 3, 7, 100, 127, 128, 200, 255))
        return r.choice(
            (
                v,
                f"{number}",
                f"{v} + {w}",
                f"{v} - {w}",
                f"{v} + {number}",
                f"{v} * 3",
                f"~{v}",
                f"-{v}",
                f"{v} >> 1",
                f"{v} % 5",
                f"(unsigned char){v} << 1",
                f"{v} ^ {number}",
                f"{v} / ({w} | 1)",
                f"(unsigned char)({v} + 1)",
                f"(signed char){v}",
                f"{v} & {number}",
                f"({v} > {w} ? {v} : {number})",
            )
        )

    def _condition(self) -> str:
        op = self.random.choice(("<", "<=", ">", ">=", "!=", "==", "!=", "<"))
        text = f"{self._value()} {op} {self._value()}"
        more = self.random.random()
        return (
            f"{text} && {self._variable()} != {self.random.randrange(4)}"
            if more < 0.15
            else (f"({text}) || {self._variable()} > 250" if more < 0.25 else text)
        )

    def _assign(self, depth: int, loop: bool) -> str:
        return (
            f"  {self._variable()} {self.random.choice(('=', '=', '+=', '-=', '^='))}"
            f" {self._value()};\n"
        )

    def _step(self, depth: int, loop: bool) -> str:
        return f"  {self._variable()}{self.random.choice(('++', '--'))};\n"

    def _call(self, depth: int, loop: bool) -> str:
        return f"  {self._variable()} = f({self._variable()} & 7);\n"

    def _if(self, depth: int, loop: bool) -> str:
        otherwise = (
            f" else {{\n{self._block(depth - 1, loop)}  }}" if self.random.random() < 0.5 else ""
        )
        return f"  if ({self._condition()}) {{\n{self._block(depth - 1, loop)}  }}{otherwise}\n"

    def _while(self, depth: int, loop: bool) -> str:
        tick = self._tick()
        return (
            f"  while ({self._condition()}) {{"
            f" {tick}\n{self._block(depth - 1, True)}{self._step(0, False)}  }}\n"
        )

    def _do(self, depth: int, loop: bool) -> str:
        tick = self._tick()
        return f"  do {{ {tick}\n{self._block(depth - 1, True)}  }} while ({self._condition()});\n"

    def _for(self, depth: int, loop: bool) -> str:
        v, tick = self.random.choice("abc"), self._tick()
        body, by = self._block(depth - 1, True), self.random.choice((1, -1, 2, 3))
        return (
            f"  for ({v} = {self._value()}; {self._condition()}; {v} += {by}) {{ {tick}\n{body} "
            " }\n"
        )

    def _switch(self, depth: int, loop: bool) -> str:
        cases = "".join(
            "  case"
            f" {n}:\n{self._block(depth - 1, False)}{self.random.choice(('  break;', '', '  break;'))}\n"
            for n in range(self.random.randint(1, 3))
        )
        return (
            f"  switch ({self._variable()} & 3) {{\n{cases} "
            f" default:\n{self._block(depth - 1, False)}  }}\n"
        )

    def _label(self, depth: int, loop: bool) -> str:
        self.labels += 1
        name = f"L{self.labels}"
        self.targets.append(name)
        return (
            f"  {name}: {self._tick()}\n{self._block(depth - 1, loop)}  if ({self._condition()})"
            f" goto {name};\n"
        )

    def _goto(self, depth: int, loop: bool) -> str:
        if not self.targets:
            return self._assign(depth, loop)
        return f"  if ({self._condition()}) goto {self.random.choice(self.targets)};\n"

    def _break(self, depth: int, loop: bool) -> str:
        return (
            f"  if ({self._condition()})"
            f" {self.random.choice(('break', 'break', 'exit(0)', 'return 0'))};\n"
        )

    def _continue(self, depth: int, loop: bool) -> str:
        return f"  if ({self._condition()}) continue;\n"


def program(seed: int) -> str:
    """A random program without the oracle."""
    text = Writer(seed).text()
    return "#define T(n)\n" + text


def ends(seed: int, folder: Path) -> bool | None:
    """Does every run of the program end? None: the limit of ticks was reached."""
    text = Writer(seed).text()
    copies = " ".join(f"state_[{n}] = {name};" for n, name in enumerate(NAMES, 1))
    before, main = text.split("int main(void)")
    head, rest = before.split("static int f", 1)
    source = folder / "oracle.c"
    source.write_text(
        f"{head}{_ORACLE.format(copies=copies, ticks=TICKS)}static int f{rest}int"
        f" main(void){main}{_MAIN}"
    )
    binary = folder / "oracle"
    subprocess.run(
        ["gcc", "-w", "-O1", "-fwrapv", "-o", str(binary), str(source)], check=True, timeout=60
    )
    status = subprocess.run([str(binary)], timeout=600, check=False).returncode
    return {0: True, 7: False, 9: None}[status]
