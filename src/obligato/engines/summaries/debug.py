"""The contracts of `summaries`, executed.
Switched on in tests (`Environment.debug`); it asks its own z3 solvers.

`CheckedSummaries` is the search with a look at what each of its steps ensures. What is said about
all elements of a cube, where it is about an existential choice of other values, is checked for a
few of them; where a divisor may be zero (a rule that is not exact) a model is not evaluated. Rules
are taken as their resolvents say, before variables are replaced (`rules._solved`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from obligato.engines.kernel.debug import BUDGET, ContractChecker
from obligato.engines.summaries.engine import Obligation, Refuted, Summaries
from obligato.engines.summaries.facts import Fact, Knowledge, Lemma
from obligato.engines.summaries.queries import Cube, Model, RuleQueries
from obligato.engines.summaries.rules import Rule, RuleSet
from obligato.errors import InternalError
from obligato.smt import SAT
from obligato.terms import Term, evaluate, free_vars

ELEMENTS = 3  # of a cube that are looked at


class DebugChecker(ContractChecker):
    """Raises `InternalError` at the first broken contract."""

    def __init__(self, rules: RuleSet, known: Knowledge) -> None:
        super().__init__(rules.store)
        self.rules, self.known = rules, known
        self._says: dict[int, Term] = {}

    def _rule(self, rule: Rule) -> Term:
        """The rule as a formula: one of its resolvents holds."""
        if rule.number not in self._says:
            cases = (
                self.store.all_of(self.rules.facts(r, rule.parameters, rule.body))
                for r in rule.alternatives
            )
            self._says[rule.number] = self.store.any_of(cases)
        return self._says[rule.number]

    def _atom(self, rule: Rule, k: int, level: int, below: Collection[int]) -> list[Term]:
        """What an atom of the body is taken to be: one of its facts, or an element of F_level."""
        atom = rule.body[k]
        if k in below:
            return [
                self.store.any_of(
                    atom.here(f.formula) for f in self.known.facts.get(atom.relation, ())
                )
            ]
        if level < 0:
            return [self.store.false]
        return [atom.here(f) for f in self.known.frame(atom.relation, level)]

    def _step(
        self, rule: Rule, level: int, below: Collection[int] = (), open_: int = -1
    ) -> list[Term]:
        """The rule with all atoms of its body, except the one that is left open."""
        return [
            self._rule(rule),
            *(
                f
                for k in range(len(rule.body))
                if k != open_
                for f in self._atom(rule, k, level, below)
            ),
        ]

    # -- frames ------------------------------------------------------------------------------------

    def blocked(self, what: str, relation: str | None, cube: Cube, level: int) -> None:
        """No rule derives an element of the cube from F_(level-1)."""
        for rule in self.rules.into.get(relation, ()):
            self.never(f"{what} is derived from F_{level - 1}", *self._step(rule, level - 1), *cube)

    def lemma(self, lemma: Lemma) -> None:
        """A lemma of F_level excludes its cube, which no rule derives from F_(level-1),
        the lemma itself included."""
        self.never("a lemma does not exclude its cube", lemma.formula, *lemma.cube)
        self.blocked("the cube of a lemma", lemma.relation, lemma.cube, lemma.level)

    def excluded(self, o: Obligation) -> None:
        """`_block`: the frame of the obligation's level excludes its cube."""
        assert o.relation is not None
        self.never(
            "a blocked cube is not excluded", *self.known.frame(o.relation, o.level), *o.cube
        )

    def frames(self, frontier: int) -> None:
        """`_propagate`: all lemmas hold at their levels, none is beyond the frontier,
        and F_i implies F_(i+1)."""
        for relation, mine in self.known.lemmas.items():
            for lemma in mine:
                self.lemma(lemma)
            if any(lemma.level > frontier for lemma in mine):
                raise InternalError(f"a lemma of {relation} is beyond the frontier")
            for level in range(frontier):
                if not {*self.known.frame(relation, level + 1)} <= {
                    *self.known.frame(relation, level)
                }:
                    raise InternalError(f"F_{level} of {relation} does not imply F_{level + 1}")

    def model(self, level: int) -> None:
        """`_model`: F_level is closed under all rules, and false is not derived."""
        for rule in self.rules.rules:
            frame = (
                [self.store.false] if rule.head is None else [*self.known.frame(rule.head, level)]
            )
            self.implies(f"F_{level} is no model of a rule", self._step(rule, level), frame)

    # -- questions ---------------------------------------------------------------------------------

    def asked(
        self,
        rule: Rule,
        cube: Cube,
        level: int,
        below: Collection[int],
        without: Sequence[Term],
        model: Model | None,
        core: Sequence[Term],
    ) -> None:
        """`RuleQueries.ask`: the model is a step into the cube;
        or there is none into its core, which is part of it."""
        step = [*self._step(rule, level, below), *without]
        if (
            model
            and rule.exact
            and not all(evaluate(f, model) for f in (rule.constraint, *step[1:], *cube))
        ):
            raise InternalError("a model is no step of its rule")
        if model and rule.exact:
            outer = {
                v: model[v] for v in (*rule.parameters, *(x for a in rule.body for x in a.args))
            }
            self.possible(
                "a model is no step of a resolvent", self._rule(rule), *self.equations(outer)
            )
        if model is None and not {*core} <= {*cube}:
            raise InternalError("a core is not part of the cube")
        if model is None:
            self.never("a step was not found", *step, *core)

    # -- facts and obligations ---------------------------------------------------------------------

    def _elements(self, cube: Sequence[Term], variables: Sequence[Term]) -> Iterator[list[Term]]:
        """A few elements of the cube as equations; arrays are left open."""
        seen: list[Term] = []
        for _ in range(ELEMENTS):
            solver = self._solver([*cube, *seen])
            # the cube without the elements seen: sat - another one;
            # unsat or unknown - there may be no more
            answer = solver.check(budget=BUDGET)
            element = self.equations(solver.model_of(variables)) if answer is SAT else None
            solver.close()
            if element is None:
                return
            yield element
            seen.append(self.store.not_(self.store.all_of(element)))

    def _only(self, what: str, cube: Sequence[Term], variables: Sequence[Term]) -> None:
        if not {*free_vars(*cube)} <= {*variables}:
            raise InternalError(f"{what} is about other variables than its relation's parameters")

    def premises(self, rule: Rule, premises: Sequence[Fact]) -> list[Term]:
        """The rule with the premises of a fact, each of which is known."""
        for fact, atom in zip(premises, rule.body, strict=True):
            if fact not in self.known.facts.get(atom.relation, ()):
                raise InternalError("a premise is no known fact")
        return [
            self._rule(rule),
            *(a.here(f.formula) for a, f in zip(rule.body, premises, strict=True)),
        ]

    def fact(self, fact: Fact, model: Model) -> None:
        """`RuleQueries.fact`: it has the element that the model shows,
        and its elements are derived from its premises."""
        parameters = self.rules.parameters[fact.relation]
        step = self.premises(fact.rule, fact.premises)
        self._only("a fact", [fact.formula], parameters)
        if not evaluate(fact.formula, model):
            raise InternalError("a fact lacks the element that was derived")
        for element in self._elements([fact.formula], parameters):
            self.possible("an element of a fact is not derived", *step, *element)

    def refuted(self, found: Refuted) -> None:
        """`_derived`: false follows from the premises."""
        self.possible("false is not derived", *self.premises(found.rule, found.premises))

    def before(
        self,
        rule: Rule,
        target: int,
        asked: Cube,
        level: int,
        below: Collection[int],
        model: Model,
        cube: Cube,
    ) -> None:
        """`RuleQueries.before`: the cube has the atom's value in the model, and with each element
        of it the rule derives an element of the cube that was asked for."""
        atom = rule.body[target]
        self._only("an obligation", cube, self.rules.parameters[atom.relation])
        if not all(evaluate(atom.here(c), model) for c in cube):
            raise InternalError("an obligation lacks the element that was asked for")
        for element in self._elements(cube, self.rules.parameters[atom.relation]):
            self.possible(
                "an element of an obligation is of no use",
                *self._step(rule, level, below, open_=target),
                *asked,
                *map(atom.here, element),
            )


