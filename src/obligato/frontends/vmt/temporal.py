"""Temporal formulas in VMT: applications of the functions ltl.X, ltl.F, ltl.G, ltl.U and ltl.R
(declared in the file or not).

SMT-LIB terms know no such functions, so while the script is read an application becomes a fresh
Boolean *marker* that `Temporal` remembers. `formula` reads a term with markers back as a formula of
the logic; a term without any is an atom. `temporal_text` writes a formula that way.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from obligato.errors import Unsupported
from obligato.models.ltl import Formula, atom
from obligato.models.properties import Justice, LiveProperty
from obligato.terms import BOOL, Op, Term, TermStore, free_vars
from obligato.terms.printer import to_smtlib
from obligato.terms.smtlib import Apply, Declaration, Scope
from obligato.terms.smtlib.scope import check_arguments, uninterpreted

FUNCTIONS = {
    "ltl.X": ("X", 1),
    "ltl.F": ("F", 1),
    "ltl.G": ("G", 1),
    "ltl.U": ("U", 2),
    "ltl.R": ("R", 2),
}
_CONNECTIVES = {Op.NOT: "!", Op.AND: "&", Op.OR: "|", Op.IMPLIES: "->", Op.EQ: "<->", Op.XOR: "xor"}
_TEXTS = {"!": "not", "&": "and", "|": "or", "->": "=>", "<->": "=", "xor": "xor"} | {
    op: name for name, (op, _) in FUNCTIONS.items()
}


def formula_of(p: LiveProperty, fairness: Sequence[Term]) -> Formula:
    """What all runs satisfy if the property holds for the fair ones."""
    again = [
        Formula("G", (Formula("F", (atom(f),)),))
        for f in (*fairness, *(p.sets if isinstance(p, Justice) else ()))
    ]
    claim = Formula("false") if isinstance(p, Justice) else p.formula
    return (
        Formula("->", (reduce(lambda f, g: Formula("&", (f, g)), again), claim)) if again else claim
    )


def temporal_text(f: Formula) -> str:
    """The formula as VMT writes it; f W g is g R (f or g)."""
    if f.atom is not None:
        return to_smtlib(f.atom)
    if f.op == "W":
        first, last = f.args
        return temporal_text(Formula("R", (last, Formula("|", (first, last)))))
    return f"({_TEXTS[f.op]} {' '.join(map(temporal_text, f.args))})" if f.args else f.op


class Temporal:
    """The markers of one script."""

    def __init__(self, store: TermStore) -> None:
        self.store = store
        self.markers: dict[Term, tuple[str, tuple[Term, ...]]] = {}

    def scope(self, text: str) -> Scope:
        """What a script knows at its beginning: the functions that it does not declare itself."""
        scope = Scope.initial(self.store)
        for name in FUNCTIONS:
            if f"declare-fun {name} " not in text:
                scope.functions[name] = self._apply(name)
        return scope

    def declared(self, declaration: Declaration) -> Apply:
        """The meaning of a function that the script declares."""
        name = declaration.name
        if name not in FUNCTIONS:
            return uninterpreted(name)
        if declaration.params != (BOOL,) * FUNCTIONS[name][1] or declaration.sort is not BOOL:
            raise Unsupported(
                f"{name} is declared with other sorts than Bool", declaration.span, construct=name
            )
        return self._apply(name)

    def _apply(self, name: str) -> Apply:
        op, count = FUNCTIONS[name]

        def build(store: TermStore, args: list[Term]) -> Term:
            check_arguments(name, (BOOL,) * count, args)
            marker = store.fresh(name, BOOL)
            self.markers[marker] = (op, tuple(args))
            return marker

        return build

    def used_in(self, term: Term) -> bool:
        """Does a term have temporal functions?"""
        return any(v in self.markers for v in free_vars(term))

    def formula(self, term: Term) -> Formula:
        """The term as a formula."""
        if term in self.markers:
            op, args = self.markers[term]
            return Formula(op, tuple(map(self.formula, args)))
        if not self.used_in(term):
            return atom(term)
        if any(a.sort is not BOOL for a in term.args):
            raise Unsupported(
                "a temporal formula inside of a term that is not Boolean", construct=term.op.name
            )
        if term.op is Op.ITE:
            c, a, b = map(self.formula, term.args)
            return Formula("|", (Formula("&", (c, a)), Formula("&", (Formula("!", (c,)), b))))
        if term.op not in _CONNECTIVES or (term.op not in (Op.AND, Op.OR) and len(term.args) > 2):
            raise Unsupported(
                f"a temporal formula inside of {term.op.name}", construct=term.op.name
            )
        out, *rest = map(self.formula, term.args)
        if not rest:
            return Formula(_CONNECTIVES[term.op], (out,))
        for f in rest:
            out = Formula(_CONNECTIVES[term.op], (out, f))
        return out
