"""Models of library functions: errors, assumptions, nondeterministic values, allocation, and the
lists of catalogue.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from obligato.frontends.c import catalogue
from obligato.frontends.c import kinds as k
from obligato.frontends.c.aggregates import Aggregates
from obligato.frontends.c.allocations import Allocations
from obligato.frontends.c.arithmetic import Arithmetic
from obligato.frontends.c.bits import Bits
from obligato.frontends.c.characters import character_function
from obligato.frontends.c.checks import Checks
from obligato.frontends.c.code import Part
from obligato.frontends.c.copying import Copying
from obligato.frontends.c.evaluator import Evaluator
from obligato.frontends.c.layout import Layout
from obligato.frontends.c.marking import lower_mark
from obligato.frontends.c.mathematics import INFINITE, Mathematics
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.output import may_be_null
from obligato.frontends.c.patterns import (
    inside_conversions,
    is_null,
    mentions_variable,
    string_literal,
)
from obligato.frontends.c.places import Place
from obligato.frontends.c.reallocation import Reallocation
from obligato.frontends.c.safety import Safety
from obligato.frontends.c.sequencing import effects_of
from obligato.frontends.c.tracking import Tracking
from obligato.frontends.c.types import IntType, VoidType, scalar_sort
from obligato.program.syntax import LIMIT, Assert, Assume, Halt, Havoc, If
from obligato.terms import Op, Term

_PLAIN = re.compile(r'"(?:\s|\\[nt]|%(?:hh|h|l|ll)?[diux]|%l?f|%c|%[1-9][0-9]?s)*"')
_WORD_WIDTH = re.compile(r"([1-9][0-9]?)s")
_WRITES = re.compile(r"%[-+ #0-9.*hlLjzt]*n")
_WRITES_SOMEWHERE = re.compile(rb'"[^"\n]*%[-+ #0-9.*hlLjzt]*n')
_SECOND = ("fprintf", "vfprintf", "syslog")  # their formats are the second arguments


@dataclass(eq=False, repr=False)
class Library(Part):
    """Calls of library functions that have a model (`library`)."""

    aggregates: Aggregates
    allocations: Allocations
    arithmetic: Arithmetic
    layout: Layout
    safety: Safety
    checks: Checks
    mathematics: Mathematics
    copying: Copying
    tracking: Tracking
    evaluator: Evaluator

    def __post_init__(self) -> None:
        super().__post_init__()
        self.reallocation = Reallocation(
            self.code, self.aggregates, self.allocations, self.layout, self.safety, self.evaluator
        )
        self.bits = Bits(self.code, self.copying.memory, self.copying.places, self.evaluator)

    def library(
        self, name: str, n: Node, arguments: list[Node], wanted: bool, into: Term | None
    ) -> Term | Place | None:
        """A call of a function with a model."""
        if name in catalogue.ERRORS:
            return self._error(n, arguments)
        if name in catalogue.ASSERT_FAILS:
            if not self.context.only_reach_error:
                return self._error(n, arguments)
            self.tracking.at_halt()
            self.code.emit(Halt(self.code.span))
            return self.aggregates.fresh_result(n, into)
        if name in catalogue.HALTS:
            self.evaluator.discard_all(arguments)
            self.tracking.at_halt()
            self.code.emit(Halt(self.code.span))
            return self.aggregates.fresh_result(n, into)
        if name in catalogue.ASSUMES:
            c = self.evaluator.condition(arguments[0])
            self.tracking.at_assumption(c)
            self.code.emit(Assume(c, self.code.span))
            return None
        if name in catalogue.ASSERTS:
            return self._assert(name, n, arguments)
        if name.startswith(catalogue.NONDET):
            if arguments:
                raise self.code.refuse(name, n)
            return self._nondet(name, n, into)
        if name == catalogue.MARK:
            lower_mark(self.code, self.evaluator, n, arguments)
            return self.aggregates.fresh_result(n, into)
        if name in catalogue.INPUTS:
            return self._input(name, n, arguments, into)
        return self._service(name, n, arguments, wanted, into)

    def _assert(self, name: str, n: Node, arguments: list[Node]) -> Term | Place | None:
        """``assert`` of a program that does without the header."""
        if len(arguments) != 1:
            raise self.code.refuse(name, n)
        c = self.evaluator.condition(arguments[0])
        with self.code.block() as fails:
            if name == "assert" and self.context.only_reach_error:
                self.tracking.at_halt()
                self.code.emit(Halt(self.code.span))
            else:
                self._error(n, [])
        self.code.emit(If(c, (), tuple(fails), self.code.span))
        return self.aggregates.fresh_result(n, None)

    def _error(self, n: Node, arguments: list[Node]) -> Term | Place | None:
        self.evaluator.discard_all(arguments)
        if self.context.prop == "unreach-call":
            self.code.emit(Assert(self.store.false, "unreach-call", span=self.code.span))
        self.tracking.at_halt()
        self.code.emit(Halt(self.code.span))
        return self.aggregates.fresh_result(n, None)

    def _nondet(self, name: str, n: Node, into: Term | None) -> Term | Place | None:
        result = self.aggregates.fresh_result(n, into)
        self.allocations.any_value(result, n, None, name)
        return result

    def _input(
        self, name: str, n: Node, arguments: list[Node], into: Term | None
    ) -> Term | Place | None:
        """rand, getchar, ...: a value of a known range, or an unknown one."""
        self.evaluator.discard_all(arguments)
        if name == catalogue.UNMODELLED:
            self.code.require(
                self.store.false, "a use of a library function that is not modelled", LIMIT
            )
        if name == "time" and arguments and not is_null(arguments[0]):
            raise self.code.refuse("time with a pointer that is not null", n)
        bounds, result = catalogue.INPUTS[name], self.aggregates.fresh_result(n, into)
        open_ = (
            "what a library function leaves open"
            if name == catalogue.CHOICE
            else f"library function {name}"
        )
        self.allocations.any_value(result, n, None if bounds else open_, name)
        if bounds and isinstance(result, Term):
            self._within(result, *bounds)
        return result

    def _within(self, a: Term, low: int, high: int) -> None:
        s, w = self.store, a.sort.width
        inside = s.and_(s.mk(Op.BVSLE, (s.bv(low, w), a)), s.mk(Op.BVSLE, (a, s.bv(high, w))))
        self.code.emit(Assume(inside, self.code.span))

    def _constant(self, name: str, n: Node, arguments: list[Node]) -> Term:
        """What the compiler knows."""
        if name != "__builtin_constant_p" or not mentions_variable(arguments[0]):
            return self.arithmetic.constant(n)
        plain = (k.DECL_REF, k.MEMBER, k.SUBSCRIPT)
        if n.evaluate() or inside_conversions(arguments[0]).kind not in plain:
            # compilers give different answers (x - x)
            raise self.code.refuse(f"{name} of an expression about which compilers differ", n)
        return self.scalars.constant(0, n.type)

    def _service(
        self, name: str, n: Node, arguments: list[Node], wanted: bool, into: Term | None
    ) -> Term | Place | None:
        if name in catalogue.ALLOCATIONS:
            return self._allocation(name, n, arguments)
        if (
            len(arguments) > 1
            and any(self.code.effectful(a) for a in arguments)
            and not catalogue.is_harmless(name)
        ):
            self._record_order(arguments)
        if name in catalogue.REALLOCATIONS:
            return self.reallocation.reallocate(n, arguments)
        if name in catalogue.MEMORY_FUNCTIONS:
            return self.copying.memory_function(name, n, arguments)
        if catalogue.is_bit_function(name):
            return self.bits.bit_function(name, n, arguments)
        if name in catalogue.TRANSPARENT:
            return self._transparent(n, *arguments)
        if name in catalogue.INTEGERS:
            return self._absolute(n, arguments[0])
        if name in catalogue.CHARACTERS:
            return character_function(self.code, name, self._int_argument(name, n, arguments))
        if name in catalogue.CONSTANTS:
            return self._constant(name, n, arguments)
        if name in catalogue.ROUNDING:
            return self.mathematics.rounding_function(name, arguments)
        if name in catalogue.SCANS:
            return self._scanf(name, n, arguments)
        math = catalogue.math_name(name)
        if math is not None:
            is_test = math[0] == "isinf" and name.startswith(INFINITE)
            return self.mathematics.math_function(INFINITE if is_test else math[0], n, arguments)
        return self._harmless(name, n, arguments, wanted, into)

    def _transparent(self, n: Node, first: Node, *others: Node) -> Term:
        """The first argument; the others are evaluated, too."""
        value = self.arithmetic.convert(self.evaluator.value(first), first.type, n.type)
        if any(self.code.effectful(a) for a in others):
            value = self.code.captured(value)
            self.evaluator.discard_all(list(others))
        return value

    def _int_argument(self, name: str, n: Node, arguments: list[Node]) -> Term:
        """The one argument of a function of an int; it may have been declared otherwise, or not at
        all.
        """
        if (
            len(arguments) != 1
            or not isinstance(arguments[0].type, IntType)
            or n.type is not self.types.int
        ):
            raise self.code.refuse(f"{name} with arguments that are not one int", n)
        int_ = self.types.int
        return self.code.captured(
            self.arithmetic.convert(self.evaluator.value(arguments[0]), arguments[0].type, int_),
            name,
        )

    def _record_order(self, arguments: list[Node]) -> None:
        """Arguments are unsequenced; models lower them one by one, so what they do is found out
        beforehand.
        """
        parts = []
        for a in arguments:
            with self.code.block() as mine:
                value = self.evaluator.value(a)
            effects = effects_of(mine)
            effects.read([value])
            # this code is not the one that runs: its indices have no values
            parts.append(effects.whole())
        self.code.leave_open(parts)

    def _scanf(self, name: str, n: Node, arguments: list[Node]) -> Term | Place | None:
        """As many targets as were converted get any value; exact for plain conversions of real
        input.
        """
        start = 1 if name.endswith("isoc99_scanf") or name == "scanf" else 2
        form = string_literal(arguments[start - 1]) if len(arguments) >= start else None
        targets = arguments[start:]
        plain = (
            not name.endswith("sscanf")
            and form is not None
            and _PLAIN.fullmatch(form) is not None
            and form.count("%") == len(targets)
        )
        approximates = None if plain else f"library function {name}"
        # not the caller's variable, which may be a target or occur in one
        result = self.aggregates.fresh_result(n, None)
        if not isinstance(result, Term):
            raise self.code.refuse(name, n)
        self.allocations.any_value(result, n, approximates, name)
        self._within(result, -1, len(targets))
        widths = (
            [_WORD_WIDTH.match(part) for part in form.split("%")[1:]]
            if plain and form is not None
            else []
        )
        self.copying.scan(
            targets, result, approximates, [int(w[1]) if w is not None else None for w in widths]
        )
        return result

    def _harmless(
        self, name: str, n: Node, arguments: list[Node], wanted: bool, into: Term | None
    ) -> Term | Place | None:
        """printf, free, ...: only the effects of the arguments count."""
        texts = self.safety.check_library(name, n, arguments) if name in catalogue.NO_EFFECT else []
        if name in catalogue.FREES:
            self.layout.note_release()
        if self.guards and name in catalogue.FREES:
            self.safety.check_free(arguments[0], self.evaluator.value(arguments[0]))
            return None
        self.evaluator.discard_all([a for a in arguments if a not in texts])
        for a in texts:
            self.copying.read_text(a, may_be_null(name))
        if "print" in name or name == "syslog":
            self._refuse_writes(name, n, arguments)
        if isinstance(n.type, VoidType) or not wanted:
            return None
        t = (
            into
            if into is not None and into.sort is n.type.sort
            else self.code.local(name, scalar_sort(n.type))
        )
        self.code.emit(
            Havoc(
                (t,), None if name == "fopen" else f"library function {name}", self.code.span, name
            )
        )
        return t

    def _refuse_writes(self, name: str, n: Node, arguments: list[Node]) -> None:
        """A format with %n, or one that is not known in a program that has such a text."""
        formats = arguments[name in _SECOND : len(arguments)][:1]
        text = string_literal(formats[0]) if formats else ""
        source = self.usage.tree.unit.source
        own = source.added or len(source.text)
        found = (
            _WRITES_SOMEWHERE.search(source.text, 0, own) if text is None else _WRITES.search(text)
        )
        if found:
            raise self.code.refuse(f"{name} with %n", n)

    def _absolute(self, n: Node, argument: Node) -> Term:
        a, s = self.evaluator.value(argument), self.store
        zero = s.bv(0, a.sort.width)
        self.checks.check_arithmetic_negation(a, argument)
        return s.ite(s.mk(Op.BVSLT, (a, zero)), s.mk(Op.BVNEG, (a,)), a)

    def _allocation(self, name: str, n: Node, arguments: list[Node]) -> Term:
        o, automatic = self.usage.site(n, "heap", self.types.void), name.endswith("alloca")
        if not automatic:
            self.code.note(f"assumed: {name.removeprefix('__builtin_')} never fails")
        if automatic and self.guards and (self.code.loops or self.code.has_labels):
            raise self.code.refuse("memory safety of alloca", n)
        if any(self.code.effectful(a) for a in arguments[1:]):
            self._record_order(arguments)
        sizes = [self.scalars.resize(self.evaluator.value(a), self.width, False) for a in arguments]
        size = self._product(*sizes) if name == "calloc" else sizes[0]
        start = self.allocations.allocate(o, size, zero=name == "calloc", automatic=automatic)
        if automatic and self.guards and o.base is not None:
            self.code.assign(o.base, start)
            self.code.automatic[o] = None
        return start

    def _product(self, a: Term, b: Term) -> Term:
        """The size that calloc is asked for; where there is no such size it fails, and allocation
        never fails here: a limit.
        """
        if a.is_const:
            a, b = b, a
        if b.is_const and isinstance(b.data, int) and a.is_const:
            return self.code.times(a, b.data)
        s, most = self.store, self.code.address(-1)
        zero = s.eq(b, self.code.address(0))
        exists = s.or_(zero, s.mk(Op.BVULE, (a, s.mk(Op.BVUDIV, (most, b)))))
        self.code.emit(
            Assert(
                exists,
                "an allocation is larger than the memory model allows",
                LIMIT,
                self.code.span,
            )
        )
        return s.mk(Op.BVMUL, (a, b))
