"""Which variables may be reached through pointers after their lifetime (for `memsafety`).

Idea: a pointer to the variable x can dangle only if something holds it when x dies: a global, the
heap, the result of a function, a variable of another function that pointers reach, or a variable of
the same function that does not die with x.  `dangling` decides it by points-to classes and blocks;
such variables get a new address each time they are declared, and the address dies with their block
(safety.py).  All others need no ghost state.

A variable y of another function g that no pointer reaches is harmless: while it lives and x dies, g
waits for a call in which x was born, and only g itself could have given y its value.
"""

from __future__ import annotations

from obligato.frontends.c import kinds as k
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Function, Object
from obligato.frontends.c.types import ArrayType
from obligato.frontends.c.usage import Usage

Block = tuple[int, ...]  # the blocks around a declaration, from the outside


def dangling(usage: Usage, hidden: bool = False) -> dict[Object, None]:
    """The variables and compound literals in memory that a pointer may outlive; `hidden`: also one
    that is kept where no pointers are, by numbers or undefined functions.
    """
    find, holders = usage.points.find, dict[int, list[Object]]()
    for y in usage.everything():
        for c in usage.points.targets(y.location):
            holders.setdefault(c, []).append(y)
    returned = {
        c: None for f in usage.functions.values() for c in usage.points.inside(f.result_class)
    }  # pointers, or those in records
    blocks = {name: blocks_of(f) for name, f in usage.functions.items()}
    found: dict[Object, None] = {}
    for x in usage.everything():
        mortal = (
            x.kind in ("local", "parameter", "literal", "arguments")
            and not x.static_storage
            and x.address_taken
        )
        if mortal and not _lives_to_the_end(x, usage.entry, blocks):
            c = find(x.location)
            kept = hidden and c == find(usage.unknown)
            first = [
                _waits(y, x, usage) if x.kind == "arguments" else _dies_first(y, x, blocks)
                for y in holders.get(c, ())
            ]
            if kept or c in returned or not all(first):
                found[x] = None
    return found


def _lives_to_the_end(
    x: Object, entry: Function | None, blocks: dict[str, dict[int, Block]]
) -> bool:
    """Is it a variable in the outermost block of the function where the program starts?"""
    if (
        x.owner is None
        or x.owner is not entry
        or entry.recursive
        or x.kind in ("literal", "arguments")
    ):
        return False
    return not (isinstance(x.type, ArrayType) and x.type.variable) and _blocks(x, blocks) == ()


def _waits(y: Object, x: Object, usage: Usage) -> bool:
    """Is `y` a variable of a function that returns before the call to which the arguments `x`
    belong does? No call of the function that calls can be under way then, but for those around it.
    """
    if y.kind in ("function", "string"):
        return True
    if (
        y.kind not in ("local", "parameter")
        or y.owner is None
        or x.owner is None
        or y.owner is x.owner
    ):
        return False
    seen, stack = dict[str, None](), list(y.owner.calls)
    while stack:
        name = stack.pop()
        if name not in seen and name in usage.functions:
            seen[name] = None
            stack.extend(usage.functions[name].calls)
    return x.owner.name not in seen


def _dies_first(y: Object, x: Object, blocks: dict[str, dict[int, Block]]) -> bool:
    """When the lifetime of `x` ends, has that of `y` ended, or can the program read `y` no more?"""
    if y.kind in ("function", "string"):
        return True
    if (
        y.kind not in ("local", "parameter")
        or y.owner is None
        or x.owner is None
        or x.kind == "literal"
    ):
        return False
    if y.owner is not x.owner:
        return not y.address_taken
    here, there = _blocks(x, blocks), _blocks(y, blocks)
    return -1 not in here and there[: len(here)] == here


def _blocks(o: Object, blocks: dict[str, dict[int, Block]]) -> Block:
    if o.kind == "parameter":
        return ()
    assert o.node is not None and o.owner is not None
    return blocks[o.owner.name][o.node.cursor.data[0] or 0]


def blocks_of(f: Function) -> dict[int, Block]:
    """The blocks around each declaration; -1 stands for a statement expression, whose value may
    leave it.
    """
    found: dict[int, Block] = {}
    stack: list[tuple[Node, Block]] = [(c, ()) for c in f.body.operands]
    count = 0
    while stack:
        n, around = stack.pop()
        if n.kind == k.DECL_STMT:
            for d in n.children:
                found[d.cursor.data[0] or 0] = around
                stack.extend((c, around) for c in d.operands)
        if n.kind in (k.COMPOUND, k.FOR, k.STMT_EXPR):
            count += 1
            around = (*around, -1 if n.kind == k.STMT_EXPR else count)
        stack.extend((c, around) for c in n.operands)
    return found
