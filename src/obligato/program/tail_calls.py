"""Tail calls are jumps: a procedure that calls itself as the last thing it does begins again,
with other parameters.

A call of p in p is a *tail call* if nothing is executed after it but leaving p, and if its results
are p's own. Then the caller's variables are of no use any more, and what the callee returns is what
the caller returns. It becomes the statements of `program.activation` that begin a call (parameters
get the arguments; results and locals any value) and a jump to the beginning. A run has the same
havocs and choices in the same order as before.
Procedures that have no other recursive calls are loops then.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from obligato.errors import NO_SPAN
from obligato.program.activation import entering, passing, scalars
from obligato.program.syntax import (
    Call,
    Choice,
    Goto,
    If,
    Label,
    Procedure,
    Program,
    Return,
    Statement,
    statements,
)

Body = tuple[Statement, ...]


def without_tail_calls(program: Program) -> Program:
    """The program with its tail calls as jumps."""
    made = {name: _procedure(program, p) for name, p in program.procedures.items()}
    return program if made == program.procedures else replace(program, procedures=made)


def _procedure(program: Program, p: Procedure) -> Procedure:
    found = _tail_calls(program, p)
    if not found:
        return p
    taken = {s.name for s in statements(p.body) if isinstance(s, Label)}
    start = "again"
    while start in taken:
        start += "!"
    return replace(p, body=(Label(start, NO_SPAN), *_rebuilt(program, p.body, found, start)))


def _tail_calls(program: Program, p: Procedure) -> dict[int, Call]:
    """The tail calls of a procedure, by the identity of the statement; without recursion."""
    own = tuple(program.store.var(n, s) for n, s in scalars(p.results))
    found: dict[int, Call] = {}
    stack = [(p.body, True)]
    while stack:
        body, last = stack.pop()
        for n, s in enumerate(body):
            leaves = _leaves(body[n + 1 :], last)
            if isinstance(s, Call) and leaves and s.callee == p.name and s.results == own:
                found[id(s)] = s
            elif isinstance(s, If):
                stack += [(s.then, leaves), (s.otherwise, leaves)]
            elif isinstance(s, Choice):
                stack += [(b, leaves) for b in s.branches]
    places = Counter(id(s) for s in statements(p.body))
    # one that stands in several places may be last in some only
    return {n: s for n, s in found.items() if places[n] == 1}


def _leaves(rest: Body, last: bool) -> bool:
    """Does a run that is before `rest` leave the procedure without executing anything?
    `last`: it does at the end of `rest`."""
    following = next((s for s in rest if not isinstance(s, Label)), None)
    return last if following is None else isinstance(following, Return)


def _rebuilt(program: Program, body: Body, found: dict[int, Call], start: str) -> Body:
    """The body with jumps for the calls that were found;
    nested bodies are rebuilt from the inside."""
    done: dict[int, Body] = {}
    for s in reversed(list(statements(body))):
        if id(s) in found:
            call = found[id(s)]
            begin = [x for x in (passing(program, call), entering(program, call)) if x is not None]
            done[id(s)] = (*begin, Goto((start,), call.span))
        elif isinstance(s, If):
            done[id(s)] = (replace(s, then=_all(s.then, done), otherwise=_all(s.otherwise, done)),)
        elif isinstance(s, Choice):
            done[id(s)] = (replace(s, branches=tuple(_all(b, done) for b in s.branches)),)
        else:
            done[id(s)] = (s,)
    return _all(body, done)


def _all(body: Body, done: dict[int, Body]) -> Body:
    return tuple(x for s in body for x in done[id(s)])
