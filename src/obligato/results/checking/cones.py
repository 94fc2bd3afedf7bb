"""Obligations of a large certificate, discharged with few of the assertions each:
those in the cone of what they speak about.

An obligation holds if the assertions A and a formula F are not satisfiable together.
It becomes small questions in two steps:

    parts     F is (equivalent under A to) a disjunction of parts: each must be unsatisfiable with A
    cone      A' is some of A. If A' and a part are unsatisfiable together, so are A and the part: a
              model of A is one of A'.

So whatever `Cones.near` chooses, an unsat answer counts; what it chooses decides only how often the
answer is unsat. A part that is satisfiable with its cone is not refuted: it is left, and asked
about with all of A. `Local.left` carries the idea.

Assertions of the form v = e define the variable v: they are of use where v occurs. Any other is of
use where one of its variables occurs. Only a definition of a variable that no assertion before it
speaks about, nor its own right side, may stand for the variable in parts: then definitions have an
order. (r = (r or c) holds wherever r does, so c alone is not r.) Cones are limited by the number of
terms in them, so that a large program costs as many questions as it has obligations, and each of
them what its neighbourhood costs. Trusted: `parts`, and that a cone is made of assertions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from itertools import islice

from obligato.models.ts_parts import Classes
from obligato.results.checking.solving import HURRIED, QUICK, UNSAT, Link, Questions, hasty
from obligato.terms import Op, Term, conjuncts, postorder

MANY = 200  # assertions; below, one question about all of them is the cheapest
FEW = 4  # parts; they are asked about with all assertions
GROUP = 16  # parts that are first asked about at once
NEAR, FAR = 40, 1000  # terms in the cone of a part, at first and then
# parts that are left before the others are left unasked, unless more have been discharged
FAILURES = 8


class Cones:
    """The assertions, by the variables where they are of use."""

    def __init__(self, assertions: Sequence[Term]) -> None:
        self._meanings = _meanings(assertions)
        self.definitions: dict[Term, Term] = {}
        self._of_use: dict[Term, list[Term]] = {}
        for a in assertions:
            name = _defined(a)
            if name is not None and name not in self.definitions:
                self.definitions[name] = a
            else:
                for v in (t for t in postorder((a,)) if t.op is Op.VAR):
                    self._of_use.setdefault(v, []).append(a)

    def near(self, formulas: Iterable[Term], limit: int) -> list[Term]:
        """Some of the assertions: those of use for `formulas`, then those of use for these,
        until they have `limit` terms."""
        chosen: dict[Term, None] = {}
        seen: dict[Term, None] = {}
        waiting = deque(formulas)
        while waiting and len(seen) < limit:
            for t in islice(postorder((waiting.popleft(),), seen), limit):
                if t.op is Op.VAR:
                    definition = self.definitions.get(t)
                    found = [
                        *([] if definition is None else [definition]),
                        *self._of_use.get(t, ()),
                    ]
                    waiting.extend(a for a in found if a not in chosen)
                    chosen.update(dict.fromkeys(found))
        return list(chosen)

    def parts(self, formula: Term) -> list[Term]:
        """Formulas whose disjunction is equivalent to `formula` under the assertions.

        A variable that is defined as a disjunction stands for it, a disjunction for its members,
        and "r and not (c1 and ... cn)" for "r and not c1", ..., "r and not cn".
        """
        out: dict[Term, None] = {}
        opened: dict[Term, None] = {}
        stack = [formula]
        while stack:
            f = stack.pop()
            if f in opened:
                continue
            opened[f] = None
            body = self._meanings.get(f, f)
            if body.op is Op.OR:
                stack.extend(reversed(body.args))
            else:
                out.update(dict.fromkeys(cases(f)))
        return list(out)


def _defined(assertion: Term) -> Term | None:
    """The variable that an assertion defines."""
    return assertion.args[0] if assertion.op is Op.EQ and assertion.args[0].op is Op.VAR else None


def _meanings(assertions: Iterable[Term]) -> dict[Term, Term]:
    """The right sides of definitions, by variable,
    if neither they nor any assertion before speaks about the variable."""
    out: dict[Term, Term] = {}
    known: dict[Term, None] = {}
    for a in assertions:
        name = _defined(a)
        if name is not None:
            deque(postorder((a.args[1],), known), maxlen=0)
            if name not in known:
                out[name] = a.args[1]
        deque(postorder((a,), known), maxlen=0)
    return out


def cases(formula: Term) -> list[Term]:
    """ "r and not (c1 and ... cn)" case by case."""
    if formula.op is not Op.AND or len(formula.args) != 2 or formula.args[1].op is not Op.NOT:
        return [formula]
    reach, claim = formula.args[0], formula.args[1].args[0]
    s = formula.store
    return [s.and_(reach, s.not_(c)) for c in conjuncts(claim)] if claim.op is Op.AND else [formula]


def apart(
    assertions: Sequence[Term], claims: Sequence[Term]
) -> list[tuple[list[Term], list[Term]]]:
    """Claims with the assertions whose variables are connected with theirs,
    about `MANY` assertions at a time."""
    classes = Classes()
    for f in (*assertions, *claims):
        classes.variable(f)
    about = classes.grouped(assertions)
    out: list[tuple[list[Term], list[Term]]] = [([], [])]
    for root, own in classes.grouped(claims).items():
        if len(out[-1][0]) >= MANY:
            out.append(([], []))
        out[-1][0].extend(about.get(root, ()))
        out[-1][1].extend(own)
    return out


class Local:
    """Questions about parts with their cones, on small budgets to the first solver of the chain.

    `used` are the solvers that have answered, `queries` says how often one was asked.
    """

    def __init__(
        self, assertions: Sequence[Term], links: Sequence[Link], tick: Callable[[], None]
    ) -> None:
        self.cones = Cones(assertions)
        self.links = hasty(links, QUICK)
        self.tick = tick
        self.used: dict[str, Link] = {}
        self.queries = 0
        self._discharged = self._failed = 0

    def left(self, formulas: Sequence[Term]) -> list[Term]:
        """Of each formula the disjunction of those parts that could not be discharged;
        `false` if there is none."""
        parts = [self.cones.parts(f) for f in formulas]
        open_ = dict.fromkeys(p for of_one in parts for p in of_one)
        every = list(open_)
        if len(every) < FEW:
            return list(formulas)
        from concurrent.futures import ThreadPoolExecutor

        # A thread has fresh memory in the C library. In a process of some gigabytes a solver's nodes
        # lie scattered otherwise, and the same question takes twice as long.
        with ThreadPoolExecutor(max_workers=1) as pool:
            for i in range(0, len(every), GROUP):
                for p in pool.submit(self._discharge, every[i : i + GROUP]).result():
                    del open_[p]
        return [
            f.store.or_(*(p for p in of_one if p in open_))
            for f, of_one in zip(formulas, parts, strict=True)
        ]

    def _discharge(self, group: list[Term]) -> list[Term]:
        """Those of a few parts that are unsatisfiable with their cones."""
        if self._failed > FAILURES + self._discharged:
            return []
        if len(group) > 1 and self._none(group, NEAR * len(group)):
            found = group
        else:
            found = [p for p in group if self._none([p], NEAR) or self._none([p], FAR)]
        self._discharged += len(found)
        self._failed += len(group) - len(found)
        return found

    def _none(self, parts: list[Term], limit: int) -> bool:
        self.queries += 1
        with closing(Questions(self.links, self.cones.near(parts, limit), self.tick)) as questions:
            # (some assertions) and some of the parts (heuristic)
            #   unsat: none of them is satisfiable with all the assertions; sat or unknown: nothing
            #   is known
            reply = questions.ask([parts[0].store.or_(*parts)], "certify", HURRIED)
        if reply.result is not UNSAT or reply.link is None:
            return False
        self.used[reply.link.name] = reply.link
        return True
