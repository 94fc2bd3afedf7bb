"""Function calls: defined functions, library models, calls through pointers, undefined externals.

A function `f` is a procedure whose parameters and results are the scalar parts of C's.  A call
through a pointer branches over the functions in its points-to set; should none match, an assertion
of class `limit` fails.  An external without definition or model returns any value; under
``externals=havoc`` it also changes all memory it can reach (procedure `EXTERNAL_MEMORY`, whose body
the driver writes when all memory is known), marked as approximation.
"""

from __future__ import annotations

from dataclasses import dataclass

from obligato.frontends.c import catalogue, standard
from obligato.frontends.c import kinds as k
from obligato.frontends.c.aggregates import Aggregates
from obligato.frontends.c.allocations import Allocations
from obligato.frontends.c.arithmetic import Arithmetic
from obligato.frontends.c.builtins import Library
from obligato.frontends.c.callees import called_type, finds, finds_promoted, fits
from obligato.frontends.c.code import Part
from obligato.frontends.c.environment import promise
from obligato.frontends.c.evaluator import Evaluator
from obligato.frontends.c.lvalues import Places
from obligato.frontends.c.memory import Memory
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Function, Object, SlotShape, shapes
from obligato.frontends.c.patterns import direct_callee
from obligato.frontends.c.places import Place, SplitPlace
from obligato.frontends.c.safety import Safety, gives_memory
from obligato.frontends.c.types import (
    CType,
    FunctionType,
    IntType,
    PointerType,
    RecordType,
    VoidType,
    is_scalar,
    scalar_sort,
)
from obligato.frontends.c.variadic import Variadic
from obligato.frontends.preprocessing import OWN
from obligato.program.names import source_name
from obligato.program.syntax import LIMIT, Assert, Call, Halt, Havoc, If, Statement
from obligato.terms import Op, Term

EXTERNAL_MEMORY = "external$memory"
NO_ARGUMENT = "an argument that is missing"
NO_COUNT = "main is called with a negative number of arguments"
OTHER_TYPE = "a function is called by another type"


