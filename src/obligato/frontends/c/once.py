"""What a run executes at most once: allocations in functions that are called once, outside of
loops.
"""

from __future__ import annotations

from obligato.frontends.c import kinds as k
from obligato.frontends.c.lifetimes import blocks_of
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Function, Object
from obligato.frontends.c.patterns import direct_callee
from obligato.frontends.c.usage import Usage

_LOOPS = (k.WHILE, k.DO, k.FOR)
Calls = dict[str, list[tuple[Function, bool]]]


def all_once(usage: Usage, objects: list[Object]) -> bool:
    """Are these objects born at most once in a run?"""
    calls = _calls(usage)
    return all(_born_once(o, usage, calls) for o in objects)


def all_last(usage: Usage, objects: list[Object]) -> bool:
    """Are they, and do they live to its end, unless they are freed?"""
    brief = any(o.automatic and o.owner is not usage.entry for o in objects)
    return not brief and all_once(usage, objects)


def _born_once(o: Object, usage: Usage, calls: Calls) -> bool:
    f = o.owner
    if f is None or o.node is None or not _runs_once(f, usage, calls):
        return False
    if o.kind == "heap":
        return _key(o.node) not in _repeated(f)
    return (
        f is usage.entry
        and o.kind == "local"
        and blocks_of(f).get(o.node.cursor.data[0] or 0) == ()
    )


def _runs_once(f: Function, usage: Usage, calls: Calls) -> bool:
    """Is a function entered at most once?"""
    seen: dict[str, None] = {}
    while f is not usage.entry:
        places = calls.get(f.name, [])
        if len(places) != 1 or places[0][1] or f.name in usage.function_objects or f.name in seen:
            return False
        seen[f.name] = None
        f = places[0][0]
    return not f.recursive and f.name not in usage.function_objects and f.name not in calls


def _calls(usage: Usage) -> Calls:
    """Who calls each function, and whether that is in a loop (or beside labels)."""
    found: Calls = {}
    for f in usage.functions.values():
        again = _repeated(f)
        for n in _nodes(f.body):
            name = direct_callee(n.operands[0]) if n.kind == k.CALL and n.operands else None
            if name is not None:
                found.setdefault(name, []).append((f, _key(n) in again))
    return found


def _repeated(f: Function) -> set[tuple[int, int]]:
    """The calls that one call of a function may execute more than once."""
    found = set[tuple[int, int]]()
    stack = [(f.body, any(n.kind == k.LABEL for n in _nodes(f.body)))]
    while stack:
        n, again = stack.pop()
        again = again or n.kind in _LOOPS
        if again and n.kind == k.CALL:
            found.add(_key(n))
        stack.extend((child, again) for child in n.children)
    return found


def _key(n: Node) -> tuple[int, int]:
    return n.cursor.data[1] or 0, n.cursor.data[0] or 0


def _nodes(root: Node) -> list[Node]:
    found, stack = [], [root]
    while stack:
        n = stack.pop()
        found.append(n)
        stack.extend(n.children)
    return found
