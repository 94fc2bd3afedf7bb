"""Cycles of a graph given by the successors of each node; without recursion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def components(nodes: Iterable[str], successors: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The strongly connected components, successors first, without recursion."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_path: dict[str, None] = {}
    out: list[list[str]] = []
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


def _component(node: str, on_path: dict[str, None]) -> list[str]:
    members = []
    while True:
        last, _ = on_path.popitem()
        members.append(last)
        if last == node:
            return members[::-1]


def on_cycles(nodes: Iterable[str], successors: Mapping[str, Iterable[str]]) -> dict[str, None]:
    """The nodes that lie on a cycle."""
    found: dict[str, None] = {}
    for members in components(nodes, successors):
        if len(members) > 1 or members[0] in successors.get(members[0], ()):
            found.update(dict.fromkeys(members))
    return found
