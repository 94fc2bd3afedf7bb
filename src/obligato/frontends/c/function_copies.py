"""Small functions that deal with pointers are read once for each call of them.

The points-to analysis does not tell the calls of a function apart: what a wrapper of `malloc`
returns would be one memory for all its callers, and so would be what a helper is given.  So each
call but the first one means a copy of such a function, with variables and allocation sites of its own.  Calls are
inlined later, so the program does not become larger by that, and a copy does what the function
does: this is no approximation.

A copy is the same syntax, read by another tree (`CopiedTree`): only the local variables and the
calls inside of it are other ones.  Static variables and texts exist once: a function that declares
the former is not copied, and the latter are shared (`Entities.site`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from obligato.frontends.c import catalogue
from obligato.frontends.c import kinds as k
from obligato.frontends.c.libclang import CXCursor
from obligato.frontends.c.nodes import Declaration, Node, Tree
from obligato.frontends.c.patterns import inside_implicit
from obligato.frontends.c.types import FunctionType, holds_pointer
from obligato.frontends.preprocessing import OWN
from obligato.program.names import COPY

MAX_SIZE = 150  # syntax nodes of a function that is copied
MAX_TOTAL = 10_000  # syntax nodes of all copies together


class CopiedTree(Tree):
    """The syntax of a function with local variables, and callees, of its own; all else is shared
    with the tree of the program.
    """

    def __init__(self, tree: Tree, number: int) -> None:
        self.__dict__.update(tree.__dict__)
        self.original, self.number = tree, number
        self._own: dict[int, Declaration] = {}
        self._initialisers = {}
        self.redirected = {}

    def declaration(self, cursor: CXCursor) -> Declaration:
        """The entity that a declaration cursor declares, for this copy if it is local."""
        known = self.original.declaration(cursor)
        if known.is_global or known.kind not in (k.VAR_DECL, k.PARM_DECL):
            return known
        key = cursor.data[0] or 0
        if key not in self._own:
            self._own[key] = Declaration(Node(self, cursor), False, known.storage)
        return self._own[key]


def copy_functions(tree: Tree, definitions: dict[str, Node], entry: str) -> None:
    """Let calls of small functions with pointers, but for the first one of each, mean copies of
    them, which are added to the definitions.
    """
    _Copies(tree, definitions, entry).run()


class _Copies:
    """The functions that are called, and copied so far."""

    def __init__(self, tree: Tree, definitions: dict[str, Node], entry: str) -> None:
        self.tree, self.definitions, self.entry = tree, definitions, entry
        self._mentions: dict[str, list[tuple[str, Node, bool]]] = {}
        self._sizes: dict[str, int] = {}
        self._count = self._total = 0

    def run(self) -> None:
        """Walk all that is reached from the entry."""
        taken, waiting = {self.entry: None}, deque([self.entry])
        while waiting:
            for name, n, is_call in self._mentioned(waiting.popleft()):
                if name in taken and is_call and self._is_copied(name):
                    name = self._copied(n, name)
                if name not in taken:
                    taken[name] = None
                    waiting.append(name)

    def _mentioned(self, name: str) -> list[tuple[str, Node, bool]]:
        """The defined functions that a function mentions, by itself or in the initial values of
        variables: where, and is it a call?
        """
        if name not in self._mentions:
            found = _functions(self.definitions[name])
            self._mentions[name] = [m for m in found if m[0] in self.definitions]
        return self._mentions[name]

    def _is_copied(self, name: str) -> bool:
        """Is a function small, with pointers, and without what must exist once: variable arguments,
        an error, static variables, recursion?
        """
        node = self.definitions[name]
        t = node.type
        assert isinstance(t, FunctionType)
        if t.variadic or not any(map(holds_pointer, (t.result, *t.parameters))):
            return False
        if name in catalogue.ERRORS or node.span.file.startswith(OWN):
            return False
        size = self._size(name)
        return size <= MAX_SIZE and self._total + size <= MAX_TOTAL and not self._reaches(name)

    def _size(self, name: str) -> int:
        """The nodes of a function; too many where it has static variables."""
        if name not in self._sizes:
            nodes = list(_nodes(self.definitions[name]))
            static = any(_is_static(n) for n in nodes)
            self._sizes[name] = MAX_SIZE + 1 if static else len(nodes)
        return self._sizes[name]

    def _reaches(self, name: str) -> bool:
        """May a function call itself?"""
        seen, stack = dict[str, None](), [name]
        while stack:
            for other, _, _ in self._mentioned(stack.pop()):
                if other == name:
                    return True
                if other not in seen:
                    seen[other] = None
                    stack.append(other)
        return False

    def _copied(self, callee: Node, name: str) -> str:
        """The name of a new copy, which the callee means from now on."""
        self._count += 1
        self._total += self._size(name)
        fresh = f"{name}{COPY}{self._count}"
        copy = Node(CopiedTree(self.tree, self._count), self.definitions[name].cursor)
        self.definitions[fresh] = copy
        callee.redirect(Declaration(copy, True, 0, fresh))
        return fresh


def _nodes(root: Node) -> Iterator[Node]:
    stack = [root]
    while stack:
        n = stack.pop()
        yield n
        whole = n.kind in (k.DECL_STMT, k.FUNCTION_DECL)
        stack.extend(reversed(n.children if whole else n.operands))


def _is_static(n: Node) -> bool:
    if n.kind != k.VAR_DECL:
        return False
    return n.tree.declaration(n.cursor).storage == k.SC_STATIC


def _functions(root: Node) -> list[tuple[str, Node, bool]]:
    """The functions that a piece of code names, also in the initial values of global variables."""
    found: list[tuple[str, Node, bool]] = []
    called: dict[Node, None] = {}
    seen: dict[Declaration, None] = {}
    waiting = [root]
    while waiting:
        for n in _nodes(waiting.pop()):
            if n.kind == k.CALL and n.operands:
                called[inside_implicit(n.operands[0])] = None
            if n.kind != k.DECL_REF:
                continue
            d = n.reference
            if d.kind == k.FUNCTION_DECL:
                found.append((d.name, n, n in called))
            elif d.kind == k.VAR_DECL and d not in seen:
                seen[d] = None
                start = d.node.tree.initialiser(d.node)
                waiting += [] if start is None or not _lasts(d) else [start]
    return found


def _lasts(d: Declaration) -> bool:
    return d.is_global or d.storage == k.SC_STATIC
