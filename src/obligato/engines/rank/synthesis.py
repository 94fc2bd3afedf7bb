"""A lexicographic tuple that fits samples: of each location a list of expressions, of the same
length and sorts everywhere.

    every sample decreases in the tuple if it is strict, and does not increase if it is not

The locations are ordered first, as far as the samples between them allow it: a component of the
tuple that only counts locations separates the strongly connected parts, which go on by themselves.
Inside a part the candidate is taken that no sample increases and that most samples decrease; those
that it leaves equal are for the next one. Where there is none, a condition that no sample changes
may divide them (`_divided`): each half has a tuple of its own. Nothing is taken back: a tuple that
fits more samples fits fewer, too, so if there is one, one begins with this candidate (or the tuple
becomes too long). A sample that is not known to be part of a run may be sacrificed (`soft`): then
an invariant must exclude it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from obligato.engines.rank.relation import Sample
from obligato.program.graphs import components
from obligato.terms import Kind, Term, TermStore, evaluate

Tuple = dict[int, list[Term]]
Candidate = Term | Mapping[int, Term]  # the same expression everywhere, or one for each location
WIDTH = 16  # bits of a component that counts locations
DEPTH = 24  # components of a tuple
DIVISIONS = 2  # conditions that divide samples, one inside the other
REACHED = 4  # what a sample that is known to be part of a run counts more


class Synthesis:
    """The search for one component of a program; values of candidates on samples are kept."""

    def __init__(
        self, store: TermStore, candidates: Sequence[Candidate], conditions: Sequence[Term] = ()
    ) -> None:
        self.store, self.candidates, self.conditions = store, list(candidates), list(conditions)
        self._changes: dict[tuple[Sample, int], int] = {}
        self._against: dict[int, Sample] = {}  # the sample that excluded a candidate last
        self.stuck: list[Sample] = []  # for which no candidate was left, the last time

    def tuple_for(
        self, locations: Sequence[int], samples: Sequence[Sample], soft: bool
    ) -> Tuple | None:
        """A tuple that fits; None if these candidates give none."""
        return self._fit(list(locations), list(samples), soft, DEPTH, DIVISIONS)

    def _fit(
        self, locations: list[int], samples: list[Sample], soft: bool, depth: int, divisions: int
    ) -> Tuple | None:
        if not any(s.strict for s in samples):
            return {loc: [] for loc in locations}
        if depth == 0:
            return None
        follow = {loc: [s.target for s in samples if s.source == loc] for loc in locations}
        parts = components(locations, follow)
        if len(parts) > 1:
            return self._separated(parts, samples, soft, depth, divisions)
        n = self._best(samples, soft)
        self.stuck = samples if n is None else self.stuck
        rest = [] if n is None else [s for s in samples if self._change(s, n) == 0]
        found = None if n is None else self._fit(locations, rest, soft, depth - 1, divisions)
        if n is not None and found is not None:
            return {loc: [at(self.candidates[n], loc), *more] for loc, more in found.items()}
        if soft and not any(s.reached for s in samples):
            return {loc: [] for loc in locations}
        return (
            self._divided(locations, samples, soft, depth, divisions)
            if n is None and divisions
            else None
        )

    def _divided(
        self, locations: list[int], samples: list[Sample], soft: bool, depth: int, divisions: int
    ) -> Tuple | None:
        """A tuple by cases: a condition with the same value before and after each sample chooses
        between two tuples. None if no condition divides the samples in this way.
        """
        for p in self.conditions:
            sides: dict[bool, list[Sample]] = {True: [], False: []}
            for s in samples:
                before = bool(evaluate(p, s.before))
                if before is not bool(evaluate(p, s.after)):
                    break
                sides[before].append(s)
            else:
                if all(sides.values()):
                    halves = [
                        self._fit(locations, side, soft, depth - 1, divisions - 1)
                        for side in sides.values()
                    ]
                    found = self._chosen(p, halves)
                    if found is not None:
                        return found
        return None

    def _chosen(self, p: Term, halves: list[Tuple | None]) -> Tuple | None:
        yes, no = halves
        if yes is None or no is None:
            return None
        widths = _widths([next(iter(yes.values())), next(iter(no.values()))])
        if widths is None:
            return None
        pairs = {
            loc: (self._padded(yes[loc], widths), self._padded(no[loc], widths)) for loc in yes
        }
        return {
            loc: [self.store.ite(p, a, b) for a, b in zip(*both, strict=True)]
            for loc, both in pairs.items()
        }

    def _separated(
        self, parts: list[list[int]], samples: list[Sample], soft: bool, depth: int, divisions: int
    ) -> Tuple | None:
        """The parts in the order in which runs can go through them, each with a tuple of its
        own.
        """
        tuples: list[Tuple] = []
        for part in parts:
            inside = [s for s in samples if s.source in part and s.target in part]
            found = self._fit(part, inside, soft, depth - 1, divisions)
            if found is None:
                return None
            tuples.append(found)
        widths = _widths([next(iter(t.values())) for t in tuples])
        if widths is None:
            return None
        out: Tuple = {}
        for number, found in enumerate(tuples):
            for loc, terms in found.items():
                out[loc] = [self.store.bv(number, WIDTH), *self._padded(terms, widths)]
        return out

    def _padded(self, terms: list[Term], widths: list[int]) -> list[Term]:
        """The terms with the sorts of all parts: words with zeros in front, zeros for components
        that only others have.
        """
        missing = [
            self.store.bv(0, width) if width else self.store.int_(0)
            for width in widths[len(terms) :]
        ]
        return [
            self.store.resize(t, w, False) if w else t for t, w in zip(terms, widths, strict=False)
        ] + missing

    def _best(self, samples: list[Sample], soft: bool) -> int | None:
        """The best of the candidates that may be the next part of the tuple; None if there is none."""
        scored, binding = [], [s for s in samples if s.reached or not soft]
        present = set(binding)
        for n in range(len(self.candidates)):
            if self._against.get(n) in present:
                continue
            wrong = next((s for s in binding if self._change(s, n) > 0), None)
            if wrong is not None:
                self._against[n] = wrong
                continue
            changes = [(self._change(s, n), s) for s in samples]
            down = [s for change, s in changes if change < 0]
            up = sum(change > 0 for change, _ in changes)
            if down:
                scored.append(
                    (up - len(down) - REACHED * sum(s.reached and s.strict for s in down), n)
                )
        return min(scored)[1] if scored else None

    def _change(self, sample: Sample, n: int) -> int:
        """Negative if the candidate decreases, zero if it stays, positive if it increases."""
        key = (sample, n)
        if key not in self._changes:
            candidate = self.candidates[n]
            before = evaluate(at(candidate, sample.source), sample.before)
            self._changes[key] = evaluate(at(candidate, sample.target), sample.after) - before
        return self._changes[key]


def at(candidate: Candidate, location: int) -> Term:
    """The expression at a location."""
    return candidate if isinstance(candidate, Term) else candidate[location]


def _widths(tuples: list[list[Term]]) -> list[int] | None:
    """The widths of words that all tuples fit into, zero for integers; None where one has words and
    another integers.
    """
    out: list[int] = []
    for n in range(max(map(len, tuples), default=0)):
        sorts = [t[n].sort for t in tuples if n < len(t)]
        if len({s.kind for s in sorts}) != 1:
            return None
        out.append(max(s.width for s in sorts) if sorts[0].kind is Kind.BITVEC else 0)
    return out
