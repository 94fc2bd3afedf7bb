"""Models of library functions: errors, assumptions, nondeterministic values, allocation, and the lists of catalogue.py."""

from __future__ import annotations

import re

from obligato.frontends.c import catalogue
from obligato.frontends.c.calls import Calls
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.patterns import is_null, mentions_variable, string_literal
from obligato.frontends.c.places import Place
from obligato.frontends.c.sequencing import effects_of
from obligato.frontends.c.types import VoidType, scalar_sort
from obligato.program.syntax import LIMIT, Assert, Assume, Halt, Havoc, If
from obligato.terms import Op, Term

_PLAIN = re.compile(r'"(?:\s|\\[nt]|%(?:hh|h|l|ll)?[diux]|%l?f|%c)*"')
_WRITES = re.compile(r"%[-+ #0-9.*hlLjzt]*n")

class Library(Calls):
    """`library`."""

    def library(self, name: str, n: Node, arguments: list[Node], wanted: bool, into: Term | None) -> Term | Place | None:
        """A call of a function with a model."""
        if name in catalogue.ERRORS:
            return self._error(n, arguments)
        if name in catalogue.ASSERT_FAILS:
            if not self.context.only_reach_error:
                return self._error(n, arguments)
            self.emit(Halt(self.span))
            return self._result(n, into)
        if name in catalogue.HALTS:
            self.discard_all(arguments)
            self.emit(Halt(self.span))
            return self._result(n, into)
        if name in catalogue.ASSUMES:
            self.emit(Assume(self.condition(arguments[0]), self.span))
            return None
        if name in catalogue.ASSERTS:
            return self._assert(name, n, arguments)
        if name.startswith(catalogue.NONDET):
            if arguments:
                raise self.refuse(name, n)
            return self._nondet(name, n, into)
        if name in catalogue.INPUTS:
            return self._input(name, n, arguments, into)
        return self._service(name, n, arguments, wanted, into)

    def _assert(self, name: str, n: Node, arguments: list[Node]) -> Term | Place | None:
        """``assert`` of a program that does without the header."""
        if len(arguments) != 1:
            raise self.refuse(name, n)
        c = self.condition(arguments[0])
        with self.block() as fails:
            if name == "assert" and self.context.only_reach_error:
                self.emit(Halt(self.span))
            else:
                self._error(n, [])
        self.emit(If(c, (), tuple(fails), self.span))
        return self._result(n, None)

    def _error(self, n: Node, arguments: list[Node]) -> Term | Place | None:
        self.discard_all(arguments)
        if self.context.prop == "unreach-call":
            self.emit(Assert(self.store.false, "unreach-call", span=self.span))
        self.emit(Halt(self.span))
        return self._result(n, None)

    def _nondet(self, name: str, n: Node, into: Term | None) -> Term | Place | None:
        result = self._result(n, into)
        self._any_value(result, n.type, None, name)
        return result

    def _input(self, name: str, n: Node, arguments: list[Node], into: Term | None) -> Term | Place | None:
        """rand, getchar, ...: a value of a known range, or an unknown one."""
        self.discard_all(arguments)
        if name == "time" and arguments and not is_null(arguments[0]):
            raise self.refuse("time with a target", n)
        bounds, result = catalogue.INPUTS[name], self._result(n, into)
        self._any_value(result, n.type, None if bounds else f"library function {name}", name)
        if bounds and isinstance(result, Term):
            self._within(result, *bounds)
        return result

    def _within(self, a: Term, low: int, high: int) -> None:
        s, w = self.store, a.sort.width
        inside = s.and_(s.mk(Op.BVSLE, (s.bv(low, w), a)), s.mk(Op.BVSLE, (a, s.bv(high, w))))
        self.emit(Assume(inside, self.span))

    def _service(self, name: str, n: Node, arguments: list[Node], wanted: bool, into: Term | None) -> Term | Place | None:
        if name in catalogue.ALLOCATIONS:
            return self._allocation(name, n, arguments)
        if len(arguments) > 1 and any(self.effectful(a) for a in arguments) and not catalogue.is_harmless(name):
            self._record_order(arguments)
        if name in catalogue.BLOCKS:
            return self.block_function(name, n, arguments)
        if name in catalogue.TRANSPARENT:
            value = self.value(arguments[0])
            return self.convert(value, arguments[0].type, n.type)
        if name in catalogue.INTEGERS:
            return self._absolute(n, arguments[0])
        if name in catalogue.CONSTANTS:
            if name == "__builtin_constant_p" and mentions_variable(arguments[0]):
                if n.evaluate():
                    raise self.refuse(f"{name} of a variable", n)  # compilers give different answers
                return self.scalars.constant(0, n.type)
            return self._constant(n)
        if name in catalogue.ROUNDING:
            return self.rounding_function(name, arguments)
        if name in catalogue.SCANS:
            return self._scanf(name, n, arguments)
        math = catalogue.math_name(name)
        if math is not None:
            return self.math_function(math[0], n, arguments)
        return self._harmless(name, n, arguments, wanted, into)

    def _record_order(self, arguments: list[Node]) -> None:
        """Arguments are unsequenced; models lower them one by one, so what they do is found out beforehand."""
        parts = []
        for a in arguments:
            with self.block() as mine:
                value = self.value(a)
            effects = effects_of(mine)
            effects.read([value])
            parts.append(effects)
        self.context.sequencing.unsequenced(self.span, parts)

    def _scanf(self, name: str, n: Node, arguments: list[Node]) -> Term | Place | None:
        """As many targets as were converted get any value; exact for plain conversions of real input."""
        start = 1 if name.endswith("isoc99_scanf") or name == "scanf" else 2
        form = string_literal(arguments[start - 1]) if len(arguments) >= start else None
        targets = arguments[start:]
        plain = (not name.endswith("sscanf") and form is not None and _PLAIN.fullmatch(form) is not None
                 and form.count("%") == len(targets))
        approximates = None if plain else f"library function {name}"
        result = self._result(n, None)  # not the caller's variable, which may be a target or occur in one
        if not isinstance(result, Term):
            raise self.refuse(name, n)
        self._any_value(result, n.type, approximates, name)
        self._within(result, -1, len(targets))
        self.scan(targets, result, approximates)
        return result

    def _harmless(
        self, name: str, n: Node, arguments: list[Node], wanted: bool, into: Term | None
    ) -> Term | Place | None:
        """printf, free, ...: only the effects of the arguments count."""
        if name in catalogue.NO_EFFECT:
            self.check_library(name, n, arguments)
        if name in catalogue.FREES:
            self.note_release()
        if self.guards and name in catalogue.FREES:
            self.check_free(arguments[0], self.value(arguments[0]))
            return None
        self.discard_all(arguments)
        if "print" in name and any(_WRITES.search(string_literal(a) or "") for a in arguments):
            raise self.refuse(f"{name} with %n", n)
        if isinstance(n.type, VoidType) or not wanted:
            return None
        t = into if into is not None and into.sort is n.type.sort else self.local(name, scalar_sort(n.type))
        self.emit(Havoc((t,), None if name == "fopen" else f"library function {name}", self.span, name))
        return t

    def _absolute(self, n: Node, argument: Node) -> Term:
        a, s = self.value(argument), self.store
        zero = s.bv(0, a.sort.width)
        self.check_arithmetic_negation(a, argument)
        return s.ite(s.mk(Op.BVSLT, (a, zero)), s.mk(Op.BVNEG, (a,)), a)

    def check_free(self, pointer: Node, address: Term) -> None:
        """Assert what the property asks of ``free``."""

    def check_arithmetic_negation(self, a: Term, n: Node) -> None:
        """abs of the least integer overflows."""

    def _allocation(self, name: str, n: Node, arguments: list[Node]) -> Term:
        o, automatic = self.usage.site(n, "heap", self.types.void), name.endswith("alloca")
        if self.context.tracked and not automatic:
            undecided = Assert(self.store.false, "whether all memory is freed, or pointed to, is not decided", LIMIT, self.span)
            self.emit(If(None, (undecided,), (), self.span))
        if not automatic:
            self.note(f"assumed: {name} never fails")
        if automatic and self.guards and not self.runs_once:
            raise self.refuse("memory safety of alloca", n)
        if any(self.effectful(a) for a in arguments[1:]):
            self._record_order(arguments)
        sizes = [self.scalars.resize(self.value(a), self.width, False) for a in arguments]
        size = self._product(*sizes) if name == "calloc" else sizes[0]
        return self.allocate(o, size, zero=name == "calloc", automatic=automatic)

    def _product(self, a: Term, b: Term) -> Term:
        """The size that calloc is asked for; where there is no such size it fails, and allocation never fails here: a limit."""
        if a.is_const:
            a, b = b, a
        if b.is_const and isinstance(b.data, int) and a.is_const:
            return self.times(a, b.data)
        s, most = self.store, self.address(-1)
        zero = s.eq(b, self.address(0))
        exists = s.or_(zero, s.mk(Op.BVULE, (a, s.mk(Op.BVUDIV, (most, b)))))
        self.emit(Assert(exists, "a block is larger than the memory model allows", LIMIT, self.span))
        return s.mk(Op.BVMUL, (a, b))
