"""Orders and cycles of graphs, given by the successors of each node; without recursion."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def depth_first(
    roots: Iterable[Node], follow: Callable[[Node], Iterable[Node]]
) -> tuple[list[Node], dict[tuple[Node, Node], None]]:
    """The nodes that can be reached from the roots, in postorder: successors first, but along back
    edges. Beside them the back edges, which lead to a node of the path on which they are found.
    """
    order: list[Node] = []
    back: dict[tuple[Node, Node], None] = {}
    on_path: dict[Node, bool] = {}
    for root in roots:
        stack = [] if root in on_path else [(root, iter(follow(root)))]
        on_path.setdefault(root, True)
        while stack:
            node, rest = stack[-1]
            child = next(rest, None)
            if child is None:
                on_path[node] = False
                order.append(node)
                stack.pop()
            elif child not in on_path:
                on_path[child] = True
                stack.append((child, iter(follow(child))))
            elif on_path[child]:
                back[node, child] = None
    return order, back


def components(
    nodes: Iterable[Node], successors: Mapping[Node, Iterable[Node]]
) -> list[list[Node]]:
    """The strongly connected components, successors first, without recursion."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    on_path: dict[Node, None] = {}
    out: list[list[Node]] = []
    for root in nodes:
        stack = [] if root in index else [(root, iter(list(successors.get(root, ()))))]
        if stack:
            index[root] = low[root] = len(index)
            on_path[root] = None
        while stack:
            node, rest = stack[-1]
            child = next(rest, None)
            if child is None:
                stack.pop()
                if stack:
                    low[stack[-1][0]] = min(low[stack[-1][0]], low[node])
                if low[node] == index[node]:
                    out.append(_component(node, on_path))
            elif child not in index:
                index[child] = low[child] = len(index)
                on_path[child] = None
                stack.append((child, iter(list(successors.get(child, ())))))
            elif child in on_path:
                low[node] = min(low[node], index[child])
    return out


def _component(node: Node, on_path: dict[Node, None]) -> list[Node]:
    members = []
    while True:
        last, _ = on_path.popitem()
        members.append(last)
        if last == node:
            return members[::-1]


def on_cycles(nodes: Iterable[Node], successors: Mapping[Node, Iterable[Node]]) -> dict[Node, None]:
    """The nodes that lie on a cycle."""
    found: dict[Node, None] = {}
    for members in components(nodes, successors):
        if len(members) > 1 or members[0] in successors.get(members[0], ()):
            found.update(dict.fromkeys(members))
    return found
