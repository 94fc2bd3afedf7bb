"""Families of large and easy inputs for `make bench-scale`: each is a text that depends on its size
only.

The first three were the first to show cost that grows faster than the input; the others have one
thing more of each kind that programs and systems have many of. All hold, so that every stage up to
the check of the certificate is passed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

ERROR = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n"


@dataclass(frozen=True)
class Family:
    """`text(n)` is the member of size n, in a file that ends in `suffix`; `sizes` are what is
    measured without being asked.
    """

    name: str
    suffix: str
    text: Callable[[int], str]
    sizes: tuple[int, ...]
    about: str


def _lines(lines: Iterable[str]) -> str:
    return "".join(line + "\n" for line in lines)


def machines(n: int) -> str:
    """n functions with a state each, all stepped in one endless loop."""

    def step(i: int) -> str:
        k, j = i % 7, i % 5 + 1
        return (
            f"int st{i};\nvoid step{i}(int in) {{\n  if (in > {k} && st{i} < 100) st{i} += {j};\n"
            f"  else if (in < 0) st{i} = 0;\n  if (st{i} > 110) reach_error();\n}}"
        )

    calls = _lines(f"    step{i}(in);" for i in range(n))
    return (
        f"{ERROR}{_lines(map(step, range(n)))}int main(void) {{\n  while (1) {{\n"
        f"    int in = __VERIFIER_nondet_int();\n{calls}  }}\n}}\n"
    )


def branches(n: int) -> str:
    """5n branches in a row on four bits of an input, and no loop."""
    tests = _lines(
        f"  if (in & {1 << i % 4}) x += {i % 3 + 1}; else x -= {i % 2};" for i in range(5 * n)
    )
    return (
        f"{ERROR}int main(void) {{\n  int in = __VERIFIER_nondet_int();\n  int x = 0;\n{tests}"
        f"  if (x > {20 * n}) reach_error();\n  return 0;\n}}\n"
    )


def calls(n: int) -> str:
    """A chain of n calls, inside a loop."""
    chain = _lines(
        f"int f{i}(int x) {{ if (x > 1000) return 1000; return f{i + 1}(x); }}"
        for i in reversed(range(n))
    )
    return (
        f"{ERROR}int f{n}(int x) {{ return x > 10 ? 10 : x; }}\n{chain}int main(void) {{\n  int x ="
        " 0;\n  while (__VERIFIER_nondet_int()) {\n    x = f0(x + 1);\n    if (x > 10)"
        " reach_error();\n  }\n}\n"
    )


def structs(n: int) -> str:
    """A structure of n members, all assigned in a loop, all asked about."""
    members = _lines(f"  int m{i};" for i in range(n))
    body = _lines(f"    if (s.m{i} < 50) s.m{i}++;" for i in range(n))
    asked = _lines(f"    if (s.m{i} > 50) reach_error();" for i in range(n))
    return (
        f"{ERROR}struct wide {{\n{members}}};\nint main(void) {{\n  struct wide s = {{0}};\n"
        f"  while (__VERIFIER_nondet_int()) {{\n{body}{asked}  }}\n}}\n"
    )


def arrays(n: int) -> str:
    """An array with n cells that are written one by one, and a loop over it."""
    cells = _lines(f"  a[{i}] = {i % 10};" for i in range(n))
    return (
        f"{ERROR}int a[{n}];\nint main(void) {{\n{cells}  int i = 0;\n  while (i < {n}) {{\n    if"
        f" (i < 0 || i >= {n}) reach_error();\n    a[i] = 0;\n    i++;\n  }}\n}}\n"
    )


def loops(n: int) -> str:
    """n loops, one after the other."""
    body = _lines(
        f"  for (x = 0; x < {i % 90 + 10}; x++) {{ }}\n  if (x != {i % 90 + 10}) reach_error();"
        for i in range(n)
    )
    return f"{ERROR}int main(void) {{\n  int x;\n{body}}}\n"


def assertions(n: int) -> str:
    """One counter and n assertions about it."""
    asked = _lines(f"    if (x > {100 + i}) reach_error();" for i in range(n))
    return (
        f"{ERROR}int main(void) {{\n  int x = 0;\n  while (__VERIFIER_nondet_int()) {{\n"
        f"    if (x < 100) x++;\n{asked}  }}\n}}\n"
    )


def _saturating(n: int) -> tuple[list[str], list[int]]:
    """Lines of n saturating counters of 8 bits, each with an input, and the numbers of what says
    that one is above 100.
    """
    lines = ["1 sort bitvec 8", "2 sort bitvec 1", "3 zero 1", "4 one 1", "5 constd 1 100"]
    above, at = [], 6
    for i in range(n):
        state, go = at, at + 2
        lines += [
            f"{state} state 1 c{i}",
            f"{at + 1} init 1 {state} 3",
            f"{go} input 2 go{i}",
            f"{at + 3} ult 2 {state} 5",
            f"{at + 4} and 2 {at + 3} {go}",
            f"{at + 5} add 1 {state} 4",
            f"{at + 6} ite 1 {at + 4} {at + 5} {state}",
            f"{at + 7} next 1 {state} {at + 6}",
            f"{at + 8} ugt 2 {state} 5",
        ]
        above.append(at + 8)
        at += 9
    return lines, above


def counters(n: int) -> str:
    """n saturating counters of 8 bits and one bad for all."""
    lines, above = _saturating(n)
    at, last = above[-1] + 1, above[0]
    for other in above[1:]:
        lines.append(f"{at} or 2 {last} {other}")
        last, at = at, at + 1
    return _lines([*lines, f"{at} bad {last}"])


def bads(n: int) -> str:
    """n saturating counters of 8 bits with a bad each."""
    lines, above = _saturating(n)
    return _lines([*lines, *(f"{above[-1] + 1 + i} bad {line}" for i, line in enumerate(above))])


def pipeline(n: int) -> str:
    """n stages of two latches that always hold opposite values, with a bad at the last (ASCII
    AIGER).
    """
    # variables: 1 the input, 2i+2 and 2i+3 the latches of stage i, which start as 0 and 1; then the
    # gate of the bad
    gate = 2 * n + 2
    latches = []
    for i in range(n):
        source = 2 if i == 0 else 2 * (2 * i)
        other = 3 if i == 0 else 2 * (2 * i + 1)
        latches += [f"{2 * (2 * i + 2)} {source} 0", f"{2 * (2 * i + 3)} {other} 1"]
    a, b = 2 * (2 * n), 2 * (2 * n + 1)
    return _lines(
        [f"aag {gate} 1 {2 * n} 0 1 1", "2", *latches, f"{2 * gate}", f"{2 * gate} {a} {b}"]
    )


def integers(n: int) -> str:
    """n integers that grow together or not, up to 100 (VMT)."""
    lines = []
    for i in range(n):
        lines += [
            f"(declare-fun x{i} () Int)",
            f"(declare-fun x{i}.n () Int)",
            f"(declare-fun go{i} () Bool)",
            f"(define-fun sv{i} () Int (! x{i} :next x{i}.n))",
        ]
    init = " ".join(f"(= x{i} 0)" for i in range(n))
    trans = " ".join(f"(= x{i}.n (ite (and go{i} (< x{i} 100)) (+ x{i} 1) x{i}))" for i in range(n))
    safe = " ".join(f"(<= x{i} 100)" for i in range(n))
    return _lines(
        [
            *lines,
            f"(define-fun init () Bool (! (and true {init}) :init true))",
            f"(define-fun trans () Bool (! (and true {trans}) :trans true))",
            f"(define-fun safe () Bool (! (and true {safe}) :invar-property 0))",
        ]
    )


FAMILIES = {
    f.name: f
    for f in (
        Family(
            "machines",
            ".c",
            machines,
            (25, 50, 100, 200),
            "state machines, a function each, in one endless loop",
        ),
        Family(
            "branches",
            ".c",
            branches,
            (10, 20, 40, 80),
            "five branches in a row on bits of an input, no loop",
        ),
        Family(
            "counters",
            ".btor2",
            counters,
            (25, 50, 100, 200),
            "saturating counters, one bad for all",
        ),
        Family("calls", ".c", calls, (25, 50, 100, 200), "calls deep"),
        Family("structs", ".c", structs, (25, 50, 100, 200), "members of a structure"),
        Family("arrays", ".c", arrays, (50, 100, 200, 400), "cells of an array"),
        Family("loops", ".c", loops, (10, 20, 40, 80), "loops in a row"),
        Family(
            "assertions", ".c", assertions, (50, 100, 200, 400), "assertions about one variable"
        ),
        Family("bads", ".btor2", bads, (25, 50, 100, 200), "saturating counters, a bad for each"),
        Family("pipeline", ".aag", pipeline, (100, 200, 400, 800), "stages of two latches"),
        Family("integers", ".vmt", integers, (10, 20, 40, 80), "integers that grow"),
    )
}
