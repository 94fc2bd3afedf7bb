"""The forms in which SMT-LIB may write Horn clauses: a random problem of `horn_texts` as text."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from tests.support.horn_texts import BOOL, Atom, Both, Generator, Problem, Rule

Part = Atom | Both


def problem(seed: int) -> Problem:
    """The problem of a seed."""
    return _Writer(seed).problem()


def _head(rule: Rule) -> str:
    return rule.head.smt if rule.head else "false"


def _not(c: Both) -> Both:
    """For the oracle only."""
    return Both("", f"(not {c.py})")


def _constrained(rule: Rule, *more: Both) -> Rule:
    return replace(rule, constraints=(*rule.constraints, *more))


class _Writer:
    def __init__(self, seed: int) -> None:
        self.g = Generator(seed)
        self.chance: random.Random = self.g.chance
        self.rules: list[Rule] = []
        self.queried: list[str] = []
        self.forms: list[str] = []

    def problem(self) -> Problem:
        """A few clauses, declarations before them."""
        r = self.chance
        as_rules = r.random() < 0.2
        many = r.randint(3, 7)
        texts = [self._rules_clause(n) if as_rules else self._clause(n) for n in range(many)]
        if as_rules:
            texts += [self._query() for _ in range(r.choice((1, 1, 2)))]
        lines = [*self._declarations(as_rules), *texts, *(() if as_rules else ("(check-sat)",))]
        lines += r.choice(((), ("(get-model)", "(exit)"), ("; the end",))) if not as_rules else ()
        return Problem("\n".join(lines) + "\n", self.rules, self.queried, self.forms)

    def _declarations(self, as_rules: bool) -> list[str]:
        r, out = self.chance, list[str]()
        if not as_rules or r.random() < 0.3:
            out += ["(set-logic HORN)", "(set-info :status unknown)"]
        if as_rules:
            out += [f"(declare-var {n} {s})" for n, s in self.global_names().items()]
        for name, sorts in self.g.relations.items():
            shape = " ".join(sorts)
            if as_rules:
                out.append(f"(declare-rel {name} ({shape}))")
            elif not sorts and r.random() < 0.5:
                out.append(f"(declare-const {name} Bool)")
            else:
                out.append(f"(declare-fun {name} ({shape}) Bool)")
        return out

    def global_names(self) -> dict[str, str]:
        """The variables of rules: each name has the letter of its sort, so all rules share them."""
        return {f"{n}{k}": s for k, s in enumerate(self.g.sorts) for n in ("x", "y", "z")}

    # -- assertions ----------------------------------------------------------------------------

    def _clause(self, number: int) -> str:
        r, g = self.chance, self.g
        scope = g.scope()
        body, given = g.bodies(scope, number == 0), g.guards(scope)
        given += g.constraints(scope, r.choice((0, 1, 1, 2)))
        head = None if number and r.random() < 0.3 else g.atom(scope, False)
        rule = Rule(scope, body, given, head)
        group = r.random()
        if group < 0.08:
            return self._asserted(scope, self._two_heads(rule))
        if group < 0.16:
            return self._asserted(scope, self._two_bodies(rule))
        if group < 0.22:
            return self._asserted(scope, self._chosen_head(rule))
        if group < 0.28:
            return self._asserted(scope, self._chosen_body(rule))
        if group < 0.32 and head is not None:
            return self._asserted(scope, self._equivalence(rule, head))
        self.rules.append(rule)
        if r.random() < 0.2:
            return self._with_inner_quantifier(rule)
        return self._asserted(scope, self._implication(rule))

    def _told(self, form: str) -> None:
        self.forms.append(form)

    def _and(self, parts: Sequence[Part]) -> str:
        texts = [p.smt for p in parts]
        self.chance.shuffle(texts)
        if len(texts) < 2:
            return texts[0] if texts else "true"
        if self.chance.random() < 0.2:
            return f"(and {texts[0]} (and {' '.join(texts[1:])}))"
        return f"(and {' '.join(texts)})"

    def _implication(self, rule: Rule) -> str:
        """A clause in one of its forms."""
        r, head, then = self.chance, rule.head, _head(rule)
        parts: list[Part] = [*rule.body, *rule.constraints]
        constraints = [p for p in parts if isinstance(p, Both)]
        forms = ["arrow", "arrow", "or", "not", "chain", "nested"]
        forms += ["negated"] if head is None else []
        forms += ["constraint head"] if head is None and constraints else []
        forms += ["no body"] if not parts else []
        form = r.choice(forms)
        self._told(form)
        texts = [p.smt for p in parts]
        if form == "or":
            return f"(or {' '.join([f'(not {t})' for t in texts] + [then])})"
        if form == "not":
            return f"(not (and {' '.join([*texts, f'(not {then})'])}))"
        if form == "chain" and texts:
            return f"(=> {' '.join([*texts, then])})"
        if form == "nested":
            out = then
            for t in texts:
                out = f"(=> {t} {out})"
            return out
        if form == "negated":
            return f"(not {self._and(parts)})"
        if form == "constraint head":
            last = r.choice(constraints)
            rest = [p for p in parts if p is not last]
            return f"(=> {self._and(rest)} (not {last.smt}))"
        return then if form == "no body" else f"(=> {self._and(parts)} {then})"

    def _two_heads(self, rule: Rule) -> str:
        other, extra = self.g.atom(rule.variables, False), self.g.value(BOOL, rule.variables, 2)
        self._told("two heads")
        heads: list[Part] = [other, extra, *([rule.head] if rule.head else [])]
        self.rules += [replace(rule, head=h) for h in (other, rule.head) if h]
        self.rules.append(replace(_constrained(rule, _not(extra)), head=None))
        return f"(=> {self._premises(rule)} {self._and(heads)})"

    def _two_bodies(self, rule: Rule) -> str:
        self._told("two bodies")
        scope, g = rule.variables, self.g
        guards = g.guards(scope)
        more, also = g.bodies(scope, False), (*guards, *g.constraints(scope, 1))
        other = Rule(scope, more, also, rule.head)
        self.rules += [rule, other]
        first, second = self._premises(rule), self._premises(other)
        return f"(=> (or {first} {second}) {_head(rule)})"

    def _chosen_head(self, rule: Rule) -> str:
        self._told("ite head")
        c, other = self.g.value(BOOL, rule.variables, 2), self.g.atom(rule.variables, False)
        self.rules += [_constrained(rule, c), replace(_constrained(rule, _not(c)), head=other)]
        return f"(=> {self._premises(rule)} (ite {c.smt} {_head(rule)} {other.smt}))"

    def _chosen_body(self, rule: Rule) -> str:
        self._told("ite body")
        g, scope = self.g, rule.variables
        c, a, b = g.value(BOOL, scope, 2), g.atom(scope, True), g.value(BOOL, scope, 2)
        rule = replace(rule, body=()) if g.linear else rule
        self.rules.append(_constrained(replace(rule, body=(*rule.body, a)), c))
        self.rules.append(_constrained(rule, _not(c), b))
        choice = Both(f"(ite {c.smt} {a.smt} {b.smt})", "")
        return f"(=> {self._premises(rule, choice)} {_head(rule)})"

    def _equivalence(self, rule: Rule, head: Atom) -> str:
        self._told("equivalence")
        c = self.g.value(BOOL, rule.variables, 2)
        rule = replace(rule, body=()) if self.g.linear else rule
        below = replace(rule, body=(*rule.body, head), head=None)
        self.rules.append(_constrained(below, _not(c)))
        self.rules.append(_constrained(rule, c))
        sides = [c.smt, head.smt]
        self.chance.shuffle(sides)
        return f"(=> {self._premises(rule)} (= {' '.join(sides)}))"

    def _premises(self, rule: Rule, *more: Both) -> str:
        return self._and([*rule.body, *rule.constraints, *more])

    def _with_inner_quantifier(self, rule: Rule) -> str:
        """Variables bound where they are used: an existential quantifier in the body, or a universal one in
        the head.
        """
        r = self.chance
        scope, head = rule.variables, rule.head
        everywhere = " ".join(t.smt for t in (head.args if head else ()))
        inner = {n: s for n, s in scope.items() if n not in everywhere} if head else scope
        outer = {n: s for n, s in scope.items() if n not in inner}
        parts = self._premises(rule)
        if not inner:
            return self._asserted(scope, self._implication(rule))
        bound = self._bound(inner)
        if head is None and r.random() < 0.5:
            self._told("not exists")
            return self._assert(f"(not (exists ({bound}) {parts}))")
        if r.random() < 0.5:
            self._told("exists")
            return self._asserted(outer, f"(=> (exists ({bound}) {parts}) {_head(rule)})")
        self._told("inner forall")
        text = self._implication(rule)
        return self._asserted(outer, f"(forall ({bound}) {text})")

    def _bound(self, scope: dict[str, str]) -> str:
        names = list(scope.items())
        self.chance.shuffle(names)
        return " ".join(f"({n} {s})" for n, s in names)

    def _asserted(self, scope: dict[str, str], text: str) -> str:
        """Under its quantifiers."""
        r = self.chance
        names = list(scope.items())
        if r.random() < 0.1:
            names.append(("unused", r.choice(self.g.sorts)))
        r.shuffle(names)
        if len(names) > 1 and r.random() < 0.2:
            self._told("two quantifiers")
            text = f"(forall ({self._bound(dict(names[1:]))}) {text})"
            names = names[:1]
        return self._assert(f"(forall ({self._bound(dict(names))}) {text})" if names else text)

    def _assert(self, text: str) -> str:
        self.g.named += 1
        if self.chance.random() < 0.1:
            text = f"(! {text} :named c{self.g.named})"
        return f"(assert {text})"

    # -- rules ---------------------------------------------------------------------------------

    def _rules_clause(self, number: int) -> str:
        g, r = self.g, self.chance
        scope = self._some_names()
        body, given = g.bodies(scope, number == 0), g.guards(scope)
        given += g.constraints(scope, r.choice((0, 1, 1, 2)))
        head = g.atom(scope, False)
        self.rules.append(Rule(scope, body, given, head))
        self._told("rule")
        if not body and not given and r.random() < 0.5:
            return f"(rule {head.smt})"
        name = f" r{number}" if r.random() < 0.3 else ""
        return f"(rule (=> {self._and([*body, *given])} {head.smt}){name})"

    def _some_names(self) -> dict[str, str]:
        names = self.global_names()
        chosen = self.chance.sample(list(names), self.chance.choice((0, 1, 2, 2, 3)))
        if sum(len(names[n]) > 20 for n in chosen) > 1:
            chosen = chosen[:1]
        return {n: names[n] for n in chosen}

    def _query(self) -> str:
        g, r = self.g, self.chance
        self._told("query")
        if r.random() < 0.5:
            self.queried.append(r.choice(list(g.relations)))
            return f"(query {self.queried[-1]})"
        scope = self._some_names()
        body, given = (g.atom(scope, True),), (*g.guards(scope), *g.constraints(scope, 1))
        self.rules.append(Rule(scope, body, given, None))
        return f"(query {self._and([*body, *given])})"
