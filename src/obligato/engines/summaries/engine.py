"""Summaries: IC3 for Horn clauses whose bodies may have several relations,
and so for procedures that call each other.

Idea [HB12; KGC14]: for each relation, frames of lemmas (over-approximations of what has a
derivation of a bounded height) and facts (under-approximations of what has any). An obligation (R,
cube, level) asks whether R has an element of the cube with a derivation of at most that height.
`_examine` carries it, rule by rule: if frames of the body admit no such step, the cube is blocked
and generalised to a lemma; if facts of the body admit one, the head has a new fact; else one atom
of the body, all others being settled, needs an element that its frame admits and no fact has, and
that is a new obligation one level below. A derivation of false refutes; two frames that are equal
are a model of the clauses.

Limitation: ends on derivations of false (in linear arithmetic); on models only if lemmas converge.
"""

from __future__ import annotations

from dataclasses import dataclass

from obligato.engines.environment import Environment
from obligato.engines.kernel.queue import ObligationQueue
from obligato.engines.summaries.facts import Fact, Knowledge, Lemma
from obligato.engines.summaries.generalize import Generalizer, clause_of
from obligato.engines.summaries.options import Options
from obligato.engines.summaries.queries import Cube, Model, RuleQueries
from obligato.engines.summaries.rules import Rule, RuleSet
from obligato.errors import ResourceOut
from obligato.smt import SAT, UNKNOWN
from obligato.smt.factory import Make
from obligato.terms import Term


@dataclass(slots=True, eq=False)
class Obligation:
    """Block `cube` of the relation (None: false) at all levels up to `level`."""

    relation: str | None
    cube: Cube
    level: int
    depth: int
    seen: int = 0  # facts of the relation that are known to miss the cube


@dataclass(frozen=True, slots=True)
class Refuted:
    """false is derived by the rule from these facts."""

    rule: Rule
    premises: tuple[Fact, ...]


