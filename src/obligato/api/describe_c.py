"""Invariants as C expressions that mean the same at their place, for witnesses: names in scope,
signs as they are declared.

What is printed for the eye may be ambiguous: a variable of another function, or of another call of
this one, has a name that is not visible at the place, or means another variable there. Here such a
conjunct is left out, as are those about memory and pointers; the rest is still an invariant.
"""

from __future__ import annotations

from obligato.models.cfa import CFA
from obligato.models.gcl import Assign, Assume, walk
from obligato.program.names import instance, original_name
from obligato.program.places import head
from obligato.terms import Kind, Term, conjuncts, free_vars
from obligato.terms.c_printer import c_text

MAX_EDGES = 2000  # that are looked at to find which call of a function a location is in


def said_in_c(cfa: CFA, location: int, formula: Term) -> tuple[tuple[str, ...], int]:
    """The conjuncts of a formula as C expressions at a location, and how many there are besides."""
    function = cfa.locations[location].span.function
    if not cfa.places.spelled or not function:
        return (), 0
    names = _visible(cfa, location)
    unsigned = {v for v in names if original_name(v) in cfa.places.unsigned}
    texts = []
    for part in conjuncts(formula):
        plain = all(v.name in names and v.sort.kind is not Kind.ARRAY for v in free_vars(part))
        text = c_text(part, names, unsigned) if plain else None
        texts.append(text)
    said = tuple(dict.fromkeys(text for text in texts if text is not None))
    return said, sum(text is None for text in texts)


def _visible(cfa: CFA, location: int) -> dict[str, str]:
    """How the variables are written that can be named at a location, by full name: globals, and
    those of the call that it is in, as far as no other declaration hides them there.
    """
    span = cfa.locations[location].span
    spelled, call = cfa.places.spelled, call_of(cfa, location, span.function)
    found: dict[str, str] = {}
    for v in cfa.variables if span.scope else ():
        owner, text = spelled.get(original_name(v.name), ("", ""))
        near = not owner or (
            owner == span.function and ("::" not in v.name or instance(v.name) == call)
        )  # a static variable is the same in all calls
        if text and near and means_itself(cfa, v.name, text, span.scope):
            found[v.name] = text
    return found


def means_itself(cfa: CFA, name: str, text: str, scope: str) -> bool:
    """Does the text of a variable mean that variable in a scope of its function, or of the program?"""
    home = cfa.places.homes.get(original_name(name), "")
    return cfa.places.meaning(head(text), scope) == home


def call_of(cfa: CFA, location: int, function: str) -> str:
    """Which call of its function a location is in: as the variables near it say; empty for the
    entry, and where none say it.
    """
    seen, queue, prefix = {location}, [location], f"{function}::"
    looked = 0
    while queue and looked < MAX_EDGES:
        here = queue.pop(0)
        for e in (*cfa.out(here), *cfa.into(here)):
            looked += 1
            if e.span.function != function:
                continue
            terms = [t for c in walk(e.command) for t in _terms(c)]
            own = next((v.name for v in free_vars(*terms) if v.name.startswith(prefix)), None)
            if own is not None:
                return instance(own)
            for there in (e.source, e.target):
                if there not in seen and there != cfa.error:
                    seen.add(there)
                    queue.append(there)
    return ""


def _terms(c: object) -> list[Term]:
    if isinstance(c, Assume):
        return [c.condition]
    return [t for pair in c.pairs for t in pair] if isinstance(c, Assign) else []
