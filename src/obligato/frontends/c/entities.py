"""The entities of a program as the first pass finds them: functions, objects, and their points-to
classes.

A function or an initialised global that is seen for the first time is put on a list, which is
worked off later (closure.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from obligato.errors import Unsupported
from obligato.frontends.c import kinds as k
from obligato.frontends.c.catalogue import ARGUMENTS, ERRORS, is_known
from obligato.frontends.c.keys import pointer_key
from obligato.frontends.c.loads import Load
from obligato.frontends.c.nodes import Declaration, Node, Tree
from obligato.frontends.c.objects import Function, Object
from obligato.frontends.c.refused_early import refuse_acting_sizes, refuse_symbol
from obligato.frontends.c.standard import is_standard
from obligato.frontends.c.types import ArrayType, CType, FunctionType, PointerType, RecordType
from obligato.frontends.c.views import Views

_ASSEMBLER = ("asm", "__asm__", "__asm")
Value = tuple[int | None, CType]  # what an expression may point into, and its type


@dataclass(frozen=True)
class IndirectCall:
    """A call through a pointer of class `target`."""

    target: int
    called: CType
    arguments: list[Value]
    result: tuple[int, CType]
    caller: Function
    rest: int | None  # the class of its variable arguments


class Entities(Views):
    """Functions, objects and points-to classes of a program, filled by `Closure.run`."""

    errors = ERRORS  # functions of which a call is an error, whatever they do

    def __init__(self, tree: Tree, pure_externals: bool) -> None:
        super().__init__()
        self.tree, self.pure_externals = tree, pure_externals
        self.entry: Function | None = None  # where the program starts
        self.definitions: dict[str, Node] = {}
        self.global_nodes: dict[str, list[Node]] = {}
        self.functions: dict[str, Function] = {}
        self.objects: dict[Declaration, Object] = {}
        self.function_objects: dict[str, Object] = {}
        # string literals, compound literals, allocation sites
        self.site_objects: dict[tuple[int, int, int], Object] = {}
        self.indirect_calls: list[IndirectCall] = []
        # classes between which memory is copied; the type of both
        self.copies: list[tuple[int, int, CType | None]] = []
        # classes in which stretches of memory are accessed as elements of a type
        self.stretches: list[tuple[int, CType]] = []
        self.recasts: list[int] = []  # classes seen as another record with the same layout
        self.dereferenced: dict[int, None] = {}  # classes that are accessed through pointers
        self.called_externals: dict[str, Node] = {}
        self.frees = self.reallocates = False
        self.prints_texts = False  # does it matter what functions that print read?
        # operators that may tell where objects lie in memory (layout.py)
        self.observations: list[Node] = []
        self.compared: list[list[int]] = []  # what the operands of these operators point to
        self.moved: list[int] = []  # classes of pointers that are added to
        self.behind: list[int] = []  # classes of pointers to members behind the first one
        # classes in which pointers become pointers to other elements of this type
        self.steps: list[tuple[int, CType]] = []
        # classes from which numbers are read that may be bytes of a pointer
        self.read_as_numbers: list[int] = []
        self.loads: dict[int, dict[Load, None]] = {}  # what numbers in records are read, by class
        # classes to which numbers are written that may become bytes of a pointer
        self.written_as_numbers: list[int] = []
        self.reads_unions = self.writes_unions = (
            False  # is a number accessed in a union that holds pointers too?
        )
        self.numbers: dict[int, None] = {}  # `read_as_numbers` once all is known
        self.exposes = self.invents = (
            False  # is a pointer converted to a number, or a number to a pointer?
        )
        self.record_casts: dict[tuple[RecordType, RecordType], None] = {}
        # comparisons of pointers that may have been made of numbers
        self.invented: dict[Node, None] = {}
        # variables that pointers may outlive, if pointers are compared
        self.ended: dict[Object, None] = {}
        self.compares_freed = False  # may a pointer to freed memory be compared?
        self.volatile: Node | None = None  # the first one that is read
        self.rounds = self._elsewhere = False  # is the rounding mode changed?
        self._worklist: list[Callable[[], None]] = []
        self._current: Function | None = None
        self._depth = 0
        self.slot: CType = tree.types.void  # of variable arguments, if the program has any
        self._index_top_level()

    def _index_top_level(self) -> None:
        for n in self.tree.root.children:
            if n.kind == k.FUNCTION_DECL:
                self._find_slot(n)
                if (
                    any(c.kind == k.COMPOUND for c in n.children)
                    and self.definitions.setdefault(n.spelling, n) is not n
                ):
                    raise Unsupported(
                        f"two definitions of {n.spelling}", n.span, "two definitions of a function"
                    )
            elif n.kind == k.UNEXPOSED_DECL and any(w in _ASSEMBLER for w in self.tree.tokens(n)):
                raise Unsupported("assembler code outside of functions", n.span, "inline assembly")
            elif n.kind == k.VAR_DECL:
                self.global_nodes.setdefault(n.spelling, []).append(n)
        for n in self.tree.root.children:
            self._refuse_label(n)

    def _find_slot(self, n: Node) -> None:
        t = n.type
        if (
            n.spelling == ARGUMENTS
            and isinstance(t, FunctionType)
            and isinstance(t.result, PointerType)
        ):
            self.slot = t.result.to

    def is_variadic(self, t: CType) -> bool:
        """Has a function of this type a hidden parameter for variable arguments?"""
        return (
            isinstance(t, FunctionType)
            and t.variadic
            and t.prototype
            and isinstance(self.slot, RecordType)
        )

    def arguments(self, n: Node, count: int) -> Object:
        """The slots for the variable arguments of a call."""
        return self.site(
            n,
            "arguments",
            ArrayType(f"slots[{count}]", count * self.slot.size, self.slot, count, False),
        )

    def _refuse_label(self, n: Node) -> None:
        """A declaration with the symbol (``__asm__("name")``) of something else in this file stands
        for that.
        """
        for name in self._labels(n):
            if name != n.spelling and (name in self.definitions or name in self.global_nodes):
                raise Unsupported(
                    f"{n.spelling} with the assembler name of {name} is not supported",
                    n.span,
                    "assembler name",
                )

    def refuse_alias(self, nodes: list[Node]) -> None:
        """A function that is not defined, with the symbol of one that the library has, or that
        verifiers know, is that one.
        """
        for n in nodes:
            for name in self._labels(n):
                if _has_meaning(name) and not _has_meaning(n.spelling):
                    raise Unsupported(
                        f"{n.spelling} is another name of {name}, which is not supported",
                        n.span,
                        "assembler name",
                    )

    def _refuse_register(self, d: Declaration) -> None:
        """``register long sp __asm__("rsp")`` is a register of the machine: it changes without an
        assignment.
        """
        if d.storage == k.SC_REGISTER and self._labels(d.node):
            raise Unsupported(
                f"{d.name} is kept in a register of the machine, which is not supported",
                d.node.span,
                "register of the machine",
            )

    def _labels(self, n: Node) -> list[str]:
        return (
            [c.spelling for c in n.children if c.kind == k.ASM_LABEL]
            if n.kind in (k.FUNCTION_DECL, k.VAR_DECL)
            else []
        )

    def everything(self) -> list[Object]:
        """All objects found so far."""
        return [
            *self.objects.values(),
            *self.site_objects.values(),
            *self.function_objects.values(),
        ]

    @property
    def byte(self) -> CType:
        """The type of bytes."""
        return self.tree.types.char

    def from_elsewhere(self) -> int:
        """The class of a pointer that may be to memory which is no object of the program."""
        self._elsewhere = True
        return self.unknown

    @property
    def has_other_memory(self) -> bool:
        """May pointers be to memory that is no object of the program?"""
        return self._elsewhere or (bool(self.called_externals) and not self.pure_externals)

    def contents(self, location: int, t: CType) -> int:
        """What a value of type `t` carries that is at a location: the class that a pointer points
        to, or all contents.
        """
        contents = self.points.pointee(location)
        return (
            self.points.part(contents, pointer_key(t)) if isinstance(t, PointerType) else contents
        )

    # -- calls

    def _connect(self, f: Function, arguments: list[Value]) -> bool:
        changed = False
        for p, a in zip(f.parameters, arguments, strict=False):
            changed |= self._pass(a, self.contents(self.object(p).location, p.type), p.type)
        return changed

    def _pass(self, value: Value, location: int, t: CType) -> bool:
        """A value goes where `t` is expected, without a conversion where functions are called by
        another type.
        """
        v, source = value
        if v is None:
            return False
        changed = self.points.unify(location, v)
        if isinstance(t, PointerType) and isinstance(source, PointerType) and t.to is not source.to:
            changed |= self.see_all(v, (t.to, source.to))
        return changed

    # -- what there is

    def function(self, name: str) -> Function:
        """The defined function `name`, put on the work list when first seen."""
        known = self.functions.get(name)
        if known is None:
            node = self.definitions[name]
            body = next(c for c in node.children if c.kind == k.COMPOUND)
            # the children of the node have the parameters of a returned function pointer before its
            # own
            lib = self.tree.lib
            count = lib.Cursor_getNumArguments(node.cursor)
            parameters = [
                node.tree.declaration(lib.Cursor_getArgument(node.cursor, i)) for i in range(count)
            ]
            t = node.type
            assert isinstance(t, FunctionType)
            known = self.functions[name] = Function(
                name, node, t, parameters, body, self.result(t.result)
            )
            known.arguments = self.points.new()
            self._worklist.append(lambda: self._walk_function(known))
        return known

    def result(self, t: CType) -> int:
        """A class for the results of calls: what they point to, or the contents of a record."""
        c = self.points.new()
        return self.points.pointee(c) if isinstance(t, RecordType) else c

    def _walk_function(self, f: Function) -> None:
        self._current = f
        for p in f.parameters:
            self.object(p).owner = f
            refuse_acting_sizes(p.node.children)
        self.statement(f.body)

    def object(self, d: Declaration) -> Object:
        """The object that a variable declaration stands for."""
        known = self.objects.get(d)
        if known is None:
            self._refuse_label(d.node)
            self._refuse_register(d)
            kind = (
                "parameter"
                if d.kind == k.PARM_DECL
                else "global"
                if d.is_global or d.storage == k.SC_STATIC
                else "local"
            )
            known = self.objects[d] = Object(
                d.name, d.type, kind, self.points.new(), self._current, d.node
            )
            if kind == "global":
                self._new_global(d, known)
            self.points.attach(known.location, known)
        return known

    def _new_global(self, d: Declaration, o: Object) -> None:
        nodes = self.global_nodes.get(d.name, [d.node]) if d.is_global else [d.node]
        starts = [(n, i) for n in nodes if (i := self.tree.initialiser(n)) is not None]
        # the declaration with the size of an array, or with an initialiser, is the one that counts
        for n in nodes:
            if n.type.size > o.type.size or (starts and n is starts[0][0]):
                o.node, o.type = n, n.type
        lib = self.tree.lib
        o.has_body = bool(starts) or any(
            lib.Cursor_getStorageClass(n.cursor) != k.SC_EXTERN for n in nodes
        )
        if not o.has_body:
            self._refuse_weak(nodes)
            refuse_symbol(d.name, d.node)
        if o.has_body and isinstance(o.type, ArrayType) and o.type.count is None and not starts:
            raise Unsupported("array of unknown size", d.node.span, "incomplete array")
        for _, i in starts:
            self._worklist.append(lambda i=i: self._initialise_global(o, i))  # type: ignore[misc]

    def _refuse_weak(self, nodes: list[Node]) -> None:
        """Something that is declared weak, and defined nowhere, has the address null."""
        for n in nodes:
            if any(
                w.strip("_") == "weak"
                for c in n.children
                if c.kind == k.UNEXPOSED_ATTR
                for w in self.tree.tokens(c)
            ):
                raise Unsupported(f"weak declaration of {n.spelling}", n.span, "attribute")

    def _initialise_global(self, o: Object, start: Node) -> None:
        self._current = None  # compound literals of file scope belong to no function
        self.initialise(o.location, start, o.type)

    def site(self, n: Node, kind: str, t: CType) -> Object:
        """The object of a string literal, compound literal or allocation call."""
        copy = 0 if kind == "string" else n.tree.number
        key = (n.cursor.data[1] or 0, n.cursor.data[0] or 0, copy)
        known = self.site_objects.get(key)
        if known is None:
            known = Object(
                f"{kind}${len(self.site_objects)}",
                t,
                kind,
                self.points.new(),
                self._current,
                n,
                True,
            )
            self.site_objects[key] = known
            self.points.attach(known.location, known)
        return known

    def function_object(self, name: str) -> Object:
        """A function whose address is taken."""
        known = self.function_objects.get(name)
        if known is None:
            if name not in self.definitions:
                nodes = [
                    n
                    for n in self.tree.root.children
                    if n.kind == k.FUNCTION_DECL and n.spelling == name
                ]
                self._refuse_weak(nodes)
                self.refuse_alias(nodes)
            known = Object(
                name, self.tree.types.void, "function", self.points.new(), None, None, True
            )
            self.function_objects[name] = known
            self.points.attach(known.location, known)
        return known

    # -- provided by Usage

    def statement(self, root: Node) -> None:
        """Walk a statement."""
        raise NotImplementedError

    def initialise(self, location: int, start: Node, t: CType) -> None:
        """Contents of an object come from an initialiser."""
        raise NotImplementedError


def _has_meaning(name: str) -> bool:
    """Is it a function of the library, or one that verifiers know?"""
    return is_known(name) or is_standard(name)
