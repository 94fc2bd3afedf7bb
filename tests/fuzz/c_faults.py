"""Deliberate faults in the lowering of C: each is a small change of the text of `frontends/c`,
found wherever it stands.

A to E are those that an attack found, undone one by one.  `applied` gives a copy of the source tree
with one fault in it.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, and the text that is changed: `old` occurs once in the front end."""

    name: str
    old: str
    new: str


FAULTS = (
    Fault(
        "A: addresses are not captured before a copy",
        'pointers[base] = self.code.captured(base, "p")',
        "pointers[base] = Value(base)",
    ),
    Fault(
        "A: indices are not captured before a copy",
        'else self.code.captured(p.index, "index")',
        "else Value(p.index)",
    ),
    Fault(
        "B: the rest of a partial copy is dropped",
        "return self.code.address(size.data // t.size), rest",
        "return self.code.address(size.data // t.size), 0",
    ),
    Fault("B: a partial copy loses its last part", "_end(q, p) <= 8 * end", "_end(q, p) < 8 * end"),
    Fault(
        "C: memset reads its value at each step",
        'self.code.captured(self.scalars.resize(byte, 8, False), "byte")',
        "Value(self.scalars.resize(byte, 8, False))",
    ),
    Fault(
        "C: sizes are read at each step",
        'self.code.captured(self.allocations.whole_elements(size, t), "count"), 0',
        "Value(self.allocations.whole_elements(size, t)), 0",
    ),
    Fault(
        "D: constructors and cleanups are taken for harmless",
        "HARMLESS = frozenset((",
        'HARMLESS = frozenset(("constructor", "cleanup", "section",',
    ),
    Fault(
        "E: noreturn anywhere in a declaration",
        "t.name.endswith(_NORETURN) or",
        '"noreturn" in " ".join(self.tree.tokens(declared)) or',
    ),
    Fault("a signed shift right shifts in zeros", "k.B_SHR: Op.BVASHR", "k.B_SHR: Op.BVLSHR"),
    Fault("a signed remainder is unsigned", "k.B_REM: Op.BVSREM", "k.B_REM: Op.BVUREM"),
    Fault(
        "conversions do not extend the sign",
        "signed = not isinstance(source, IntType) or source.signed",
        "signed = not isinstance(source, IntType)",
    ),
    Fault(
        "comparisons of unsigned numbers are signed",
        "(_SIGNED_OPS if isinstance(t, IntType) and t.signed else _UNSIGNED_OPS)[operator], (a, b)",
        "_SIGNED_OPS[operator], (a, b)",
    ),
    Fault(
        "truth is that of the low byte",
        "return s.ne(a, s.bv(0, a.sort.width))",
        "return s.ne(s.extract(a, 7, 0), s.bv(0, 8))",
    ),
    Fault(
        "a bit-field is read without its sign",
        "return self.scalars.resize(raw, p.type.width, p.type.signed)",
        "return self.scalars.resize(raw, p.type.width, False)",
    ),
    Fault(
        "bit-fields in bytes are read from bit 0",
        "last - first + 1, p.bit_offset - 8 * first",
        "last - first + 1, 0",
    ),
    Fault(
        "the value of an assignment to a bit-field is not truncated",
        "value = self.code.captured(self._truncated(value, p))",
        "value = self.code.captured(value)",
    ),
    Fault(
        "bit-fields promote like their type",
        "promoted = promote(t, self.types, p.bits)",
        "promoted = promote(t, self.types, None)",
    ),
    Fault(
        "pointer differences count bytes",
        "            if size.is_const and size.data == 1:\n                return difference",
        "            if size.is_const:\n                return difference",
    ),
    Fault(
        "pointer steps count bytes",
        "if fixed is None else self.code.times(number, fixed)",
        "if fixed is None else self.code.times(number, 1)",
    ),
    Fault(
        "x++ gives the new value",
        'old = self.code.captured(self.memory.load(p), "old") if',
        "old = self.memory.load(p) if",
    ),
    Fault(
        "initialisers leave the rest as it is",
        "if zero_rest and not is_scalar(t):",
        "if zero_rest and is_scalar(t):",
    ),
    Fault("strings are not filled up with zeros", "values + [0] * (count - len(values))", "values"),
    Fault(
        "default of a switch is never taken",
        "self.code.emit(Goto((default or end,), self.code.span))",
        "self.code.emit(Goto((end,), self.code.span))",
    ),
    Fault(
        "continue skips the step of a loop",
        "            inner.append(Label(again, span))\n        inner += tail",
        "            inner += [*tail, Label(again, span)]\n        else:\n            inner +="
        " tail",
    ),
    Fault(
        "|| evaluates its right side when the left one holds",
        "else If(t, (), tuple(body), span)",
        "else If(t, tuple(body), (), span)",
    ),
    Fault(
        "a narrowing conversion keeps the truth",
        "return integers and target.size >= source.size",
        "return integers",
    ),
    Fault(
        "members of unions start at the union",
        "BlobPlace(p.base, p.offset + f.offset, f.type, f.bits)",
        "BlobPlace(p.base, p.offset, f.type, f.bits)",
    ),
    Fault("memmove copies in the wrong direction", "Op.BVULE, (d, s)", "Op.BVUGE, (d, s)"),
    Fault(
        "strings are compared as signed chars",
        "s.zero_ext(self.memory.load(self.memory.element(p, i)), 24)",
        "s.sign_ext(self.memory.load(self.memory.element(p, i)), 24)",
    ),
    Fault(
        "strcat copies to the start",
        'start = self._length(d) if name == "strcat" else',
        'start = self._length(d) if name == "none" else',
    ),
    Fault("calloc does not clear", 'zero=name == "calloc"', 'zero=name == "none"'),
    Fault(
        "calls through pointers take the first function",
        "self.store.eq(pointer, self.code.address(o.address))",
        "self.store.true",
    ),
    Fault(
        "float to integer rounds to nearest",
        "return convert(self.to_zero, a, target.width)",
        "return convert(self.nearest, a, target.width)",
    ),
    Fault(
        "integers become floats as unsigned",
        "return s.fp_from_sbv(self.rounding, a, target.sort)",
        "return s.fp_from_ubv(self.rounding, a, target.sort)",
    ),
    Fault(
        "rows of an array overlap",
        "return self.code.times(index, t.count or 0)",
        "return self.code.times(index, (t.count or 0) - 1)",
    ),
    Fault(
        "memory safety allows one element more",
        "self.store.mk(Op.BVULT, (index, count))",
        "self.store.mk(Op.BVULE, (index, count))",
    ),
    Fault(
        "no-overflow does not look at products",
        "WIDE = {k.B_ADD: Op.BVADD, k.B_SUB: Op.BVSUB, k.B_MUL: Op.BVMUL}",
        "WIDE = {k.B_ADD: Op.BVADD, k.B_SUB: Op.BVSUB}",
    ),
    Fault(
        "a record is copied without its last part",
        "for a, b in zip(self.parts(target), self.parts(source), strict=True):",
        "for a, b in list(zip(self.parts(target), self.parts(source), strict=True))[:-1] or"
        " [(target, source)]:",
    ),
    # by another author than the generator's
    Fault("an unsigned division is signed", "k.B_DIV: Op.BVUDIV", "k.B_DIV: Op.BVSDIV"),
    Fault("do tests its condition first", "None, test_first=False)", "None, test_first=True)"),
    Fault(
        "static locals are set at each call",
        'o = self.usage.object(d.tree.declaration(d.cursor))\n        if o.kind == "global":',
        'o = self.usage.object(d.tree.declaration(d.cursor))\n        if o.kind == "none":',
    ),
    Fault(
        "compound assignments compute in the type of the left side",
        "computed = self._computation_type(operator, p, t, tb)",
        "computed = t",
    ),
    Fault(
        "a bit-field in bytes clears what is below it",
        "([s.extract(old, low - 1, 0)] if low else [])\n        self._write",
        "([s.bv(0, low)] if low else [])\n        self._write",
    ),
    Fault(
        "memcmp stops at a zero",
        'stop = s.ne(x, y) if name == "memcmp" else',
        'stop = s.ne(x, y) if name == "none" else',
    ),
    Fault(
        "a range of cases excludes its end",
        "self.store.mk(le, (value, high))",
        "self.store.not_(self.store.mk(le, (high, value)))",
    ),
    Fault(
        "a NaN is not unequal to itself",
        "s.not_(s.fp_eq(a, b)) if",
        "s.or_(s.fp_lt(a, b), s.fp_lt(b, a)) if",
    ),
    Fault(
        "unsigned integers become floats as signed ones",
        "return s.fp_from_ubv(self.rounding, a, target.sort)",
        "return s.fp_from_sbv(self.rounding, a, target.sort)",
    ),
    Fault(
        "_Bool keeps the low byte",
        "            c = self.truth(a, source)\n",
        "            return self.resize(a, target.width, False)\n",
    ),
    Fault(
        "lists without braces take one item more", "if position >= limit:", "if position > limit:"
    ),
    Fault(
        "strncpy does not fill up",
        "self.code.emit(If(more, tuple(reading), (), self.code.span))",
        "self.code.out.extend(reading)",
    ),
)


def _pattern(fault: Fault) -> re.Pattern[str]:
    """The text of a fault, wherever the formatter breaks its lines."""
    words = re.findall(r"\w+|\W", fault.old)
    return re.compile(r"\s*".join(re.escape(w) for w in words if w.strip()))


def places(fault: Fault, source: Path = SOURCE) -> list[Path]:
    """The files in which the text of a fault stands, once per occurrence."""
    files = sorted((source / "obligato" / "frontends" / "c").glob("*.py"))
    pattern = _pattern(fault)
    return [f for f in files for _ in pattern.findall(f.read_text(encoding="utf-8"))]


def applied(fault: Fault, folder: Path) -> Path:
    """A copy of the source tree with the fault; raises where it does not apply exactly once."""
    copy = folder / "src"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (file,) = places(fault, copy)
    text = file.read_text(encoding="utf-8")
    file.write_text(_pattern(fault).sub(lambda _: fault.new, text), encoding="utf-8")
    return copy