@dataclass(eq=False, repr=False)
class Calls(Part):
    """Calls of functions (`call`)."""

    memory: Memory
    aggregates: Aggregates
    allocations: Allocations
    arithmetic: Arithmetic
    safety: Safety
    places: Places
    library: Library
    evaluator: Evaluator

    def __post_init__(self) -> None:
        super().__post_init__()
        self.variadic = Variadic(self.code, self.memory, self.allocations, self.arithmetic)

    def call(self, n: Node, wanted: bool, into: Term | None = None) -> Term | Place | None:
        """Lower a call; the result is a term, a place (records) or None (void or not wanted)."""
        callee, *arguments = n.operands
        name = direct_callee(callee)
        if name is None:
            return self._indirect(n, callee, arguments, into)
        if name in self.usage.definitions and name not in self.usage.errors:
            return self._defined(n, self._called(n, name), self._values(arguments), into)
        if name == catalogue.ARGUMENTS:
            return self.variadic.received()
        if catalogue.is_known(name):
            return self.library.library(name, n, arguments, wanted, into)
        return self._external(name, n, arguments, into)

    # -- defined functions

    def _values(self, arguments: list[Node]) -> list[tuple[CType, list[Term]]]:
        """The type and the value of each argument, one term or those of the parts of a record. The
        order in which arguments are evaluated is left open by C.
        """

        def lower(a: Node) -> list[Term]:
            if isinstance(a.type, RecordType):
                return self.aggregates.values_of(self.places.place(a))
            return [] if isinstance(a.type, VoidType) else [self.evaluator.value(a)]

        if any(self.code.effectful(a) for a in arguments):
            terms = self.code.unsequenced([lambda a=a: lower(a) for a in arguments])  # type: ignore[misc]
        else:
            terms = [lower(a) for a in arguments]
        return [(a.type, t) for a, t in zip(arguments, terms, strict=True)]

    def _called(self, n: Node, name: str) -> Function:
        """The function of this name, for a call; that it may be called by another type than its own,
        so that it would not find its arguments, is a limit.
        """
        f, called = self.usage.function(name), called_type(n.operands[0].type)
        if self._is_shadowed(f):
            self.code.note(
                f"the program defines {name} itself, and its function is called here; compilers may take"
                " such a call for the library's (not with -fno-builtin)"
            )
        found = zip(f.type.parameters, n.operands[1:], strict=False)
        old = isinstance(called, FunctionType) and not called.prototype
        if old and not all(finds_promoted(t, a) for t, a in found):
            self.code.require(self.store.false, OTHER_TYPE, LIMIT)
        return f

    def _is_shadowed(self, f: Function) -> bool:
        """Is a function of the program, of external linkage, named like one that compilers know?"""
        known = catalogue.is_known(f.name) or f.name in standard.TYPED
        return (
            known
            and f.name not in catalogue.INPUTS
            and standard.is_standard(f.name)
            and not f.node.span.file.startswith(OWN)
            and f.node.tree.lib.Cursor_getStorageClass(f.node.cursor) != k.SC_STATIC
        )

    def _defined(
        self, n: Node, f: Function, values: list[tuple[CType, list[Term]]], into: Term | None
    ) -> Term | Place | None:
        terms: list[Term] = []
        for i, p in enumerate(f.parameters):
            terms += self._argument(p.type, values[i] if i < len(values) else None)
        if f.name == "main" and f.parameters and isinstance(f.parameters[0].type, IntType):
            # of the first call it is assumed not to be one (program.py)
            least = self.store.bv(0, terms[0].sort.width)
            self.code.require(self.store.mk(Op.BVSGE, (terms[0], least)), NO_COUNT, LIMIT)
        terms += self.variadic.passed(n, f, values)
        t = f.type.result
        if isinstance(t, VoidType):
            self.code.emit(Call((), f.name, tuple(terms), self.code.span))
            return None
        if isinstance(t, RecordType):
            place = self.aggregates.temporary(t, source_name(f.name))
            slots = tuple(self.aggregates.whole_slots(place) or ())
            self.code.emit(Call(slots, f.name, tuple(terms), self.code.span))
            return place
        sort = scalar_sort(t)
        result = (
            into
            if into is not None and into.sort is sort
            else self.code.local(source_name(f.name), sort)
        )
        if isinstance(t, PointerType):
            self.context.pointers[result.name] = None
        self.code.emit(Call((result,), f.name, tuple(terms), self.code.span))
        if is_scalar(n.type) and not finds(n.type, t):
            self.code.require(self.store.false, OTHER_TYPE, LIMIT)
        same = t is n.type or not is_scalar(n.type)
        return result if same else self.arithmetic.convert(result, t, n.type)

    def _argument(self, t: CType, value: tuple[CType, list[Term]] | None) -> list[Term]:
        """The terms for one parameter; any value where the caller gives none."""
        if value is None:
            sorts = [
                sort for s in parameter_shapes(t) for _, sort in s.variables("", self.address_sort)
            ]
            fresh = [self.code.local("missing", sort) for sort in sorts]
            if fresh:
                self.code.emit(Havoc(tuple(fresh), NO_ARGUMENT, self.code.span))
            return fresh
        source, terms = value
        if (isinstance(t, RecordType) or isinstance(source, RecordType)) and source is not t:
            raise self.code.refuse(f"an argument of type {source} for a parameter of type {t}")
        if isinstance(t, RecordType) or not is_scalar(source):
            return terms
        return [self.arithmetic.convert(terms[0], source, t)]

    # -- calls through pointers

    def _indirect(
        self, n: Node, callee: Node, arguments: list[Node], into: Term | None
    ) -> Term | Place | None:
        location = self.usage.target(callee)
        values: list[tuple[CType, list[Term]]] = []

        def lower() -> list[Term]:
            values.extend(self._values(arguments))
            return [t for _, terms in values for t in terms]

        (pointer,), _ = self.code.unsequenced([lambda: [self.evaluator.value(callee)], lower])
        targets = [
            o
            for o in self.usage.points.facts(location)
            if isinstance(o, Object) and o.kind == "function"
        ]
        result = self.aggregates.fresh_result(n, into)
        fitting = [o for o in targets if self._fits(o.name, n, values)]
        message = "call through a function pointer with unknown target"
        rest: tuple[Statement, ...] = (Assert(self.store.false, message, LIMIT, self.code.span),)
        for o in reversed(fitting):
            with self.code.block() as body:
                self._dispatch(n, o.name, values, result)
            assert o.address is not None
            rest = (
                If(
                    self.store.eq(pointer, self.code.address(o.address)),
                    tuple(body),
                    rest,
                    self.code.span,
                ),
            )
        self.code.out.extend(rest)
        return result

    def _fits(self, name: str, n: Node, values: list[tuple[CType, list[Term]]]) -> bool:
        """Can this call, through a pointer, be a call of that function?"""
        if name not in self.usage.definitions:
            return True
        called = called_type(n.operands[0].type)
        return fits(self.usage.function(name), called, [t for t, _ in values], n.type)

    def _dispatch(
        self,
        n: Node,
        name: str,
        values: list[tuple[CType, list[Term]]],
        result: Term | Place | None,
    ) -> None:
        if name in self.usage.errors or (
            name in catalogue.HALTS and name not in self.usage.definitions
        ):
            self.library.library(name, n, [], False, None)
            return
        if name not in self.usage.definitions:
            self._dispatch_undefined(n, name, values, result)
            return
        f = self.usage.function(name)
        passed = zip(f.type.parameters, values, strict=False)
        if any(
            is_scalar(source) and not finds(t, source) and not _is_zero(terms[0])
            for t, (source, terms) in passed
        ):
            self.code.require(self.store.false, OTHER_TYPE, LIMIT)
        if isinstance(f.type.result, VoidType):
            self.allocations.any_value(result, n, f"the value of {f.name}, which has none", f.name)
        got = self._defined(
            n, f, values, result if isinstance(result, Term) and f.type.result is n.type else None
        )
        if isinstance(result, Term) and isinstance(got, Term) and got is not result:
            self.code.assign(result, got)
        elif isinstance(result, SplitPlace) and isinstance(got, SplitPlace):
            self.aggregates.copy(self.memory.capture(result), self.memory.capture(got))

    def _dispatch_undefined(
        self,
        n: Node,
        name: str,
        values: list[tuple[CType, list[Term]]],
        result: Term | Place | None,
    ) -> None:
        """A call through a pointer of a function without a body: any value, if it has no effect."""
        plain = (
            self.context.pure_externals
            and not catalogue.is_known(name)
            and not standard.is_standard(name)
        )
        if self.guards and not plain and any(isinstance(t, PointerType) for t, _ in values):
            raise self.code.refuse(f"memory safety of {name} through a pointer", n)
        if name not in catalogue.NO_EFFECT and not plain:
            raise self.code.refuse(f"call of {name} through a pointer", n)
        if self.usage.is_last(name):
            raise self.code.refuse(f"call of {name}, which does not return,", n)
        self.allocations.any_value(result, n, None if plain else f"library function {name}", name)

    # -- externals

    def _external(
        self, name: str, n: Node, arguments: list[Node], into: Term | None
    ) -> Term | Place | None:
        if standard.is_standard(name):
            self.safety.check_library(name, n, arguments)
            self.library.tracking.at_library(name, called_type(n.operands[0].type))
        self.evaluator.discard_all(arguments)
        result = self.aggregates.fresh_result(n, into)
        if self.usage.never_returns(n.operands[0]):
            self.library.tracking.at_halt()
            self.code.emit(Halt(self.code.span))
            return result
        if name in standard.DETERMINED:
            self.code.note(f"{name} has no model: it may return anything")
            self.allocations.any_value(result, n, f"library function {name}", name)
            return result
        attribute = promise(self.usage.declarations(n.operands[0]))
        promised = f"{name}, declared {attribute}" if attribute is not None else None
        if self.context.pure_externals:
            is_standard = standard.is_standard(name)
            if (
                name in standard.WITH_EFFECT
                or name.startswith("__builtin_")
                or (is_standard and any(map(gives_memory, arguments)))
            ):
                raise self.code.refuse(name, n)
            self.code.note(
                f"undefined function {name} returns any value and has no effect (externals=pure)"
            )
            self.allocations.any_value(
                result, n, f"library function {name}" if is_standard else promised, name
            )
            return result
        self.code.note(
            f"undefined function {name} may return anything and change all memory that it can"
            " reach; it is taken not to call functions of this program"
        )
        self.code.emit(Call((), EXTERNAL_MEMORY, (), self.code.span))
        self.allocations.any_value(result, n, f"undefined function {name}", name)
        return result


def _is_zero(passed: Term) -> bool:
    """Is the argument a zero in the text of the program? Old programs pass one for a null pointer."""
    return passed.is_const and passed.data == 0


def parameter_shapes(t: CType) -> list[SlotShape]:
    """The procedure parameters that stand for a C parameter."""
    if isinstance(t, FunctionType | PointerType):
        return [SlotShape((), t, None, None, 0)]
    return list(shapes(t, expand=False))
