"""The questions of the search, one solver for each rule.

In a question each atom of the body is taken *from above* (its frame) or *from below* (one of its
facts). `RuleQueries.ask` carries it; a model is then cut down to an obligation for one atom or to a
fact about the head by implicant and model-based projection [KGC14, Sect. 5], both
under-approximations of what the rule says.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from obligato.engines.environment import Environment
from obligato.engines.summaries.facts import Fact, Knowledge, Lemma
from obligato.engines.summaries.rules import Atom, Rule
from obligato.errors import InternalError
from obligato.smt import SAT, UNKNOWN
from obligato.smt.activation import ActivationSolver
from obligato.smt.factory import Make
from obligato.smt.implicant import implicant_of_all
from obligato.smt.projection import project
from obligato.terms import BOOL, Term, TermStore, Value, default_value, evaluate

Cube = tuple[Term, ...]
Model = Mapping[Term, Value]


class RuleQueries:
    """Questions about one rule."""

    def __init__(
        self, rule: Rule, store: TermStore, make: Make, known: Knowledge, env: Environment
    ) -> None:
        self.rule, self.store, self.known, self.env = rule, store, known, env
        self.solver = ActivationSolver(store, make)
        self.solver.add(rule.constraint)
        self._switches: list[dict[int, Term]] = [{} for _ in rule.body]  # by atom and level
        self._tags: list[dict[Term, Fact]] = [{} for _ in rule.body]
        self.core: list[Term] = []

    # -- what is known -----------------------------------------------------------------------------

    def _switch(self, k: int, level: int) -> Term:
        table = self._switches[k]
        if level not in table:
            table[level] = self.store.fresh(f"frame!{self.rule.number}!{k}!{level}", BOOL)
        return table[level]

    def learn(self, lemma: Lemma) -> None:
        """A new lemma, for every atom of its relation."""
        for k, atom in self._atoms(lemma.relation):
            self.solver.add(atom.here(lemma.formula), under=self._switch(k, lemma.level))

    def raised(self, lemma: Lemma, before: int) -> None:
        """The lemma has got a higher level."""
        for k, atom in self._atoms(lemma.relation):
            self.solver.forget(atom.here(lemma.formula), self._switch(k, before))
        self.learn(lemma)

    def derive(self, fact: Fact) -> None:
        """A new fact, for every atom of its relation."""
        for k, atom in self._atoms(fact.relation):
            tag = self.store.fresh(f"fact!{self.rule.number}!{k}!{len(self._tags[k])}", BOOL)
            self._tags[k][tag] = fact
            self.solver.add(self.store.implies(tag, atom.here(fact.formula)))

    def _atoms(self, relation: str) -> list[tuple[int, Atom]]:
        return [(k, a) for k, a in enumerate(self.rule.body) if a.relation == relation]

    # -- questions ---------------------------------------------------------------------------------

    def ask(
        self,
        cube: Cube,
        level: int,
        below: Collection[int] = (),
        without: Term | None = None,
        budget: int | None = None,
    ) -> Model | None:
        """Does the rule derive an element of `cube`, the atoms `below` from facts,
        the others from F_level?

        `without`: a formula over the head's parameters that atoms of the same relation satisfy
        besides. Ensures: None: it does not, and `core` is a part of the cube for which that is so;
        else the values of the rule's variables.
        With a `budget` the answer may be {}: it was not found out.
        """
        if self.rule.body and level < 0:
            self.core = []
            return None
        self.env.tick()
        # constraint and frames or facts of the body and cube: sat - a step that derives an element
        # of the cube; unsat - there is none   (required, but for those with a budget)
        answer = self.solver.check(
            [*self._assumed(level, below), *cube],
            temporary=self._besides(without),
            budget=budget,
            kind="below" if below else "above",
        )
        if answer is UNKNOWN and budget is not None:
            return {}
        if answer is UNKNOWN:
            raise self.env.undecided("whether a rule derives something")
        if answer is SAT:
            return self._model()
        used = dict.fromkeys(self.solver.core())
        self.core = [c for c in cube if c in used]
        return None

    def _besides(self, without: Term | None) -> list[Term]:
        """`without` about each atom of the head's relation."""
        head = self.rule.head
        if without is None or head is None:
            return []
        return [atom.here(without) for _, atom in self._atoms(head)]

    def _model(self) -> Model:
        """The values of the rule's variables in the solver's model."""
        values = self.solver.model_of(self.rule.variables)
        return {v: values.get(v, default_value(v.sort)) for v in self.rule.variables}

    def _assumed(self, level: int, below: Collection[int]) -> list[Term]:
        """What switches on the facts of the atoms `below`, and F_level of the others."""
        assumed: list[Term] = []
        for k in range(len(self.rule.body)):
            if k in below:
                assumed.append(self.store.any_of(self._tags[k]))
            else:
                assumed += [switch for at, switch in self._switches[k].items() if at >= level]
        return assumed

    def support(self, k: int, model: Model) -> Fact:
        """A fact that the atom's arguments satisfy."""
        for fact in self._tags[k].values():
            if evaluate(self.rule.body[k].here(fact.formula), model):
                return fact
        raise InternalError("no fact holds for the arguments of an atom that was taken from below")

    # -- projections -------------------------------------------------------------------------------

    def fact(self, model: Model) -> Fact:
        """What the rule derives from facts of all its atoms, as far as the model shows.
        Requires: ask(.., below=all)."""
        assert self.rule.head is not None
        premises = tuple(self.support(k, model) for k in range(len(self.rule.body)))
        parts = [self.rule.constraint]
        parts += [a.here(f.formula) for a, f in zip(self.rule.body, premises, strict=True)]
        cube = self._projected(parts, self.rule.parameters, model)
        return Fact(self.rule.head, self.store.all_of(cube), self.rule, premises)

    def before(
        self, target: int, cube: Cube, level: int, below: Collection[int], model: Model
    ) -> Cube:
        """What the atom `target` must derive, so that the rule derives an element of the cube."""
        parts = [self.rule.constraint, *cube]
        for k, atom in enumerate(self.rule.body):
            if k in below:
                parts.append(atom.here(self.support(k, model).formula))
            elif k != target:
                parts += map(atom.here, self.known.frame(atom.relation, level))
        atom = self.rule.body[target]
        return tuple(atom.back(c) for c in self._projected(parts, atom.args, model))

    def _projected(self, parts: Sequence[Term], kept: Sequence[Term], model: Model) -> Cube:
        literals = implicant_of_all([p for p in parts if p is not self.store.true], model)
        keep = dict.fromkeys(kept)
        result = project(
            literals, [v for v in self.rule.variables if v not in keep], model, plain=True
        )
        self.env.count("projections")
        return tuple(dict.fromkeys(result.literals))