class Summaries:
    """The search for summaries of one set of clauses."""

    questions: type[RuleQueries] = RuleQueries

    def __init__(
        self,
        rules: RuleSet,
        options: Options,
        env: Environment,
        make: Make,
        budget: int | None = None,
    ) -> None:
        self.budget = budget
        self.rules, self.store, self.options = rules, rules.store, options
        self.env, self.make = env, make
        self.known = Knowledge()
        self.queries = {
            r.number: self.questions(r, self.store, make, self.known, env) for r in rules.rules
        }
        self.generalizer = Generalizer(self.store, options)
        self.queue: ObligationQueue[Obligation] = ObligationQueue(options.order, env.random)
        self.frontier = 0

    # -- main loop ---------------------------------------------------------------------------------

    def decide(self) -> Refuted | dict[str, Term]:
        """A derivation of false, or a formula for each relation that is left."""
        for level in range(self.options.bound):
            self.frontier = level
            self.env.counters["frames"] = self.frontier + 1
            refuted = self._block_root()
            if refuted is not None:
                return refuted
            closed = self._propagate()
            if closed is not None:
                return self._model(closed)
        raise ResourceOut(f"incomplete: no answer up to level {self.options.bound}")

    def _block_root(self) -> Refuted | None:
        """Ensures: None: false has no derivation of height at most `frontier`."""
        self.queue.clear()
        self.queue.push(Obligation(None, (), self.frontier, 0))
        while len(self.queue):
            obligation = self.queue.pop()
            if self._has_fact(obligation):
                continue
            self.env.count("obligations")
            found = self._examine_all(obligation)
            if isinstance(found, Refuted):
                return found
            if isinstance(found, Obligation):
                self.queue.push(obligation)
                self.queue.push(found)
            elif found is None and obligation.relation is not None:
                self._block(obligation)
        return None

    # -- obligations -------------------------------------------------------------------------------

    def _has_fact(self, o: Obligation) -> bool:
        """Is an element of the cube derived already?"""
        facts = self.known.facts.get(o.relation, []) if o.relation is not None else []
        if len(facts) == o.seen:
            return False
        solver = self.make()
        solver.add(self.store.all_of(o.cube))
        self.env.tick()
        # cube and some fact: sat - an element of the cube is derived;
        # unsat - none is by these facts   (required)
        answer = solver.check([self.store.any_of(f.formula for f in facts[o.seen :])], kind="fact")
        solver.close()
        if answer is UNKNOWN:
            raise self.env.undecided("whether a fact meets an obligation")
        o.seen = len(facts)
        return answer is SAT

    def _examine_all(self, o: Obligation) -> Refuted | Fact | Obligation | None:
        """None: no rule derives an element of the cube from the frames of the level before."""
        for rule in self.rules.into.get(o.relation, ()):
            found = self._examine(rule, o)
            if found is not None:
                return found
        return None

    def _examine(self, rule: Rule, o: Obligation) -> Refuted | Fact | Obligation | None:
        """What the rule says about the obligation: None if it derives no element of the cube from
        the frames; else a derived fact (false: a refutation), or an obligation for one atom.
        """
        queries, level = self.queries[rule.number], o.level - 1
        # constraint and F_level of the body and cube: sat - perhaps a step; unsat - the rule
        # derives no element of the cube   (required)
        model = queries.ask(o.cube, level)
        if model is None:
            return None
        below: dict[int, None] = {}
        for k in reversed(range(len(rule.body))):
            if self.known.facts.get(rule.body[k].relation):
                # the same with the facts of atom k: sat - it is settled; unsat - facts do not
                # suffice, its frame is needed   (required)
                found = queries.ask(o.cube, level, {**below, k: None})
                if found is not None:
                    model, below = found, {**below, k: None}
        if len(below) == len(rule.body):
            return self._derived(rule, queries, model)
        target = next(k for k in range(len(rule.body)) if k not in below)
        cube = queries.before(target, o.cube, level, below, model)
        return Obligation(rule.body[target].relation, cube, level, o.depth + 1)

    def _derived(self, rule: Rule, queries: RuleQueries, model: Model) -> Refuted | Fact:
        if not rule.exact:
            raise ResourceOut(
                "incomplete: a derivation needs a value that the logic leaves open (division by"
                " zero)"
            )
        if rule.head is None:
            return Refuted(rule, tuple(queries.support(k, model) for k in range(len(rule.body))))
        fact = queries.fact(model)
        self.known.facts.setdefault(rule.head, []).append(fact)
        self.env.count("facts")
        for q in self.queries.values():
            q.derive(fact)
        return fact

    # -- lemmas ------------------------------------------------------------------------------------

    def _blocked(self, relation: str, cube: Cube, level: int) -> Cube | None:
        """Does no rule derive an element of the cube at `level`?
        Then a part of the cube for which that is so.

        None: one does, or that was not found out within the budget:
        a lemma may always be weaker or of a lower level.
        """
        without = clause_of(self.store, cube)
        core: dict[Term, None] = {}
        for rule in self.rules.into.get(relation, ()):
            queries = self.queries[rule.number]
            # constraint and F_(level-1) and [not cube] of the body and cube: unsat - blocked along
            # this rule, with a core; sat, unknown - not known to be   (heuristic)
            if queries.ask(cube, level - 1, without=without, budget=self.budget) is not None:
                return None
            core.update(dict.fromkeys(queries.core))
        part = tuple(c for c in cube if c in core)
        if len(part) < len(cube) and self._blocked(relation, part, level) is None:
            return cube  # the smaller cube is no longer inductive
        return part

    def _block(self, o: Obligation) -> None:
        """Requires: the cube is blocked at its level."""
        assert o.relation is not None
        relation = o.relation
        start = self._blocked(relation, o.cube, o.level)
        cube = self.generalizer.generalize(
            o.cube if start is None else start, lambda c: self._blocked(relation, c, o.level)
        )
        level = o.level
        while level < self.frontier and self._blocked(relation, cube, level + 1) is not None:
            level += 1
        self._learn(relation, cube, level)
        if level < self.frontier:
            self.queue.push(Obligation(relation, o.cube, level + 1, o.depth))

    def _learn(self, relation: str, cube: Cube, level: int) -> None:
        formula = clause_of(self.store, cube)
        mine = self.known.lemmas.setdefault(relation, [])
        if any(lemma.formula is formula and lemma.level >= level for lemma in mine):
            return
        lemma = Lemma(relation, cube, formula, level)
        mine.append(lemma)
        self.env.count("lemmas")
        self.env.event("lemma", relation=relation, level=level, formula=str(formula))
        for q in self.queries.values():
            q.learn(lemma)

    def _propagate(self) -> int | None:
        """Raise lemmas as far as they hold;
        the level whose frames equal the next, if there is one."""
        for level in range(self.frontier):
            for lemma in self.known.at(level):
                if self._blocked(lemma.relation, lemma.cube, level + 1) is not None:
                    lemma.level = level + 1
                    for q in self.queries.values():
                        q.raised(lemma, level)
            if not self.known.at(level):
                return level
        return None

    def _model(self, level: int) -> dict[str, Term]:
        return {
            name: self.store.all_of(self.known.frame(name, level)) for name in self.rules.parameters
        }

    def close(self) -> None:
        """Free the solvers."""
        for q in self.queries.values():
            q.solver.close()
