"""Which names are visible where: every declaration of a function opens a scope, behind which its
name means what is declared, until the block ends that it stands in.

A constant that is declared in the middle of an expression (``(enum { x })0``) is not followed: its
name means nothing that is known in the whole function. The identifiers of scopes are those of
`PlaceNames`; a function that is lowered several times, or copied, has the same ones each time.
"""

from __future__ import annotations

from collections.abc import Iterator

from obligato.frontends.c import kinds as k
from obligato.frontends.c.nodes import Node
from obligato.program.places import Scope

NOTHING = "?"  # what a name means that is not followed


class Scopes:
    """The scopes of a program, filled while its functions are lowered."""

    def __init__(self) -> None:
        self.known: dict[str, Scope] = {}
        self._opened: dict[int, str] = {}  # by what is declared
        self._unclear: dict[str, dict[str, None]] = {}  # names that are not followed, by function

    def function(self, name: str, node: Node) -> str:
        """The scope of a whole function, where nothing of its own is declared yet."""
        unclear = self._unclear.setdefault(name, _in_expressions(node))
        self.known[name] = Scope()
        scope = name
        for hidden in unclear:
            around, scope = scope, f"{name}/{hidden}"
            self.known[scope] = Scope(around, hidden, NOTHING)
        return scope

    def opened(self, declared: Node) -> str | None:
        """The scope that a declaration has opened, if it has been lowered."""
        return self._opened.get(declared.cursor.data[0] or 0)

    def declare(self, around: str, declared: Node) -> str:
        """The scope behind a declaration that stands in the scope `around`."""
        known = self.opened(declared)
        if known is None:
            known = self._identifier(around.partition("/")[0], declared)
            self._opened[declared.cursor.data[0] or 0] = known
            means = "" if declared.kind == k.VAR_DECL and _is_extern(declared) else known
            unclear = declared.spelling in self._unclear[around.partition("/")[0]]
            self.known[known] = Scope(around, declared.spelling, NOTHING if unclear else means)
        return known

    def _identifier(self, function: str, declared: Node) -> str:
        """One that nothing else has: with the line, of several with the column, and a number."""
        line, column = declared.span.line, declared.span.column
        known, n = f"{function}/{declared.spelling}@{line}", 1
        while known in self.known:
            more, n = f":{n}" if n > 1 else "", n + 1
            known = f"{function}/{declared.spelling}@{line}:{column}{more}"
        return known

    def declare_all(self, around: str, statement: Node) -> str:
        """The scope behind all names in a declaration other than those of its variables."""
        for n in _others(statement):
            around = self.declare(around, n)
        return around


def _others(statement: Node) -> Iterator[Node]:
    """What else than variables a declaration declares, constants inside of records included."""
    stack = list(reversed(statement.children))
    while stack:
        n = stack.pop()
        if n.kind in (k.TYPEDEF_DECL, k.FUNCTION_DECL, k.ENUM_CONSTANT_DECL):
            yield n
        if n.kind in (k.ENUM_DECL, k.STRUCT_DECL, k.UNION_DECL):
            stack.extend(reversed(n.children))


def _in_expressions(function: Node) -> dict[str, None]:
    """The constants that a function declares in the middle of an expression, or with a parameter."""
    if b"enum" not in function.tree.unit.source.text:
        return {}
    constants, clear, stack = dict[int, str](), dict[int, None](), [function]
    while stack:
        n = stack.pop()
        if n.kind == k.ENUM_CONSTANT_DECL:
            constants[n.cursor.data[0] or 0] = n.spelling
        if n.kind == k.DECL_STMT:
            clear.update((x.cursor.data[0] or 0, None) for x in _others(n))
        stack.extend(n.children)
    return {name: None for key, name in constants.items() if key not in clear}


def _is_extern(declared: Node) -> bool:
    return bool(declared.tree.lib.Cursor_getStorageClass(declared.cursor) == k.SC_EXTERN)
