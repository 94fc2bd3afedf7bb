"""Invariants of C programs as a user reads them at their place. For the eye only; what is checked
is the formula.

A variable of the call that the place is in has the name that it has there; where its name means
another variable, it has the line of its declaration behind it (``x@12``), or ``::`` before it if it
is a global. A variable of another call has its function before it where its name would mean another
variable. Temporaries that equal a variable
are replaced by it. A conjunct about other temporaries, about memory by address, or about two calls
of one function is not shown, but counted; so is a long one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from obligato.api.describe_c import call_of, means_itself
from obligato.api.names import MEMORY, Names, labelled, with_place_names
from obligato.models.cfa import CFA
from obligato.program.names import instance, original_name, short_name
from obligato.program.places import Part, head
from obligato.terms import Kind, Op, Term, TermStore, conjuncts, free_vars, postorder
from obligato.terms.store import rebuild

LONG = 100  # characters of one condition that is shown
BOUND = re.compile(r"([^|?]+) (<|>=) (-?[0-9]+)u?l*")


def readable(cfa: CFA, location: int, formula: Term, names: Names) -> str | None:
    """The formula as text; empty if it says nothing, None if it is not about a C program."""
    function = cfa.locations[location].span.function
    if not cfa.places.declared or not function:
        return None
    parts = _without_temporaries(conjuncts(formula), names)
    shown = _names_at(cfa, location, function, names, parts)
    known = [p for p in parts if not is_about_ghosts(cfa, p) and _is_plain(p, shown, names)]
    texts = {p: names.c_text(p, shown) if p in known else None for p in parts}
    said = list(
        dict.fromkeys(text for text in texts.values() if text is not None and not _confused(text))
    )
    lost = sum(text is None or _confused(text) for text in texts.values())
    short = [text for text in said if len(text) <= LONG]
    rest = (_left_out(lost, " that C cannot say"), _left_out(len(said) - len(short), "", "long "))
    return ", and ".join(filter(None, (" && ".join(map(_bracketed, _strongest(short))), *rest)))


def is_about_ghosts(cfa: CFA, formula: Term) -> bool:
    """Does it speak about records that the program does not keep (`Certificate.ghosts`)?"""
    arrays = {v.name for v in free_vars(formula) if v.sort.kind is Kind.ARRAY}  # membership only
    return bool(arrays) and not arrays.issubset(v.name for v in cfa.variables)


def _left_out(count: int, which: str, kind: str = "") -> str:
    """How many conditions are not shown; empty for none."""
    many = count > 1
    return (
        f"{count} {kind}condition{'s' if many else ''}{which} (--json has"
        f" {'them' if many else 'it'})"
        if count
        else ""
    )


def _strongest(texts: list[str]) -> list[str]:
    """Of several upper or several lower bounds of one expression the strongest."""
    bounds = {
        text: found.groups() for text in texts if (found := BOUND.fullmatch(text)) is not None
    }
    best: dict[tuple[str, str], int] = {}
    for what, relation, number in bounds.values():
        stronger = min if relation == "<" else max
        best[what, relation] = stronger(int(number), best.get((what, relation), int(number)))
    return [
        t for t in texts if t not in bounds or int(bounds[t][2]) == best[bounds[t][0], bounds[t][1]]
    ]


def _without_temporaries(parts: list[Term], names: Names) -> list[Term]:
    """The conjuncts, where a temporary that one of them equates with a variable is that
    variable.
    """
    store, memo = TermStore.raw(), dict[Term, Term]()
    for part in parts:
        for temporary, other in (part.args, part.args[::-1]) if part.op is Op.EQ else ():
            plain = other.op is Op.VAR and not names.is_temporary(other.name)
            if plain and temporary.op is Op.VAR and names.is_temporary(temporary.name):
                memo.setdefault(temporary, store.import_term(other))
    changed = [
        _plainer(p) for p in ([rebuild(p, store, dict(memo)) for p in parts] if memo else parts)
    ]
    return [p for p in dict.fromkeys(changed) if p.op is not Op.EQ or p.args[0] is not p.args[1]]


def _plainer(part: Term) -> Term:
    """``(a ? 0 : 1) == (b ? 0 : 1)`` as ``a == b``, for any two different numbers."""
    if part.op is not Op.EQ or any(
        t.op is not Op.ITE or not all(x.is_const for x in t.args[1:]) for t in part.args
    ):
        return part
    (a, *values), (b, *others) = (t.args for t in part.args)
    if values[0].data == values[1].data or {v.data for v in values} != {v.data for v in others}:
        return part
    s = TermStore.raw()
    x, y = s.import_term(a), s.import_term(b)
    return s.eq(x, y) if values[0].data == others[0].data else s.eq(x, s.not_(y))


def _bracketed(text: str) -> str:
    return f"({text})" if " || " in text or " ? " in text else text


def _confused(text: str) -> bool:
    """Is a pointer compared with the address of another variable that has its name?"""
    pointer, equals, address = text.partition(" == &")
    return bool(equals) and pointer == address


def _is_plain(part: Term, shown: Mapping[str, str], names: Names) -> bool:
    """Is the conjunct about named variables only?"""
    if any(names.is_temporary(v.name) or shown.get(v.name) == "" for v in free_vars(part)):
        return False
    places: dict[str, Part] = {}
    named = with_place_names(part, names.places, shown, places)
    if any(v.name.startswith(MEMORY) for v in free_vars(named)):
        return False
    return all(_compares(t, names, places) for t in postorder((named,)))


def _compares(t: Term, names: Names, places: Mapping[str, Part]) -> bool:
    """Does the term use no pointer, or compare pointers with each other or with the address of
    something that has a name? Else it uses one as a number.
    """
    if not any(names.is_pointer(a.name, places) for a in t.args if a.op is Op.VAR):
        return True
    known = all(
        a.op is Op.VAR or (a.is_const and (a.data == 0 or a.data in names.places.addresses))
        for a in t.args
    )
    return t.op in (Op.EQ, Op.DISTINCT) and known


def _names_at(
    cfa: CFA, location: int, function: str, names: Names, parts: list[Term]
) -> dict[str, str]:
    """The names of all variables as they are read at a location; empty for those of other calls of
    the same function, and where a name would mean another variable, too.
    """
    call, prefix = call_of(cfa, location, function), f"{function}::"
    local = {head(n.removeprefix(prefix)) for n in cfa.places.declared if n.startswith(prefix)}
    functions = {n.partition("::")[0] for n in cfa.places.declared if "::" in n}
    scope, homes, shown = cfa.locations[location].span.scope, cfa.places.homes, dict[str, str]()
    for full, text in names.shown.items():
        home = homes.get(original_name(full), "")
        own = full.startswith(prefix) or home.startswith(f"{function}/")
        if own and ("::" not in full or instance(full) == call):
            written = cfa.places.written.get(original_name(full), short_name(full))
            clear = not home or not scope or means_itself(cfa, full, written, scope)
            shown[full] = written if clear else labelled(cfa.places, full)
        elif own:
            shown[full] = ""
        elif not home and "::" not in full and not means_itself(cfa, full, text, scope):
            shown[full] = f"::{text}"
        else:
            owner, _, rest = original_name(cfa.display.get(full, full)).partition(
                "." if "::" not in full else "::"
            )
            hidden = (
                rest
                and owner in functions
                and (text == full or (head(text) in local and rest.startswith(head(text))))
            )
            shown[full] = f"{owner}::{rest}" if hidden else original_name(text)
    used: dict[str, str] = {}
    for name in dict.fromkeys(v.name for v in free_vars(*parts) if v.name in shown):
        if used.setdefault(shown[name], name) != name:
            shown[name] = ""
    return shown
