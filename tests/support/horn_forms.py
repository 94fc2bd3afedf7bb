"""The forms in which SMT-LIB may write Horn clauses: a random problem of `horn_texts` as text."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.support.horn_texts import BOOL, Atom, Both, Generator, Problem, Rule

Part = Atom | Both


def problem(seed: int) -> Problem:
    """The problem of a seed."""
    return _Writer(seed).problem()


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
        group = r.random()
        if group < 0.08:
            return self._asserted(scope, self._two_heads(scope, body, given, head))
        if group < 0.16:
            return self._asserted(scope, self._two_bodies(scope, body, given, head))
        if group < 0.22:
            return self._asserted(scope, self._chosen_head(scope, body, given, head))
        if group < 0.28:
            return self._asserted(scope, self._chosen_body(scope, body, given, head))
        if group < 0.32 and head is not None:
            return self._asserted(scope, self._equivalence(scope, body, given, head))
        self._add(scope, body, given, head)
        if r.random() < 0.2:
            return self._with_inner_quantifier(scope, body, given, head)
        return self._asserted(scope, self._implication([*body, *given], head))

    def _add(
        self, scope: dict[str, str], body: Sequence[Atom], given: Sequence[Both], head: Atom | None
    ) -> None:
        self.rules.append(Rule(scope, tuple(body), tuple(given), head))

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

    def _implication(self, parts: Sequence[Part], head: Atom | None) -> str:
        """A clause in one of its forms."""
        r = self.chance
        then = "false" if head is None else head.smt
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

    def _two_heads(
        self,
        scope: dict[str, str],
        body: tuple[Atom, ...],
        given: tuple[Both, ...],
        head: Atom | None,
    ) -> str:
        other, extra = self.g.atom(scope, False), self.g.value(BOOL, scope, 2)
        self._told("two heads")
        heads: list[Part] = [other, extra, *([head] if head else [])]
        self._add(scope, body, given, other)
        if head:
            self._add(scope, body, given, head)
        self._add(scope, body, (*given, Both("", f"(not {extra.py})")), None)
        return f"(=> {self._and([*body, *given])} {self._and(heads)})"

    def _two_bodies(
        self,
        scope: dict[str, str],
        body: tuple[Atom, ...],
        given: tuple[Both, ...],
        head: Atom | None,
    ) -> str:
        self._told("two bodies")
        guards, g = self.g.guards(scope), self.g
        more, also = g.bodies(scope, False), g.constraints(scope, 1)
        self._add(scope, body, given, head)
        self._add(scope, more, (*guards, *also), head)
        first, second = self._and([*body, *given]), self._and([*more, *guards, *also])
        return f"(=> (or {first} {second}) {head.smt if head else 'false'})"

    def _chosen_head(
        self,
        scope: dict[str, str],
        body: tuple[Atom, ...],
        given: tuple[Both, ...],
        head: Atom | None,
    ) -> str:
        self._told("ite head")
        c, other = self.g.value(BOOL, scope, 2), self.g.atom(scope, False)
        self._add(scope, body, (*given, c), head)
        self._add(scope, body, (*given, Both("", f"(not {c.py})")), other)
        then = head.smt if head else "false"
        return f"(=> {self._and([*body, *given])} (ite {c.smt} {then} {other.smt}))"

    def _chosen_body(
        self,
        scope: dict[str, str],
        body: tuple[Atom, ...],
        given: tuple[Both, ...],
        head: Atom | None,
    ) -> str:
        self._told("ite body")
        g = self.g
        c, a, b = g.value(BOOL, scope, 2), g.atom(scope, True), g.value(BOOL, scope, 2)
        if g.linear:
            body = ()
        self._add(scope, (*body, a), (*given, c), head)
        self._add(scope, body, (*given, Both("", f"(not {c.py})"), b), head)
        choice = f"(ite {c.smt} {a.smt} {b.smt})"
        return (
            f"(=> {self._and([*body, *given, Both(choice, '')])} {head.smt if head else 'false'})"
        )

    def _equivalence(
        self, scope: dict[str, str], body: tuple[Atom, ...], given: tuple[Both, ...], head: Atom
    ) -> str:
        self._told("equivalence")
        c = self.g.value(BOOL, scope, 2)
        body = () if self.g.linear else body
        self._add(scope, (*body, head), (*given, Both("", f"(not {c.py})")), None)
        self._add(scope, body, (*given, c), head)
        sides = [c.smt, head.smt]
        self.chance.shuffle(sides)
        return f"(=> {self._and([*body, *given])} (= {' '.join(sides)}))"

    def _with_inner_quantifier(
        self,
        scope: dict[str, str],
        body: tuple[Atom, ...],
        given: tuple[Both, ...],
        head: Atom | None,
    ) -> str:
        """Variables bound where they are used: an existential quantifier in the body, or a universal one in
        the head.
        """
        r = self.chance
        everywhere = " ".join(t.smt for t in (head.args if head else ()))
        inner = {n: s for n, s in scope.items() if n not in everywhere} if head else scope
        outer = {n: s for n, s in scope.items() if n not in inner}
        parts = self._and([*body, *given])
        if not inner:
            return self._asserted(scope, self._implication([*body, *given], head))
        bound = self._bound(inner)
        if head is None and r.random() < 0.5:
            self._told("not exists")
            return self._assert(f"(not (exists ({bound}) {parts}))")
        if r.random() < 0.5:
            self._told("exists")
            then = head.smt if head else "false"
            return self._asserted(outer, f"(=> (exists ({bound}) {parts}) {then})")
        self._told("inner forall")
        text = self._implication([*body, *given], head)
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
        self._add(scope, body, given, head)
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
        self._add(scope, body, given, None)
        return f"(query {self._and([*body, *given])})"
