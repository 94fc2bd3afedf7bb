"""What the C library and compilers promise about what a program only declares: variables of the
library, functions with attributes, the arguments of a program.
"""

from __future__ import annotations

from itertools import combinations

from obligato.frontends.c import kinds as k
from obligato.frontends.c.code import Code
from obligato.frontends.c.memory import Memory
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Function, Object
from obligato.frontends.c.types import IntType, PointerType
from obligato.program.syntax import Assume, Havoc, If
from obligato.terms import Op, Term, TermStore, bitvec

VALUES = {
    "optind": 1,
    "opterr": 1,
    "optopt": ord("?"),
    "optarg": 0,
    "error_message_count": 0,
    "error_one_per_line": 0,
    "daylight": 0,
    "timezone": 0,
    "signgam": 0,
}
STREAMS = ("stdin", "stdout", "stderr")
PLACES = (
    *STREAMS,
    "environ",
    "__environ",
    "program_invocation_name",
    "program_invocation_short_name",
)
MOST_ARGUMENTS = 1 << 17  # that a program gets if its stack has the usual size
# What is declared with one of these does not return just anything, whatever it is.
PROMISES = ("const", "pure", "malloc", "returns_nonnull", "assume_aligned")


def begin(code: Code, memory: Memory, f: Function, objects: list[Object]) -> None:
    """The program starts with variables of the library as the library has them."""
    known = {
        o.name: memory.load(memory.object_place(o))
        for o in objects
        if o.kind == "global"
        and not o.has_body
        and (o.name in VALUES or o.name in PLACES)
        and isinstance(o.type, IntType | PointerType)
    }
    if known and f.recursive:  # which starts more than once
        fresh = code.local("library", bitvec(1))
        code.emit(Havoc((fresh,), "variables of the library", code.span))
        return
    for condition in _facts(code.store, known):
        code.emit(Assume(condition, code.span))


def count_arguments(code: Code, argc: Term) -> None:
    """Systems do not pass any number of arguments to a program: very many refute nothing."""
    width = argc.sort.width
    if width > MOST_ARGUMENTS.bit_length():
        many = code.store.mk(Op.BVSLT, (code.store.bv(MOST_ARGUMENTS, width), argc))
        fresh = code.local("argc", bitvec(1))
        open_ = Havoc((fresh,), "more arguments than a system passes", code.span)
        code.emit(If(many, (open_,), (), code.span))


def _facts(store: TermStore, known: dict[str, Term]) -> list[Term]:
    facts = []
    for name, value in known.items():
        same = store.eq(value, store.bv(VALUES.get(name, 0), value.sort.width))
        facts.append(same if name in VALUES else store.not_(same))
    streams = [known[name] for name in STREAMS if name in known]
    return facts + [store.not_(store.eq(a, b)) for a, b in combinations(streams, 2)]


def promise(declarations: list[Node]) -> str | None:
    """The attribute by which a function that is not defined does not return just anything."""
    words = (
        word.strip("_")
        for n in declarations
        for c in n.children
        if c.kind in (k.UNEXPOSED_ATTR, k.PURE_ATTR, k.CONST_ATTR)
        for word in n.tree.tokens(c)
    )
    return next((word for word in words if word in PROMISES), None)