class CheckedQueries(RuleQueries):
    """Questions about one rule, whose answers are looked at."""

    checker: DebugChecker

    def ask(
        self,
        cube: Cube,
        level: int,
        below: Collection[int] = (),
        without: Term | None = None,
        budget: int | None = None,
    ) -> Model | None:
        model = super().ask(cube, level, below, without, budget)
        same = (
            []
            if without is None
            else [a.here(without) for a in self.rule.body if a.relation == self.rule.head]
        )
        self.checker.asked(self.rule, cube, level, below, same, model, self.core)
        return model

    def fact(self, model: Model) -> Fact:
        fact = super().fact(model)
        self.checker.fact(fact, model)
        return fact

    def before(
        self, target: int, cube: Cube, level: int, below: Collection[int], model: Model
    ) -> Cube:
        found = super().before(target, cube, level, below, model)
        self.checker.before(self.rule, target, cube, level, below, model, found)
        return found


class CheckedSummaries(Summaries):
    """One search, whose steps are looked at."""

    questions = CheckedQueries

    def decide(self) -> Refuted | dict[str, Term]:
        self.checker = DebugChecker(self.rules, self.known)
        for q in self.queries.values():
            assert isinstance(q, CheckedQueries)
            q.checker = self.checker
        found = super().decide()
        if isinstance(found, Refuted):
            self.checker.refuted(found)
        return found

    def _examine_all(self, o: Obligation) -> Refuted | Fact | Obligation | None:
        found = super()._examine_all(o)
        if found is None:
            self.checker.blocked("a cube that was found blocked", o.relation, o.cube, o.level)
        return found

    def _block(self, o: Obligation) -> None:
        super()._block(o)
        self.checker.excluded(o)

    def _learn(self, relation: str, cube: Cube, level: int) -> None:
        super()._learn(relation, cube, level)
        self.checker.lemma(self.known.lemmas[relation][-1])

    def _propagate(self) -> int | None:
        closed = super()._propagate()
        self.checker.frames(self.frontier)
        return closed

    def _model(self, level: int) -> dict[str, Term]:
        self.checker.model(level)
        return super()._model(level)
