"""The effect of a command as a guard and a substitution: WEP without repeated rewriting [LNNK19, Lemma 1 and 5].

Executing a choice-free command symbolically, forwards, yields a *guard* (the assumptions, pulled back to the start) and for
each assigned variable its final value, both over the start state and the edge's inputs.  Then

    wep(cmd, phi)  =  guard  and  phi[x := final value of x]

and the pull-back of a literal (Lemma 5's wep of the command without assumes) is one memoised substitution.

A command with choices has one `PathEffect` per path (`paths`, Def. 14's split, enumerated on demand) and one `BlockEffect`
for all: branches are merged by ite over *selectors*; a selector is a fresh Boolean input, or the branch's own first
assumption where a two-way choice is deterministic.  A model of a block's query names one path (`path_of`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from obligato.models.gcl import Assign, Assume, Choice, Command, Seq, Tagged
from obligato.terms import BOOL, Substitution, Term, TermStore, Value, conjuncts, evaluate

Path = tuple[int, ...]  # the branch taken at each choice met, in order


class PathEffect:
    """Guard and final values of one choice-free path; `edges` are the original edges it runs through."""

    __slots__ = ("edges", "guard", "path", "pull")

    def __init__(self, path: Path, guard: list[Term], final: Mapping[Term, Term], edges: tuple[int, ...]) -> None:
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
        self._pull = Substitution({})

    def execute(self, command: Command) -> None:
        stack: list[Command] = [command]
        while stack:
            c = stack.pop()
            if isinstance(c, Assign):
                self._assign(c)
            elif isinstance(c, Assume):
                self.guard.update(dict.fromkeys(conjuncts(self._pull(c.condition))))
            elif isinstance(c, Seq):
                stack.extend(reversed(c.parts))
            elif isinstance(c, Choice):
                stack.append(c.branches[next(self.decisions)])
            else:
                self.edges.append(c.edge)
                stack.append(c.command)

    def _assign(self, c: Assign) -> None:
        values = [(x, self._pull(e)) for x, e in c.pairs]
        self.final.update(values)
        self._pull = Substitution(self.final)


def path_effect(store: TermStore, command: Command, path: Path = ()) -> PathEffect:
    """The effect of the path that takes branch path[n] at its n-th choice."""
    run = _Run(store, path)
    run.execute(command)
    return PathEffect(path, list(run.guard), run.final, tuple(run.edges))


def paths(command: Command) -> Iterator[Path]:
    """All paths of a command, as branch decisions, first branches first [LNNK19, Def. 14]."""
    stack: list[tuple[Path, tuple[Command, ...]]] = [((), (command,))]
    while stack:
        taken, rest = stack.pop()
        while rest and not isinstance(rest[0], Choice):
            head, rest = rest[0], rest[1:]
            if isinstance(head, Seq):
                rest = head.parts + rest
            elif isinstance(head, Tagged):
                rest = (head.command, *rest)
        if not rest:
            yield taken
            continue
        choice = rest[0]
        assert isinstance(choice, Choice)
        for i in reversed(range(len(choice.branches))):
            stack.append(((*taken, i), (choice.branches[i], *rest[1:])))


def count_paths(command: Command, limit: int) -> int:
    """Number of paths, counted no further than `limit`."""
    total = 0
    for _ in paths(command):
        total += 1
        if total >= limit:
            break
    return total


@dataclass(frozen=True, slots=True)
class _Fork:
    """A choice met during merging: the selector of each branch, and the forks inside each branch."""

    selectors: tuple[Term, ...]
    inside: tuple[tuple[_Fork, ...], ...]


class BlockEffect:
    """All paths of a command at once. Requires: `fresh` makes Boolean variables used nowhere else.

    Ensures: for every state, wep(cmd, phi) holds iff some inputs and selectors satisfy guard and phi[final].
    """

    __slots__ = ("_forks", "command", "guard", "pull", "selectors")

    def __init__(self, store: TermStore, command: Command, prefix: str) -> None:
        merger = _Merger(store, prefix)
        final, guard, forks = merger.run(command, {})
        self.command = command
        self.guard: list[Term] = list(guard)
        self.pull = Substitution(final)
        self.selectors = merger.selectors
        self._forks = forks

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


Final = dict[Term, Term]


class _Merger:
    """Forward symbolic execution that merges the branches of each choice."""

    def __init__(self, store: TermStore, prefix: str) -> None:
        self.store = store
        self.prefix = prefix
        self.selectors: list[Term] = []

    def run(self, command: Command, final: Final) -> tuple[Final, dict[Term, None], tuple[_Fork, ...]]:
        """Effect of `command` from the symbolic state `final`; recursion only into choices (blocks nest shallowly)."""
        final, guard, forks = dict(final), {}, []
        pull = Substitution(final)
        stack: list[Command] = [command]
        while stack:
            c = stack.pop()
            if isinstance(c, Assign):
                final.update([(x, pull(e)) for x, e in c.pairs])
                pull = Substitution(final)
            elif isinstance(c, Assume):
                guard.update(dict.fromkeys(conjuncts(pull(c.condition))))
            elif isinstance(c, Seq):
                stack.extend(reversed(c.parts))
            elif isinstance(c, Tagged):
                stack.append(c.command)
            else:
                final, merged, fork = self._choice(c, final)
                guard.update(dict.fromkeys(merged))
                forks.append(fork)
                pull = Substitution(final)
        return final, guard, tuple(forks)

    def _choice(self, choice: Choice, final: Final) -> tuple[Final, list[Term], _Fork]:
        ends = [self.run(b, final) for b in choice.branches]
        selectors = self._selectors([list(guard) for _, guard, _ in ends])
        merged = [self.store.implies(s, self.store.and_(*guard)) for s, (_, guard, _) in zip(selectors, ends, strict=True)]
        changed = {x: None for end, _, _ in ends for x in end if end[x] is not final.get(x)}
        out = dict(final)
        for x in changed:
            out[x] = self._select(selectors, [end.get(x, x) for end, _, _ in ends])
        return out, [*merged, self.store.or_(*selectors)], _Fork(tuple(selectors), tuple(f for _, _, f in ends))

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


