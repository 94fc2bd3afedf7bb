"""Reads BTOR2 [NPWB18] into a transition system, one line at a time, without recursion.

What the format leaves to the reader, decided here (docs/decisions/0004): a state without `next` may
have any value in every step after the first (a fresh input), one without `init` any value at first;
`init` may name any expression, also over other states, and over inputs, which then mean the inputs
of the first step (`_start_inputs`); several `bad` are properties bad0, bad1, ..., `justice` are
justice0, justice1, ..., and `fair` counts for all of these; an array initialised with a word holds
it everywhere. Ids are positive, increase from line to line and are defined before they are used,
and a state is initialised by an expression that was defined before it: so neither definitions nor
start values can be cyclic.

Limitation: widths beyond `MAX_WIDTH` are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from obligato.errors import InputError, Span
from obligato.frontends.btor2.operators import (
    BINARY,
    INDEXED,
    TERNARY,
    UNARY,
    SortError,
    as_sort,
    not_,
    word,
)
from obligato.frontends.names import UniqueNames, besides
from obligato.frontends.reading import read_text
from obligato.models.properties import Assertion, Justice
from obligato.models.transition_system import TransitionSystem, functional
from obligato.terms import BOOL, Kind, Sort, Term, TermStore, array, bitvec, free_vars, substitute
from obligato.terms.numerals import parse_int

MAX_WIDTH = 1 << 16


@dataclass(frozen=True, slots=True)
class Btor2Model:
    """A file's system, and its states and inputs in the order of the file, as witnesses number
    them.

    `free` maps a state without `next` to the input that stands for its next value, `kept` an input
    that `init` reads to the state variable that remembers it.
    """

    system: TransitionSystem
    states: tuple[Term, ...]
    inputs: tuple[Term, ...]
    free: dict[Term, Term] = field(default_factory=dict)
    kept: dict[Term, Term] = field(default_factory=dict)


def load(file: str | Path) -> TransitionSystem:
    """The transition system in a BTOR2 file, in a store that does not simplify; its `source` is the
    model.
    """
    # bytes that are no UTF-8 can only be part of names and comments
    model = read(read_text(file), str(file))
    return replace(model.system, source=model)


def read(text: str, file: str = "") -> Btor2Model:
    """The model that a BTOR2 text describes."""
    reader = _Reader(file)
    for number, line in enumerate(text.split("\n"), 1):
        reader.line(number, line)
    return reader.model()


class _Problem(Exception):
    """What is wrong, and with which token of the line."""

    def __init__(self, message: str, token: int = 0) -> None:
        super().__init__(message)
        self.message, self.token = message, token


class _Reader:
    def __init__(self, file: str) -> None:
        self.file = file
        self.store = TermStore.raw()
        self.sorts: dict[str, Sort] = {}
        self.nodes: dict[str, Term] = {}  # by the text of the id, negated ones too
        self.names = UniqueNames()
        self.states: dict[Term, None] = {}
        self.inputs: list[Term] = []
        self.init: dict[Term, Term] = {}
        self.next: dict[Term, Term] = {}
        self.number = 0  # of the line
        self.bad: list[tuple[Term, str | None, Span]] = []
        self.constraints: list[Term] = []
        self.fairness: list[Term] = []
        self.justice: list[tuple[tuple[Term, ...], str | None, Span]] = []
        self.last = 0  # the id of the last line

    # -- lines -------------------------------------------------------------------------------------

    def line(self, number: int, text: str) -> None:
        """Read one line."""
        tokens = (text if ";" not in text else text[: text.index(";")]).split()
        if not tokens:
            return
        self.number = number
        try:
            self._tokens(tokens)
        except _Problem as problem:
            raise InputError(
                problem.message, self._span(number, text, tokens, problem.token)
            ) from None
        except SortError as problem:
            raise InputError(
                f"{tokens[1]}: {problem}", self._span(number, text, tokens, 1)
            ) from None

    def _span(self, number: int, text: str, tokens: list[str], wanted: int) -> Span:
        column = 0
        for token in tokens[: wanted + 1]:
            column = text.index(token, column) + len(token)
        last = tokens[min(wanted, len(tokens) - 1)]
        return Span(self.file, number, column - len(last) + 1)

    def _tokens(self, tokens: list[str]) -> None:
        if len(tokens) < 2:
            raise _Problem("the line ends after its id")
        self.last, name = self._new_id(tokens[0]), tokens[1]
        if name in BINARY:
            a, b = self._operands(tokens, 2)
            self._define(tokens, BINARY[name](self.store, a, b))
        elif name in UNARY:
            (a,) = self._operands(tokens, 1)
            self._define(tokens, UNARY[name](self.store, a))
        elif name in TERNARY:
            a, b, c = self._operands(tokens, 3)
            self._define(tokens, TERNARY[name](self.store, a, b, c))
        elif name in INDEXED:
            count, operator = INDEXED[name]
            (a,) = self._operands(tokens, 1)
            self._define(
                tokens, operator(self.store, a, [self._number(tokens, 4 + i) for i in range(count)])
            )
        elif name in _KEYWORDS:
            _KEYWORDS[name](self, tokens)
        else:
            raise _Problem(f"unknown operator {name!r}", 1)

    def _new_id(self, text: str) -> int:
        if not (text.isascii() and text.isdigit()) or text.startswith("0") or len(text) > 18:
            raise _Problem(f"an id is a positive number, not {text[:40]!r}")
        if int(text) <= self.last:
            raise _Problem(f"id {text} follows id {self.last}: ids must increase")
        return int(text)

    def _at(self, tokens: list[str], place: int) -> str:
        if place >= len(tokens):
            raise _Problem(f"{tokens[1]} has too few operands", len(tokens) - 1)
        return tokens[place]

    def _number(self, tokens: list[str], place: int, limit: int = MAX_WIDTH) -> int:
        text = self._at(tokens, place)
        if not (text.isascii() and text.isdigit()) or len(text) > 18:
            raise _Problem(f"a number is needed, not {text[:40]!r}", place)
        if int(text) > limit:
            raise _Problem(f"{text} is beyond the limit of {limit}", place)
        return int(text)

    def _sort(self, tokens: list[str], place: int = 2) -> Sort:
        text = self._at(tokens, place)
        sort = self.sorts.get(text)
        if sort is None:
            raise _Problem(f"{text[:40]} is no sort", place)
        return sort

    def _node(self, tokens: list[str], place: int) -> Term:
        text = self._at(tokens, place)
        node = self.nodes.get(text)
        if node is not None:
            return node
        positive = self.nodes.get(text[1:]) if text.startswith("-") else None
        if positive is None:
            raise _Problem(f"{text[:40]} is not defined", place)
        self.nodes[text] = node = not_(self.store, positive)
        return node

    def _operands(self, tokens: list[str], count: int) -> list[Term]:
        return [self._node(tokens, 3 + i) for i in range(count)]

    def _define(self, tokens: list[str], term: Term) -> None:
        sort = self._sort(tokens)
        if term.sort is not sort:
            raise _Problem(f"{tokens[1]} has sort {term.sort}, not {sort}", 2)
        self.nodes[tokens[0]] = term

    # -- what is no operator -----------------------------------------------------------------------

    def _read_sort(self, tokens: list[str]) -> None:
        kind = self._at(tokens, 2)
        if kind == "bitvec":
            bits = self._number(tokens, 3)
            if bits < 1:
                raise _Problem("a bit-vector has at least one bit", 3)
            self.sorts[tokens[0]] = as_sort(bits)
        elif kind == "array":
            index, element = (self._sort(tokens, place) for place in (3, 4))
            if Kind.ARRAY in (index.kind, element.kind):
                raise _Problem("arrays of arrays are not part of the format", 3)
            self.sorts[tokens[0]] = array(
                *(bitvec(1) if s is BOOL else s for s in (index, element))
            )
        else:
            raise _Problem(f"unknown sort {kind!r}", 2)

    def _constant(self, tokens: list[str], base: int) -> None:
        bits, text = self._bits(tokens), self._at(tokens, 3)
        digits = text.removeprefix("-") if base == 10 else text
        # to any base, a number has no more digits than bits
        if not _digits_of(digits, base) or len(digits) > bits + 1:
            raise _Problem(f"{text[:40]!r} is no number to the base {base} of {bits} bits", 3)
        value = parse_int(text) if base == 10 else int(text, base)
        if not -(1 << (bits - 1)) <= value < (1 << bits):
            raise _Problem(f"{text[:40]} does not fit into {bits} bits", 3)
        self._value(tokens, value)

    def _value(self, tokens: list[str], value: int) -> None:
        bits = self._bits(tokens)
        self.nodes[tokens[0]] = (
            self.store.bool_(bool(value)) if bits == 1 else self.store.bv(value, bits)
        )

    def _bits(self, tokens: list[str]) -> int:
        sort = self._sort(tokens)
        if sort.kind is Kind.ARRAY:
            raise _Problem("a constant is no array", 2)
        return 1 if sort is BOOL else sort.width

    def _input(self, tokens: list[str]) -> None:
        self.inputs.append(self._variable(tokens, "input"))

    def _state(self, tokens: list[str]) -> None:
        self.states[self._variable(tokens, "state")] = None

    def _variable(self, tokens: list[str], kind: str) -> Term:
        name = self.names.take(tokens[3] if len(tokens) > 3 else None, f"{kind}{tokens[0]}")
        self.nodes[tokens[0]] = term = self.store.var(name, self._sort(tokens))
        return term

    def _assign(self, tokens: list[str], table: dict[Term, Term]) -> None:
        sort, state, value = self._sort(tokens), self._node(tokens, 3), self._node(tokens, 4)
        if state not in self.states:
            raise _Problem(f"{tokens[3]} is no state", 3)
        if state in table:
            raise _Problem(f"{tokens[1]} of {tokens[3]} is given twice", 3)
        if table is self.init and int(tokens[4].removeprefix("-")) >= int(tokens[3]):
            raise _Problem(
                f"the start value {tokens[4]} is not defined before the state {tokens[3]}", 4
            )
        if (
            table is self.init
            and sort.kind is Kind.ARRAY
            and word(self.store, value).sort is sort.element
        ):
            value = self.store.const_array(sort, word(self.store, value))
        if state.sort is not sort or value.sort is not sort:
            raise _Problem(
                f"{tokens[1]} of sort {sort}: a state of sort {state.sort}, a value of sort"
                f" {value.sort}",
                2,
            )
        table[state] = value

    def _flag(self, tokens: list[str]) -> Term:
        term = self._node(tokens, 2)
        if term.sort is not BOOL:
            raise _Problem(f"{tokens[1]} needs a value of one bit, not {term.sort}", 2)
        return term

    def _bad(self, tokens: list[str]) -> None:
        self.bad.append(
            (
                self._flag(tokens),
                tokens[3] if len(tokens) > 3 else None,
                Span(self.file, self.number, 1),
            )
        )

    def _constraint(self, tokens: list[str]) -> None:
        self.constraints.append(self._flag(tokens))

    def _fair(self, tokens: list[str]) -> None:
        self.fairness.append(self._flag(tokens))

    def _output(self, tokens: list[str]) -> None:
        self._node(tokens, 2)

    def _justice(self, tokens: list[str]) -> None:
        count = self._number(tokens, 2)
        sets = tuple(self._node(tokens, 3 + i) for i in range(count))
        for i, term in enumerate(sets):
            if term.sort is not BOOL:
                raise _Problem("justice needs values of one bit", 3 + i)
        symbol = tokens[3 + count] if len(tokens) > 3 + count else None
        self.justice.append((sets, symbol, Span(self.file, self.number, 1)))

    # -- the end -----------------------------------------------------------------------------------

    def model(self) -> Btor2Model:
        """The system of all lines."""
        s = self.store
        free = {
            x: s.var(self.names.take(f"next of {x.name}", x.name), x.sort)
            for x in self.states
            if x not in self.next
        }
        next_ = {x: self.next[x] if x in self.next else free[x] for x in self.states}
        init, extra, constraints, kept = self._start_inputs()
        for x, (start, then) in extra.items():
            next_[x] = then
            init += [] if start is None else [start]
        named = ((symbol or f"bad{n}", b) for n, (b, symbol, _) in enumerate(self.bad))
        signals, ambiguous = besides(named, (*next_, *self.inputs))
        system = TransitionSystem(
            s,
            tuple(next_),
            (*self.inputs, *free.values()),
            s.and_(*init),
            functional(s, next_),
            (
                *(Assertion(f"bad{n}", s.not_(b), at) for n, (b, _, at) in enumerate(self.bad)),
                *(Justice(f"justice{n}", sets, at) for n, (sets, _, at) in enumerate(self.justice)),
            ),
            (*self.constraints, *constraints),
            next=next_,
            total=True,
            display={f"bad{n}": symbol for n, (_, symbol, _) in enumerate(self.bad) if symbol}
            | {f"justice{n}": symbol for n, (_, symbol, _) in enumerate(self.justice) if symbol},
            fairness=tuple(self.fairness),
            signals=signals,
            ambiguous=ambiguous,
        )
        return Btor2Model(system, tuple(self.states), tuple(self.inputs), free, kept)

    def _start_inputs(
        self,
    ) -> tuple[list[Term], dict[Term, tuple[Term | None, Term]], list[Term], dict[Term, Term]]:
        """The initial equations. An input in them is the input of the first step: a state variable
        keeps its value, and a constraint ties the two in the first step. Returns equations, extra
        states (start, next), constraints, and the state variable of each such input.
        """
        s = self.store
        used = [i for i in free_vars(*self.init.values()) if i not in self.states]
        if not used:
            return [s.eq(x, e) for x, e in self.init.items()], {}, [], {}
        first = s.var(self.names.take("first step", "first"), BOOL)
        kept = {i: s.var(self.names.take(f"first {i.name}", i.name), i.sort) for i in used}
        init = [s.eq(x, substitute(e, kept)) for x, e in self.init.items()]
        extra: dict[Term, tuple[Term | None, Term]] = {
            first: (first, s.false),
            **{x: (None, x) for x in kept.values()},
        }
        return init, extra, [s.implies(first, s.eq(i, x)) for i, x in kept.items()], kept


def _digits_of(text: str, base: int) -> bool:
    allowed = {2: "01", 10: "0123456789", 16: "0123456789abcdefABCDEF"}[base]
    return bool(text) and not text.strip(allowed)


_KEYWORDS: dict[str, Callable[[_Reader, list[str]], None]] = {
    "sort": _Reader._read_sort,
    "input": _Reader._input,
    "state": _Reader._state,
    "bad": _Reader._bad,
    "constraint": _Reader._constraint,
    "fair": _Reader._fair,
    "output": _Reader._output,
    "justice": _Reader._justice,
    "init": lambda r, t: r._assign(t, r.init),
    "next": lambda r, t: r._assign(t, r.next),
    "const": lambda r, t: r._constant(t, 2),
    "constd": lambda r, t: r._constant(t, 10),
    "consth": lambda r, t: r._constant(t, 16),
    "zero": lambda r, t: r._value(t, 0),
    "one": lambda r, t: r._value(t, 1),
    "ones": lambda r, t: r._value(t, -1),
}
