"""Loops that may go on for ever, where memory is tracked (valid-memtrack).

Memory that is lost is counted where a run ends, and what is lost stays lost.  So nothing is missed
as long as a run can be brought to an end from each of its states: it need not end by itself.  The
inputs of a loop that is left by a choice of them (`leaving.py`) are chosen so.  Any other loop gets
an assertion of class `limit` behind its test: no allocation lives, or one of the variables on which
leaving it depends has moved one way in all rounds so far, up or down, or (where nothing is counted)
these are less than 256.  There are finitely many words, so a loop that keeps to that ends,
be it a counter or a walk along nodes in the order of allocation.

If an allocation were lost in some state, then from there on some allocation lives: loops are left,
recursion and jumps backwards, which need that none lives, are not met, nor is an assumption that
stops the run (`Tracking.at_assumption`), and at the end the allocation would be counted. So no
allocation may be asked for when memory is used up, which is a limit here. But runs need not be
followed until then: a loop that is left by a choice goes on only while more than a sixteenth of
memory is left (`room.spare`); what the round, and all that comes behind the loop, still allocates
must fit into that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from obligato.errors import Span
from obligato.frontends.c.leaving import choice_of
from obligato.program.syntax import (
    LIMIT,
    Assert,
    Assign,
    Assume,
    Choice,
    Goto,
    Havoc,
    If,
    Label,
    Procedure,
    Return,
    Statement,
    Variable,
    While,
    statements,
)
from obligato.terms import BOOL, Kind, Op, Sort, Term, TermStore, bitvec, free_vars, postorder

COUNTED = 8  # bits of a counter of rounds
MOST = 3  # variables of one loop that are watched
UNENDING = "whether memory is lost in a run that does not end is not decided"
_ORDER = (Op.BVSLT, Op.BVULT, Op.BVSLE, Op.BVULE)
Body = tuple[Statement, ...]


def watched(
    p: Procedure, none_lives: Term, spare: Term, recursive: bool, named: Callable[[str, str], str]
) -> Procedure:
    """The procedure with assertions that its loops can be left; those that can by a choice of
    inputs go on while there is memory to `spare`. `named` makes new names for a procedure."""
    found = _Loops(p, none_lives, spare, named)
    body = found.rebuilt()
    if recursive:
        body = (found.limit(none_lives, p.span), *body)
    return replace(p, body=body, locals=(*p.locals, *found.ghosts))


@dataclass
class _Loops:
    """The loops of one procedure."""

    procedure: Procedure
    none_lives: Term
    spare: Term
    named: Callable[[str, str], str]
    ghosts: list[Variable] = field(default_factory=list)

    @property
    def store(self) -> TermStore:
        """Of the terms of the program."""
        return self.none_lives.store

    def rebuilt(self) -> Body:
        """The body; nested statements are rebuilt from the inside, without recursion."""
        before: set[str] = set()
        backwards = set[int]()
        everything = list(statements(self.procedure.body))
        for s in everything:
            if isinstance(s, Label):
                before.add(s.name)
            elif isinstance(s, Goto) and not before.isdisjoint(s.targets):
                backwards.add(id(s))
        done: dict[int, Body] = {}
        for s in reversed(everything):
            done[id(s)] = self._changed(s, done, id(s) in backwards)
        return _all(self.procedure.body, done)

    def _changed(self, s: Statement, done: dict[int, Body], backwards: bool) -> Body:
        match s:
            case Goto() if backwards:
                return self.limit(self.none_lives, s.span), s
            case If():
                return (replace(s, then=_all(s.then, done), otherwise=_all(s.otherwise, done)),)
            case Choice():
                return (replace(s, branches=tuple(_all(b, done) for b in s.branches)),)
            case While():
                return self._loop(s, done)
        return (s,)

    def limit(self, c: Term, span: Span) -> Statement:
        """An assertion that a run that goes on here does not go on for ever."""
        return Assert(c, UNENDING, LIMIT, span)

    def _loop(self, loop: While, done: dict[int, Body]) -> Body:
        n = choice_of(loop)
        if n is not None:
            goes_on = Assume(self.spare, loop.span)
            return (
                replace(
                    loop, body=(*_all(loop.body[:n], done), goes_on, *_all(loop.body[n:], done))
                ),
            )
        tests = list(_tests(loop))
        watches = [self._watch(v, is_signed) for v, is_signed in _measures(loop, tests)]
        ways = [way for w in watches for way in w.ways]
        start = [Assign((way,), (self.store.true,), loop.span) for way in ways]
        note = [Assign((w.old,), (w.variable,), loop.span) for w in watches]
        moved = [Assign(w.ways, w.moved(), loop.span) for w in watches]
        if not any(t.op in _ORDER for t in postorder(tests)):
            rounds = self._ghost("rounds", bitvec(COUNTED))
            more = self.store.mk(Op.BVADD, (rounds, self.store.bv(1, COUNTED)))
            start.append(Assign((rounds,), (self.store.bv(1, COUNTED),), loop.span))
            moved.append(Assign((rounds,), (more,), loop.span))
            ways.append(self.store.ne(rounds, self.store.bv(0, COUNTED)))
        limit = self.limit(self.store.or_(self.none_lives, *ways), loop.span)
        n = _tested(loop.body)
        before, after = _all(loop.body[:n], done), _all(loop.body[n:], done)
        return (*start, replace(loop, body=(*note, *before, limit, *after, *moved)))

    def _watch(self, v: Term, is_signed: bool) -> _Watch:
        ways = (self._ghost("rises", BOOL), self._ghost("falls", BOOL))
        return _Watch(v, self._ghost("before", v.sort), ways, _ORDER[0 if is_signed else 1])

    def _ghost(self, name: str, sort: Sort) -> Term:
        full = self.named(self.procedure.name, name)
        self.ghosts.append(Variable(full, sort))
        return self.store.var(full, sort)


@dataclass(frozen=True, slots=True)
class _Watch:
    """A variable, its value at the start of a round, and whether it has moved up, or down, in all
    rounds so far."""

    variable: Term
    old: Term
    ways: tuple[Term, Term]
    less: Op

    def moved(self) -> tuple[Term, Term]:
        """The new values of `ways` at the end of a round."""
        s, (rises, falls) = self.variable.store, self.ways
        return (
            s.and_(rises, s.mk(self.less, (self.old, self.variable))),
            s.and_(falls, s.mk(self.less, (self.variable, self.old))),
        )


def _measures(loop: While, tests: list[Term]) -> list[tuple[Term, bool]]:
    """The variables on which it depends whether the loop is left, and that depend on their values
    in the round before; and whether they are compared as signed numbers."""
    given = _given(loop.body)
    direct = [v for t in tests for v in free_vars(t)]
    wanted = dict.fromkeys((*direct, *_reached(direct, given)))
    carried = [
        v
        for v in wanted
        if v.sort.kind is Kind.BITVEC and v in given and v in _reached(given[v], given)
    ]
    carried = [v for v in carried if v in direct] or carried
    nodes = [t for t in postorder(tests) if t.op in _ORDER[::2]]
    signed = {v for t in nodes for v in free_vars(t)}  # membership only
    return [(v, v in signed) for v in carried[:MOST]]


def _reached(start: Iterable[Term], given: dict[Term, list[Term]]) -> dict[Term, None]:
    """`start` and what these variables get their values from; contents of memory aside."""
    found = {v: None for v in start if v.sort.kind is not Kind.ARRAY}
    stack = list(found)
    while stack:
        for v in given.get(stack.pop(), ()):
            if v not in found and v.sort.kind is not Kind.ARRAY:
                found[v] = None
                stack.append(v)
    return found


def _given(body: Body) -> dict[Term, list[Term]]:
    """By variable: the variables in what a loop assigns to it."""
    found: dict[Term, list[Term]] = {}
    for s in statements(body):
        if isinstance(s, Assign):
            for x, e in zip(s.targets, s.values, strict=True):
                found.setdefault(x, []).extend(free_vars(e))
        elif isinstance(s, Havoc):
            for x in s.targets:
                found.setdefault(x, [])
    return found


def _tests(loop: While) -> Iterator[Term]:
    """The conditions under which a loop is left."""
    if loop.condition is not None:
        yield loop.condition
    own = {s.name for s in statements(loop.body) if isinstance(s, Label)}  # membership only
    for s in statements(loop.body):
        if isinstance(s, If) and s.condition is not None:
            last = [b[-1] for b in (s.then, s.otherwise) if b]
            if any(isinstance(x, Return) or _goes_out(x, own) for x in last):
                yield s.condition


def _tested(body: Body) -> int:
    """How many statements of a round come before the end of its first test, that all rounds come
    to: what is asserted there need not hold when the loop is left."""
    own = {s.name for s in statements(body) if isinstance(s, Label)}  # membership only
    for n, s in enumerate(body, 1):
        if any(isinstance(t, Goto) and not _goes_out(t, own) for t in statements((s,))):
            break
        if isinstance(s, If) and any(b and _goes_out(b[-1], own) for b in (s.then, s.otherwise)):
            return n
    return 0


def _goes_out(s: Statement, own: set[str]) -> bool:
    return isinstance(s, Goto) and own.isdisjoint(s.targets)


def _all(body: Body, done: dict[int, Body]) -> Body:
    return tuple(x for s in body for x in done[id(s)])
