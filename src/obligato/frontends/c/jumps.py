"""Jumps past declarations: a variable whose scope is entered by a jump holds any value [C11,
6.2.4p6].

`Scopes` walks a function once and notes which variables are declared so far at each label, case and
jump.  What is visible at the target of a jump but not where the jump starts has been skipped;
`Statements` forgets it before jumping.
"""

from __future__ import annotations

from obligato.frontends.c import kinds as k
from obligato.frontends.c.nodes import Node

Visible = dict[int, Node]  # declarations by the address of their cursor


class Scopes:
    """The declarations that are visible at the labels (by name), cases and jumps (by node) of a
    function.
    """

    def __init__(self, body: Node) -> None:
        self._labels: dict[str, Visible] = {}
        self._nodes: dict[int, Visible] = {}
        self._walk(body)

    def skipped(self, jump: Node, targets: list[Node | str]) -> list[Node]:
        """The declarations that a jump to one of the targets passes."""
        here, found = self._nodes.get(id(jump), {}), dict[int, Node]()
        for target in targets:
            there = (
                self._labels.get(target, {})
                if isinstance(target, str)
                else self._nodes.get(id(target), {})
            )
            found.update({key: d for key, d in there.items() if key not in here})
        return list(found.values())

    def _walk(self, body: Node) -> None:
        """Without recursion; an integer on the stack ends a scope with so many declarations before
        it.
        """
        visible: Visible = {}
        stack: list[Node | int] = [body]
        while stack:
            n = stack.pop()
            if isinstance(n, int):
                for key in list(visible)[n:]:
                    del visible[key]
                continue
            if n.kind in (k.GOTO, k.SWITCH, k.CASE, k.DEFAULT):
                self._nodes[id(n)] = dict(visible)
            elif n.kind == k.LABEL:
                self._labels[n.spelling] = dict(visible)
            elif n.kind == k.DECL_STMT:
                visible.update(
                    {d.cursor.data[0] or 0: d for d in n.children if d.kind == k.VAR_DECL}
                )
            if n.kind in (k.COMPOUND, k.FOR):
                stack.append(len(visible))
            stack.extend(reversed(n.operands))
