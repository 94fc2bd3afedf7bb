"""VMT-LIB: an SMT-LIB script whose annotations name the parts of a transition system.

    (! x :next y)      x is a state variable, y stands for its value in the next state
    (! f :init true)   initial states           (! f :trans true)        transition relation
    (! f :invar-property n)   a property        (! f :predicate true)    a suggested predicate
    (! f :live-property n)    F G f             (! f :ltl-property n)    as `temporal.py` reads it

One term may carry several attributes.  `parse` carries the idea; the terms are those of a raw
store, as written.

Variables without :next, decided: they are inputs, chosen anew at each step; a transition reads
those of its source state, a property those of the state it is about.  One that occurs in :init or
in a :predicate becomes a state variable whose next value is free: the same runs, and a formula
about the next state has a copy of its own of it, never the one of this state.

Refused: more or less than one :init or :trans, two next variables, formulas about the wrong
variables, an assertion other than `true`, unknown attributes (they might restrict the runs),
temporal functions outside :ltl-property.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from obligato.errors import InputError, Span, Unsupported
from obligato.frontends.quotients import check_quotients
from obligato.frontends.reading import read_text
from obligato.frontends.vmt.temporal import Temporal
from obligato.models.properties import Assertion, Justice, LiveProperty, LtlProperty, formulas_of
from obligato.models.transition_system import TransitionSystem, next_var
from obligato.terms import BOOL, Substitution, Term, TermStore, free_vars
from obligato.terms.smtlib import Annotation, Atom, Script, read_script, show, symbol_name

_IGNORED = (":named", ":pattern", ":weight")
_OTHER_PROPERTIES = (":live-property", ":ltl-property")


def load(path: str | Path) -> TransitionSystem:
    """The system in a file."""
    return parse(read_text(path, "strict"), str(path))


def parse(text: str, file: str = "<text>") -> TransitionSystem:
    """The system in a string; `file` is the name for messages."""
    store = TermStore.raw()
    temporal = Temporal(store)
    return _Reader(
        read_script(text, file, store, temporal.declared, temporal.scope(text)), temporal
    ).system()


class _Reader:
    def __init__(self, script: Script, temporal: Temporal) -> None:
        self.script, self.store, self.temporal = script, script.reader.store, temporal
        self.declared = {d.term: None for d in script.declarations.values() if d.term is not None}
        self.next: dict[Term, Term] = {}
        self.formulas: dict[str, list[Annotation]] = {}
        for a in script.annotations:
            self._sort_in(a)

    # -- annotations -------------------------------------------------------------------------------

    def _sort_in(self, a: Annotation) -> None:
        if a.key == ":next":
            self._pair(a)
        elif a.key in (":init", ":trans", ":invar-property", ":predicate", *_OTHER_PROPERTIES):
            if a.term.sort is not BOOL:
                raise InputError(
                    f"{a.key} is about formulas, not terms of sort {a.term.sort}", a.span
                )
            self.formulas.setdefault(a.key, []).append(a)
        elif a.key not in _IGNORED:
            raise Unsupported(f"the attribute {a.key} is not known", a.span, construct=a.key)

    def _pair(self, a: Annotation) -> None:
        if a.term not in self.declared:
            raise InputError(":next is for declared variables", a.span)
        following = self._next_state(a)
        if following.sort is not a.term.sort:
            raise InputError(
                f"{a.term.name} and its next state {following.name} have different sorts", a.span
            )
        if self.next.setdefault(a.term, following) is not following:
            raise InputError(f"{a.term.name} has two next states", a.span)

    def _next_state(self, a: Annotation) -> Term:
        """The variable that :next names; one that is not declared (older files, where it is not
        used) is free.
        """
        if not isinstance(a.value, Atom) or a.value[0] in '0123456789#:"':
            raise InputError(
                f":next needs a variable, not {'nothing' if a.value is None else show(a.value)}",
                a.span,
            )
        name = symbol_name(a.value)
        found = self.script.declarations.get(name)
        if (
            found is None
            and self.store.lookup(name) is None
            and name not in self.script.definitions
        ):
            return self.store.var(name, a.term.sort)
        if found is None or found.term is None:
            raise InputError(f":next needs a declared variable, not {name}", a.span)
        return found.term

    def _check_pairs(self) -> None:
        owner: dict[Term, Term] = {}
        for x, y in self.next.items():
            if y in self.next:
                raise InputError(
                    f"{y.name} is a state variable and a next state", self._declared_at(x)
                )
            if owner.setdefault(y, x) is not x:
                raise InputError(
                    f"{y.name} is the next state of {owner[y].name} and of {x.name}",
                    self._declared_at(x),
                )

    def _declared_at(self, x: Term) -> Span:
        """Where a state variable is declared."""
        return self.script.declarations[x.name].span

    # -- the system --------------------------------------------------------------------------------

    def system(self) -> TransitionSystem:
        """Ensures: the runs of the system are those of the file."""
        self._check_assertions()
        self._check_pairs()
        init, trans = self._only(":init"), self._only(":trans")
        properties = self._properties(":invar-property")
        live = [
            (a, self._live(a))
            for key in (":live-property", ":ltl-property")
            for a in self._properties(key)
        ]
        self._check_names(properties, live)
        predicates = self.formulas.get(":predicate", [])
        nexts = dict.fromkeys(self.next.values())
        for a in (init, *properties, *predicates):
            self._about_now(a, nexts)
        self._about(trans, self.declared)
        latched = free_vars(init.term, *(a.term for a in predicates))
        state = tuple(x for x in self.declared if x in self.next or x in latched)
        for a, p in live:
            for t in formulas_of(p):
                self._about_now(replace(a, term=t), nexts)
        used = free_vars(
            trans.term, *(a.term for a in properties), *(t for _, p in live for t in formulas_of(p))
        )
        known = nexts | dict.fromkeys(state)
        inputs = tuple(x for x in self.declared if x in used and x not in known)
        return TransitionSystem(
            self.store,
            state,
            inputs,
            init.term,
            self._renamed(state, inputs)(trans.term),
            (*(Assertion(_name(a), a.term, a.span) for a in properties), *(p for _, p in live)),
            predicates=tuple(dict.fromkeys(a.term for a in predicates)),
        )

    def _live(self, a: Annotation) -> LiveProperty:
        """A live-property f is violated by runs on which f is false again and again."""
        if a.key == ":live-property":
            return Justice(f"live{_name(a)}", (self.store.not_(a.term),), a.span)
        return LtlProperty(f"ltl{_name(a)}", self.temporal.formula(a.term), a.span)

    def _check_assertions(self) -> None:
        for a in self.script.assertions:
            if a.term is not self.store.true:
                raise Unsupported(
                    "an assertion other than true has no meaning in VMT", a.span, construct="assert"
                )

    def _only(self, key: str) -> Annotation:
        found = self.formulas.get(key, [])
        if len(found) != 1:
            span = found[1].span if found else Span(self.script.source.filename, 1, 1)
            raise InputError(f"there must be one {key}, not {len(found)}", span)
        return found[0]

    def _properties(self, key: str) -> list[Annotation]:
        found = self.formulas.get(key, [])
        names: dict[str, None] = {}
        for a in found:
            if _name(a) in names:
                raise InputError(f"there are two properties {_name(a)}", a.span)
            names[_name(a)] = None
        return sorted(
            found, key=lambda a: (len(_name(a)), _name(a)) if _name(a).isdigit() else (0, "")
        )

    def _check_names(
        self, properties: Sequence[Annotation], live: Sequence[tuple[Annotation, LiveProperty]]
    ) -> None:
        """Properties of runs are named live0, ltl0, ...: properties of states are not."""
        names = {_name(a) for a in properties}
        for a, p in live:
            if p.name in names:
                raise InputError(f"there are two properties {p.name}", a.span)

    def _about_now(self, a: Annotation, nexts: dict[Term, None]) -> None:
        self._about(a, self.declared)
        wrong = [x.name for x in free_vars(a.term) if x in nexts]
        if wrong:
            raise InputError(f"{a.key} is about the next state: {', '.join(wrong[:3])}", a.span)

    def _about(self, a: Annotation, allowed: dict[Term, None]) -> None:
        check_quotients((a.term,), a.span)
        wrong = [x.name for x in free_vars(a.term) if x not in allowed]
        if wrong:
            raise InputError(f"{a.key} is about bound names: {', '.join(wrong[:3])}", a.span)

    def _renamed(self, state: tuple[Term, ...], inputs: tuple[Term, ...]) -> Substitution:
        """Next states get the names that a transition system has for them."""
        primed = {
            x: next_var(x) if self.store.lookup(f"{x.name}'") is None else self._taken(x)
            for x in state
        }
        clash = dict.fromkeys((*state, *inputs))
        for x, y in primed.items():
            if y in clash:
                raise Unsupported(
                    f"the name {y.name} is needed for the next state of {x.name}",
                    self._declared_at(x),
                    "name",
                )
        return Substitution({self.next[x]: y for x, y in primed.items() if x in self.next})

    def _taken(self, x: Term) -> Term:
        """The variable named as the next state of `x` would be; of the same sort, or refused."""
        y = self.store.lookup(f"{x.name}'")
        assert y is not None
        if y.sort is not x.sort:
            raise Unsupported(
                f"the name {y.name} is needed for the next state of {x.name}",
                self._declared_at(x),
                "name",
            )
        return y


def _name(a: Annotation) -> str:
    return symbol_name(a.value) if isinstance(a.value, Atom) else "0"
