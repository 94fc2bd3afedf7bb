"""The effect of a command as a guard and a substitution:
WEP without repeated rewriting [LNNK19, Lemma 1 and 5].

Executing a choice-free command symbolically, forwards, yields a *guard* (the assumptions, pulled
back to the start) and for each assigned variable its final value, both over the start state and the
edge's inputs.  Then

    wep(cmd, phi)  =  guard  and  phi[x := final value of x]

and the pull-back of a literal (Lemma 5's wep of the command without assumes) is one memoised
substitution.

A command with choices has one `PathEffect` per path (`paths`, Def. 14's split, enumerated on
demand) and one `BlockEffect` for all: branches are merged by ite over *selectors*; a selector is a
fresh Boolean input, or the branch's own first assumption where a two-way choice is deterministic.
A model of a block's query names one path (`path_of`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from obligato.models.gcl import Assign, Assume, Choice, Command, Seq, Tagged
from obligato.terms import (
    BOOL,
    Substitution,
    Term,
    TermStore,
    Value,
    conjuncts,
    evaluate,
    free_vars,
)
from obligato.terms.store import rebuild

if TYPE_CHECKING:
    from obligato.models.cfa import Edge

Path = tuple[int, ...]  # the branch taken at each choice met, in order


class PathEffect:
    """Guard and final values of one choice-free path;
    `edges` are the original edges it runs through."""

    __slots__ = ("edges", "guard", "path", "pull")

    def __init__(
        self, path: Path, guard: list[Term], final: Mapping[Term, Term], edges: tuple[int, ...]
    ) -> None:
        self.path = path
        self.guard = guard
        self.edges = edges
        self.pull = Substitution(final)

    def wep(self, post: Term) -> Term:
        """wep(cmd, post) as one formula."""
        store = post.store
        return store.and_(*self.guard, self.pull(post))


class _Run:
    """One forward symbolic execution along the given branch decisions."""

    def __init__(self, store: TermStore, decisions: Path) -> None:
        self.store = store
        self.decisions = iter(decisions)
        self.final: dict[Term, Term] = {}
        self.guard: dict[Term, None] = {}
        self.edges: list[int] = []

    def execute(self, command: Command) -> None:
        stack: list[Command] = [command]
        while stack:
            c = stack.pop()
            if isinstance(c, Assign):
                self.final.update([(x, _pulled(e, self.final)) for x, e in c.pairs])
            elif isinstance(c, Assume):
                self.guard.update(dict.fromkeys(conjuncts(_pulled(c.condition, self.final))))
            elif isinstance(c, Seq):
                stack.extend(reversed(c.parts))
            elif isinstance(c, Choice):
                stack.append(c.branches[next(self.decisions)])
            else:
                self.edges.append(c.edge)
                stack.append(c.command)


def _pulled(term: Term, final: Mapping[Term, Term]) -> Term:
    """`term` over the start state;
    costs the size of `term`, not of `final` (blocks assign thousands of variables)."""
    memo = {v: final[v] for v in free_vars(term) if v in final}
    return rebuild(term, term.store, memo) if memo else term


def path_effect(store: TermStore, command: Command, path: Path = ()) -> PathEffect:
    """The effect of the path that takes branch path[n] at its n-th choice."""
    run = _Run(store, path)
    run.execute(command)
    return PathEffect(path, list(run.guard), run.final, tuple(run.edges))


# commands still to come, as a linked list: sharing keeps long blocks linear
_Rest = tuple[Command, "_Rest"] | None


def paths(command: Command) -> Iterator[Path]:
    """All paths of a command, as branch decisions, first branches first [LNNK19, Def. 14]."""
    stack: list[tuple[Path, _Rest]] = [((), (command, None))]
    while stack:
        taken, rest = stack.pop()
        while rest is not None and not isinstance(rest[0], Choice):
            head, rest = rest
            if isinstance(head, Seq):
                for part in reversed(head.parts):
                    rest = (part, rest)
            elif isinstance(head, Tagged):
                rest = (head.command, rest)
        if rest is None:
            yield taken
            continue
        choice, after = rest
        assert isinstance(choice, Choice)
        for i in reversed(range(len(choice.branches))):
            stack.append(((*taken, i), (choice.branches[i], after)))


def count_paths(command: Command, limit: int) -> int:
    """Number of paths, counted no further than `limit`."""
    total = 0
    for _ in paths(command):
        total += 1
        if total >= limit:
            break
    return total


def ways(edges: Iterable[Edge], most: int) -> list[tuple[Edge, Path]] | None:
    """The edges with each path of their commands; None if these are more than `most`."""
    found = list(islice(((e, p) for e in edges for p in paths(e.command)), most + 1))
    return found if len(found) <= most else None


@dataclass(frozen=True, slots=True)
class _Fork:
    """A choice met during merging:
    the selector of each branch, and the forks inside each branch."""

    selectors: tuple[Term, ...]
    inside: tuple[tuple[_Fork, ...], ...]


class BlockEffect:
    """All paths of a command at once. Requires: `fresh` makes Boolean variables used nowhere else.

    Ensures: for every state, wep(cmd, phi) holds iff some inputs and selectors satisfy guard and
    phi[final].
    """

    __slots__ = ("_decisions", "_forks", "command", "guard", "pull", "selectors")

    def __init__(self, store: TermStore, command: Command, prefix: str) -> None:
        merger = _Merger(store, prefix)
        end = merger.run(command)
        self.command = command
        self.guard: list[Term] = list(end.guard)
        self.pull = Substitution(end.final)
        self.selectors = merger.selectors
        self._forks = tuple(end.forks)
        self._decisions = merger.decisions

    def variables(self) -> dict[Term, None]:
        """All that the effect speaks about: the final values too, and what decides which path is
        taken, though that may matter neither for the guard nor for the final values."""
        return free_vars(
            *self.guard, *self.pull.mapping.values(), *self.selectors, *self._decisions
        )

    def wep(self, post: Term) -> Term:
        """wep(cmd, post) with the selectors free (existential)."""
        return post.store.and_(*self.guard, self.pull(post))

    def path_of(self, model: Mapping[Term, Value]) -> Path:
        """The path that a model of (guard and pulled-back post) follows."""
        memo: dict[Term, Value] = {}
        path: list[int] = []
        stack = list(reversed(self._forks))
        while stack:
            fork = stack.pop()
            taken = next(i for i, s in enumerate(fork.selectors) if evaluate(s, model, memo))
            path.append(taken)
            stack.extend(reversed(fork.inside[taken]))
        return tuple(path)


class _Open:
    """Symbolic execution of one branch:
    the state so far, what is to come, and the open choice with its finished branches."""

    __slots__ = ("choice", "ends", "final", "forks", "guard", "todo", "written")

    def __init__(self, command: Command, final: Mapping[Term, Term]) -> None:
        self.final = dict(final)
        self.written: dict[Term, None] = {}
        self.guard: dict[Term, None] = {}
        self.forks: list[_Fork] = []
        self.todo = [command]
        self.choice: Choice | None = None
        self.ends: list[_Open] = []

    def advance(self) -> Choice | None:
        """Execute up to the next choice, which is returned, or to the end."""
        while self.todo:
            c = self.todo.pop()
            if isinstance(c, Assign):
                self.write([(x, _pulled(e, self.final)) for x, e in c.pairs])
            elif isinstance(c, Assume):
                self.guard.update(dict.fromkeys(conjuncts(_pulled(c.condition, self.final))))
            elif isinstance(c, Seq):
                self.todo.extend(reversed(c.parts))
            elif isinstance(c, Tagged):
                self.todo.append(c.command)
            else:
                return c
        return None

    def write(self, values: list[tuple[Term, Term]]) -> None:
        """Give variables new values."""
        self.final.update(values)
        self.written.update(dict.fromkeys(x for x, _ in values))


class _Merger:
    """Forward symbolic execution that merges the branches of each choice;
    choices nest hundreds deep, so no recursion."""

    def __init__(self, store: TermStore, prefix: str) -> None:
        self.store = store
        self.prefix = prefix
        self.selectors: list[Term] = []
        self.decisions: list[Term] = []

    def run(self, command: Command) -> _Open:
        """The one state that stands for all paths of `command`."""
        stack = [_Open(command, {})]
        while True:
            top = stack[-1]
            if top.choice is None:
                top.choice = top.advance()
            if top.choice is None:
                stack.pop()
                if not stack:
                    return top
                stack[-1].ends.append(top)
            elif len(top.ends) < len(top.choice.branches):
                stack.append(_Open(top.choice.branches[len(top.ends)], top.final))
            else:
                self._merge(top)

    def _merge(self, top: _Open) -> None:
        """Close the open choice of `top`:
        each variable takes the value of the selected branch."""
        ends, top.ends, top.choice = top.ends, [], None
        selectors = self._selectors([list(end.guard) for end in ends])
        for s, end in zip(selectors, ends, strict=True):
            top.guard.update(
                dict.fromkeys(conjuncts(self.store.implies(s, self.store.and_(*end.guard))))
            )
        changed = {x: None for end in ends for x in end.written}
        top.write(
            [(x, self._select(selectors, [end.final.get(x, x) for end in ends])) for x in changed]
        )
        self.decisions += selectors
        top.forks.append(_Fork(tuple(selectors), tuple(tuple(end.forks) for end in ends)))

    def _selectors(self, guards: list[list[Term]]) -> list[Term]:
        """Deterministic two-way choices select by their condition; others by fresh Booleans."""
        if len(guards) == 1:
            return [self.store.true]
        if len(guards) == 2:
            for condition in guards[0]:
                if self.store.not_(condition) in guards[1]:
                    return [condition, self.store.not_(condition)]
        fresh = [self._fresh() for _ in guards[1:]]
        out, none_before = [], self.store.true
        for s in fresh:
            out.append(self.store.and_(none_before, s))
            none_before = self.store.and_(none_before, self.store.not_(s))
        return [*out, none_before]

    def _fresh(self) -> Term:
        selector = self.store.fresh(f"{self.prefix}{len(self.selectors)}", BOOL)
        self.selectors.append(selector)
        return selector

    def _select(self, selectors: list[Term], values: list[Term]) -> Term:
        value = values[-1]
        for s, v in zip(reversed(selectors[:-1]), reversed(values[:-1]), strict=True):
            value = self.store.ite(s, v, value)
        return value
