"""Reads AIGER 1.9 [BHW11], ascii (aag) and binary (aig), into a transition system over Booleans.

`Header` is the first line; then come inputs, latches, outputs, bad states, constraints, justice,
fairness and gates, as text lines or (inputs left out, gates as differences) in binary; then symbols
and comments. Decided here (docs/decisions/0004): latches reset to 0, 1 or to anything; bad states
are properties bad0, bad1, ...; in a file without any (and without justice) the outputs are; justice
properties are justice0, justice1, ..., and the fairness constraints count for all of them. Gates of
an ascii file may come in any order; a cycle is refused.

Limitation: more than `MAX_VARIABLES` variables are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from obligato.errors import InputError, Span, Unsupported
from obligato.frontends.names import UniqueNames, besides
from obligato.frontends.reading import read_bytes
from obligato.models.properties import Assertion, Justice, Property
from obligato.models.transition_system import TransitionSystem, functional
from obligato.terms import BOOL, Term, TermStore

MAX_VARIABLES = 20_000_000
MAX_INPUTS = 100_000  # of a short binary file: they take no place in it


@dataclass(frozen=True, slots=True)
class Header:
    """The numbers of the first line."""

    binary: bool
    maximum: int
    inputs: int
    latches: int
    outputs: int
    gates: int
    bad: int
    constraints: int
    justice: int
    fairness: int


@dataclass(frozen=True, slots=True)
class AigerModel:
    """A file's system; its latches are the state and its inputs the inputs, in the order of the
    file.
    """

    system: TransitionSystem
    header: Header


def load(file: str | Path) -> TransitionSystem:
    """The transition system in an AIGER file, in a store that does not simplify; its `source` is
    the model.
    """
    model = read(read_bytes(file), str(file))
    return replace(model.system, source=model)


def read(data: bytes, file: str = "") -> AigerModel:
    """The model that an AIGER file describes."""
    return _Reader(data, file).model()


class _Reader:
    def __init__(self, data: bytes, file: str) -> None:
        self.data, self.file = data, file
        self.place = 0  # in bytes
        self.number = 0  # of the last line read
        self.store = TermStore.raw()
        self.latches: list[tuple[int, int, int]] = []  # literal, next, reset
        self.gates: dict[int, tuple[int, int]] = {}  # variable -> inputs
        self.names: dict[str, str] = {}
        self.lines: dict[int, int] = {}  # variable -> the line that defines it, of an ascii file
        self.first: dict[str, int] = {}  # letter of a kind of property -> the line of the first one

    # -- reading -----------------------------------------------------------------------------------

    def _fail(self, message: str) -> InputError:
        return InputError(message, Span(self.file, max(self.number, 1), 1))

    def _line(self) -> list[bytes]:
        """The next line's words."""
        end = self.data.find(b"\n", self.place)
        if end < 0:
            end = len(self.data)
        if self.place >= len(self.data):
            raise self._fail("the file ends too early")
        words = self.data[self.place : end].split()
        self.place, self.number = end + 1, self.number + 1
        return words

    def _numbers(self, least: int, most: int) -> list[int]:
        words = self._line()
        if not least <= len(words) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            raise self._fail(f"a line of {wanted} numbers is needed, not of {len(words)}")
        if not all(w.isdigit() and len(w) < 18 for w in words):
            raise self._fail("a line of numbers is needed")
        return [int(w) for w in words]

    def _literals(self, least: int, most: int) -> list[int]:
        numbers = self._numbers(least, most)
        if any(x > self.limit for x in numbers):
            raise self._fail(f"a literal is beyond the maximum variable {self.header.maximum}")
        return numbers

    def _header(self) -> Header:
        words = self._line()
        if not words or words[0] not in (b"aag", b"aig"):
            raise self._fail("an AIGER file begins with aag or aig")
        if not 6 <= len(words) <= 10 or not all(w.isdigit() and len(w) < 18 for w in words[1:]):
            raise self._fail("the header is aag or aig and 5 to 9 numbers")
        numbers = [int(w) for w in words[1:]] + [0] * (10 - len(words))
        header = Header(words[0] == b"aig", *numbers)
        used = header.inputs + header.latches + header.gates
        if used > header.maximum or (header.binary and used != header.maximum):
            raise self._fail(
                "the maximum variable does not fit the numbers of inputs, latches and gates"
            )
        if max(numbers) > MAX_VARIABLES or (
            header.binary and header.inputs > MAX_INPUTS + len(self.data)
        ):
            raise Unsupported(
                f"more than {MAX_VARIABLES} variables or {MAX_INPUTS} inputs",
                Span(self.file, 1, 1),
                "size",
            )
        lines = (
            header.latches
            + header.gates
            + header.outputs
            + header.bad
            + header.constraints
            + header.justice
        )
        if lines + header.fairness > len(self.data):
            raise self._fail("the file is shorter than its header says")
        return header

    def model(self) -> AigerModel:
        """Read everything."""
        self.header = h = self._header()
        self.limit = 2 * h.maximum + 1
        self.inputs = self._inputs()
        self._read_latches()
        self.first["o"] = self.number + 1
        outputs = [self._literals(1, 1)[0] for _ in range(h.outputs)]
        self.first["b"] = self.number + 1
        bad = [self._literals(1, 1)[0] for _ in range(h.bad)]
        constraints = [self._literals(1, 1)[0] for _ in range(h.constraints)]
        self.first["j"] = self.number + 1
        sizes = [self._numbers(1, 1)[0] for _ in range(h.justice)]
        self.justice = [[self._literals(1, 1)[0] for _ in range(size)] for size in sizes]
        self.fairness = [self._literals(1, 1)[0] for _ in range(h.fairness)]
        if h.binary:
            self._binary_gates()
        else:
            self._ascii_gates()
        self._symbols()
        return AigerModel(self._system(*self._properties(outputs, bad), constraints, outputs), h)

    def _inputs(self) -> list[int]:
        if self.header.binary:
            return list(range(2, 2 * self.header.inputs + 1, 2))
        return [self._definition(self._literals(1, 1)[0]) for _ in range(self.header.inputs)]

    def _definition(self, literal: int) -> int:
        if literal < 2 or literal & 1:
            raise self._fail(f"literal {literal} cannot be defined")
        if self.lines.setdefault(literal >> 1, self.number) != self.number:
            raise self._fail(
                f"literal {literal} is defined twice, first in line {self.lines[literal >> 1]}"
            )
        return literal

    def _read_latches(self) -> None:
        for n in range(self.header.latches):
            if self.header.binary:
                literal, (next_, *reset) = 2 * (self.header.inputs + n + 1), self._literals(1, 2)
            else:
                literal, next_, *reset = self._literals(2, 3)
            self._definition(literal)
            if reset and reset[0] not in (0, 1, literal):
                raise self._fail(f"a latch is reset to 0, 1 or itself, not {reset[0]}")
            self.latches.append((literal, next_, reset[0] if reset else 0))

    def _ascii_gates(self) -> None:
        for _ in range(self.header.gates):
            literal, a, b = self._literals(3, 3)
            self._definition(literal)
            self.gates[literal >> 1] = (a, b)

    def _binary_gates(self) -> None:
        data, place, end = self.data, self.place, len(self.data)
        first = self.header.inputs + self.header.latches + 1
        for variable in range(first, first + self.header.gates):
            before = 2 * variable
            found = []
            for _ in (0, 1):
                value = shift = 0
                while True:
                    if place >= end or shift > 63:
                        raise self._fail(f"the gates end too early, in gate {variable}")
                    byte = data[place]
                    place += 1
                    value |= (byte & 127) << shift
                    if byte < 128:
                        break
                    shift += 7
                before -= value
                if before < 0:
                    raise self._fail(f"gate {variable} has a negative input")
                found.append(before)
            if found[0] >= 2 * variable:
                raise self._fail(f"gate {variable} is an input of itself")
            self.gates[variable] = (found[0], found[1])
        self.place = place

    def _symbols(self) -> None:
        while self.place < len(self.data):
            end = self.data.find(b"\n", self.place)
            line = self.data[self.place : end if end >= 0 else len(self.data)]
            if line.rstrip() == b"c":
                return
            self.number += 1
            self.place += len(line) + 1
            key, _, name = line.decode("utf-8", "replace").rstrip("\r").partition(" ")
            if not key:
                continue
            if key[0] not in "ilobcjf" or not (key[1:].isascii() and key[1:].isdigit()):
                raise self._fail(f"{key[:40]!r} is no symbol: a letter of ilobcjf and a number")
            self.names.setdefault(key, name)

    # -- building ----------------------------------------------------------------------------------

    def _properties(self, outputs: list[int], bad: list[int]) -> tuple[list[int], str]:
        """The literals that are bad, and the letter of their symbols."""
        return (bad, "b") if bad or self.justice else (outputs, "o")

    def _system(
        self, bad: list[int], letter: str, constraints: list[int], outputs: list[int]
    ) -> TransitionSystem:
        s, names = self.store, UniqueNames()
        values: dict[int, Term] = {0: s.false}  # by variable

        def variables(kind: str, literals: list[int]) -> list[Term]:
            out = []
            for n, literal in enumerate(literals):
                values[literal >> 1] = x = s.var(
                    names.take(self.names.get(f"{kind}{n}"), f"{kind}{n}"), BOOL
                )
                out.append(x)
            return out

        inputs = variables("i", self.inputs)
        state = variables("l", [literal for literal, _, _ in self.latches])
        term = self._builder(values)
        next_ = {x: term(n) for x, (_, n, _) in zip(state, self.latches, strict=True)}
        shown = self._shown("bad", letter, bad) | self._shown("justice", "j", self.justice)
        named = [(self.names.get(f"o{n}", f"o{n}"), term(o)) for n, o in enumerate(outputs)]
        named += [(shown.get(f"bad{n}", f"bad{n}"), term(b)) for n, b in enumerate(bad)]
        signals, ambiguous = besides(named, (*state, *inputs))
        return TransitionSystem(
            s,
            tuple(state),
            tuple(inputs),
            self._initially(state),
            functional(s, next_),
            tuple(self._claims(bad, letter, term)),
            tuple(map(term, constraints)),
            next=next_,
            total=True,
            display=shown,
            fairness=tuple(map(term, self.fairness)),
            signals=signals,
            ambiguous=ambiguous,
        )

    def _initially(self, state: list[Term]) -> Term:
        """The values that latches begin with; those whose reset is no number have any."""
        resets = zip(state, self.latches, strict=True)
        known = [x if reset else self.store.not_(x) for x, (_, _, reset) in resets if reset < 2]
        return self.store.and_(*known)

    def _claims(
        self, bad: list[int], letter: str, term: Callable[[int], Term]
    ) -> Iterator[Property]:
        for n, b in enumerate(bad):
            yield Assertion(f"bad{n}", self.store.not_(term(b)), self._span(letter, n))
        for n, sets in enumerate(self.justice):
            yield Justice(f"justice{n}", tuple(map(term, sets)), self._span("j", n))

    def _span(self, letter: str, number: int) -> Span:
        """The line of an output or property, of a justice property that with its size."""
        return Span(self.file, self.first[letter] + number, 1)

    def _shown(self, kind: str, letter: str, properties: Sequence[object]) -> dict[str, str]:
        """The symbols of properties of a kind, by our names for them."""
        symbols = {n: self.names.get(f"{letter}{n}") for n in range(len(properties))}
        return {f"{kind}{n}": symbol for n, symbol in symbols.items() if symbol}

    def _builder(self, values: dict[int, Term]) -> Callable[[int], Term]:
        """From literals to terms; gates are built when they are first needed, inputs first."""
        s, gates = self.store, self.gates
        if self.header.binary:
            for variable, (a, b) in gates.items():
                x, y = values[a >> 1], values[b >> 1]
                values[variable] = s.and_(s.not_(x) if a & 1 else x, s.not_(y) if b & 1 else y)

        def term(literal: int) -> Term:
            self._build(literal >> 1, values)
            x = values[literal >> 1]
            return s.not_(x) if literal & 1 else x

        return term

    def _build(self, root: int, values: dict[int, Term]) -> None:
        s, stack, opened = self.store, [root], set()
        while stack:
            variable = stack[-1]
            if variable in values:
                stack.pop()
                continue
            if variable not in self.gates:
                raise InputError(
                    f"literal {2 * variable} is not defined",
                    Span(self.file, self._mention(variable), 1),
                )
            a, b = self.gates[variable]
            pending = [x >> 1 for x in (a, b) if x >> 1 not in values]
            if pending:
                if variable in opened:
                    at = Span(self.file, self.lines[variable], 1)
                    raise InputError(f"the definition of literal {2 * variable} is cyclic", at)
                opened.add(variable)
                stack.extend(pending)
                continue
            stack.pop()
            x, y = values[a >> 1], values[b >> 1]
            values[variable] = s.and_(s.not_(x) if a & 1 else x, s.not_(y) if b & 1 else y)

    def _mention(self, variable: int) -> int:
        """The first line after the header that names a variable, of an ascii file."""
        wanted = {str(2 * variable).encode(), str(2 * variable + 1).encode()}
        lines = self.data.split(b"\n")[1:]
        return next((n for n, line in enumerate(lines, 2) if wanted & set(line.split())), 1)
