"""The transition system of a file. `load` reads it, `read` a text.

State variables are those of VAR and FROZENVAR (unless an assignment gives them a value in every
state), inputs those of IVAR and what chooses where the model leaves a choice: `choice of x` among
the values of a set, `next x` where nothing is said about the next value, `_process_selector_`.
INVAR and the ranges of variables are constraints.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from obligato.frontends.reading import nested, read_text
from obligato.frontends.smv.dynamics import Dynamics
from obligato.frontends.smv.instances import Elements, Instance, Symbol, Tree
from obligato.frontends.smv.obligations import MAX_SHOWN, discharge, stuck
from obligato.frontends.smv.parser import parse, parse_formula
from obligato.frontends.smv.replay import decoded, written
from obligato.frontends.smv.specs import Specs
from obligato.frontends.smv.syntax import Spec
from obligato.frontends.smv.translate import Translator
from obligato.frontends.smv.types import Map, Numbers, Real, Type
from obligato.models.ltl import Formula
from obligato.models.properties import Assertion, CtlProperty, LtlProperty, Property
from obligato.models.transition_system import TransitionSystem, functional
from obligato.terms import Term, TermStore, Value, free_vars

NOTHING_CLAIMED = "nothing is specified"
_NAMES = {"INVARSPEC": "invar", "LTLSPEC": "ltl", "CTLSPEC": "ctl"}


@dataclass(frozen=True, slots=True)
class SmvModel:
    """A file's instances, their meaning, and the system."""

    tree: Tree
    translator: Translator
    system: TransitionSystem


def load(file: str | Path) -> TransitionSystem:
    """The transition system in a file, in a store that does not simplify."""
    return read(read_text(file), str(file)).system


def read(text: str, file: str = "<text>") -> SmvModel:
    """The model that a text describes."""
    return nested(lambda: _Reader(Tree(parse(text, file))).model(), file)


class _Reader:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.store = TermStore.raw()
        wide = tree.model.reals or any(_unbounded(v.type) for v in tree.variables)
        self.translator = Translator(tree, self.store, wide)
        self.dynamics = Dynamics(tree, self.translator)
        self.specs = Specs(self.dynamics)
        self.display: dict[str, str] = {}

    def model(self) -> SmvModel:
        """Translate the whole model."""
        d, s = self.dynamics, self.store
        d.read()
        d.judge_definitions()
        properties = self._properties()
        next_, filters = d.functions()
        self._discharge()
        self.specs.closed = True
        system = TransitionSystem(
            s,
            tuple(d.state),
            tuple(d.inputs),
            s.and_(*d.init),
            functional(s, next_, *filters),
            tuple(properties),
            tuple(c for c in d.constraints if c is not s.true),
            next_,
            display=self.display,
            fairness=tuple(d.fairness),
            compassion=tuple(d.compassion),
            formulas=self._formula,
        )
        return SmvModel(
            self.tree, self.translator, replace(system, notes=tuple(self._notes(system, filters)))
        )

    def _discharge(self) -> None:
        discharge(self.translator.obligations, self.dynamics.domains, self._shown)
        self.translator.obligations.clear()

    def _formula(self, logic: str, text: str, file: str) -> Formula:
        """A formula of LTL or CTL about the model, in the language of its specifications."""

        def read() -> Formula:
            e = parse_formula(text, file, logic)
            found = (
                self.specs.ltl(e, self.tree.main)
                if logic == "LTL"
                else self.specs.ctl(e, self.tree.main)
            )
            self._discharge()
            return found

        return nested(read, file)

    def _notes(self, system: TransitionSystem, filters: list[Term]) -> Iterator[str]:
        if not system.properties:
            yield NOTHING_CLAIMED
        if system.compassion and system.branching:
            yield "COMPASSION counts for LTL only, not for CTL"
        limited = filters or any(
            v in dict.fromkeys(system.state) for v in free_vars(*system.constraints)
        )
        found = stuck(system) if limited and not self.translator.ops.wide else None
        if found is False and any(not isinstance(p, Assertion) for p in system.properties):
            yield "it is not known whether every state has a successor"
        elif isinstance(found, Mapping):
            yield (
                "the transition relation is not total; a state without a successor:"
                f" {self._state(found)}"
            )

    def _shown(self, name: str, value: Value) -> str:
        """A value of a variable, or of its next one, as it is written."""
        types = {v.name: v.type for v in self.tree.variables}
        base = name.removesuffix("'")
        return written(decoded(types[base], value)) if base in types else str(value)

    def _state(self, values: Mapping[Term, Value]) -> str:
        by_term = {self.translator.now[v]: v for v in self.tree.variables}
        texts = [
            f"{x.name} = {written(decoded(by_term[x].type, v))}"
            for x, v in values.items()
            if x in by_term
        ]
        return ", ".join(texts[:MAX_SHOWN]) + (", ..." if len(texts) > MAX_SHOWN else "")

    def _properties(self) -> list[Property]:
        out, counts = list[Property](), Counter[str]()
        for spec, scope in _specifications(self.tree):
            name = f"{_NAMES[spec.kind]}{counts[spec.kind]}"
            counts[spec.kind] += 1
            if spec.name or scope.name:
                self.display[name] = scope.inner(spec.name or name)
            span = replace(spec.span, scope=scope.name or "main")
            if spec.kind == "INVARSPEC":
                out.append(Assertion(name, self.specs.invariant(spec, scope), span))
            elif spec.kind == "LTLSPEC":
                out.append(LtlProperty(name, self.specs.ltl(spec.formula, scope), span))
            else:
                out.append(CtlProperty(name, self.specs.ctl(spec.formula, scope), span))
        return out


def _unbounded(t: Type) -> bool:
    match t:
        case Numbers():
            return t.low is None
        case Map():
            return _unbounded(t.index) or _unbounded(t.element)
    return isinstance(t, Real)


def _specifications(tree: Tree) -> Iterator[tuple[Spec, Instance]]:
    """Those of inner instances before an instance's own, in the order of declaration."""

    def inside(instance: Instance) -> Iterator[tuple[Spec, Instance]]:
        for v in instance.module.variables:
            yield from within(instance.symbols[v.name])
        yield from ((spec, instance) for spec in instance.module.specs)

    def within(symbol: Symbol) -> Iterator[tuple[Spec, Instance]]:
        if isinstance(symbol, Instance):
            yield from inside(symbol)
        elif isinstance(symbol, Elements):
            for item in symbol.items:
                yield from within(item)

    return inside(tree.main)
