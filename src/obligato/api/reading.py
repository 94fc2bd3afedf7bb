"""From what was read to the model that is checked and the model that is proved: CFAs of programs,
or transition systems.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from obligato.errors import ConfigError
from obligato.frontends.reading import read_text
from obligato.frontends.registry import ALL, LTL, UNREACH_CALL
from obligato.models.ltl import Formula, atom
from obligato.models.properties import CtlProperty, LtlProperty, Property
from obligato.terms import Term, TermStore

if TYPE_CHECKING:
    from obligato.models.cfa import CFA
    from obligato.models.claims import Lift
    from obligato.models.transition_system import TransitionSystem
    from obligato.program.syntax import Program

LTL_FILE = ".ltl"
# begins a formula of branching time, or names the file of some: FILE.ctl, or FILE.ctl#N for the
# N-th from 0
CTL = "ctl:"
_CTL_FILE = re.compile(r"ctl:\s*(\S+\.ctl)(?:#([0-9]{1,9}))?\s*")


def select_properties(
    system: TransitionSystem, wanted: str, folder: Path = Path()
) -> TransitionSystem:
    """The system with the properties of these names (with commas between them) only, or with a
    temporal formula (`ltl: ...`, or a file *.ltl; `ctl: ...`, or `ctl:FILE.ctl#N` for a formula in
    a file, relative to `folder`). `unreach-call` stands for all properties of states; where there
    are none for those of infinite runs, or else of branching time; `all` for all. What `compassion`
    excludes becomes part of the formulas of LTL.
    """
    if wanted.startswith(CTL):
        return replace(system, properties=tuple(_branching(system, wanted, folder)), compassion=())
    if wanted.startswith(LTL) or wanted.endswith(LTL_FILE):
        formula = _compassionate(system, _formula(system, wanted))
        rests = {
            formula.name: tuple(
                dict.fromkeys(q for others in system.rests.values() for q in others)
            )
        }
        return replace(system, properties=(formula,), compassion=(), rests=rests)
    if wanted == ALL:
        chosen: list[Property] = [*system.properties]
    elif wanted == UNREACH_CALL:
        chosen = [*(system.assertions or system.temporal or system.branching)]
    else:
        whole = _named(system, wanted)  # a name may have a comma in it
        chosen = whole or [
            p
            for name in wanted.split(",")
            for p in _named(system, name.strip()) or _missing(system, name)
        ]
    if not chosen:
        raise ConfigError("the system has no property")
    return system.about(tuple(_compassionate(system, p) for p in dict.fromkeys(chosen)))


def _compassionate(system: TransitionSystem, p: Property) -> Property:
    """A formula of LTL about those runs only that take steps in the second set of a pair for ever
    if they do in the first.
    """
    if not system.compassion or not isinstance(p, LtlProperty):
        return p
    often = [Formula("->", (_again(a), _again(b))) for a, b in system.compassion]
    fair = reduce(lambda f, g: Formula("&", (f, g)), often)
    return replace(p, formula=Formula("->", (fair, p.formula)))


def _again(term: Term) -> Formula:
    """The formula G F term: the term is true infinitely often."""
    return Formula("G", (Formula("F", (atom(term),)),))


def _formula(system: TransitionSystem, wanted: str) -> LtlProperty:
    """The temporal formula in a text or file; its atoms are names of the system."""
    # columns count from the beginning of the option
    text, file = (wanted.replace(LTL, " " * len(LTL), 1), "<property>")
    if not wanted.startswith(LTL):
        text, file = read_text(wanted, "strict"), wanted
    if system.formulas is not None:
        return LtlProperty("ltl", system.formulas("LTL", text, file))
    from obligato.frontends.ltl import read_ltl

    names = _names(system)
    return LtlProperty("ltl", read_ltl(text, system.store, names, file, _signed(system, names)))


def _names(system: TransitionSystem) -> dict[str, Term]:
    """The names that a temporal formula may use. Those of the input go before variables, which may
    be a translation's own: `first` is true in the first step of a Lustre program.
    """
    names = {**{x.name: x for x in (*system.state, *system.inputs)}, **system.signals}
    for p in system.assertions:
        name = system.display.get(p.name, p.name)
        if name not in system.ambiguous:
            names.setdefault(name, p.formula)
    return names


def _signed(system: TransitionSystem, names: Mapping[str, Term]) -> frozenset[Term]:
    return frozenset(names[name] for name in system.signed)


def _branching(system: TransitionSystem, wanted: str, folder: Path) -> list[CtlProperty]:
    """The formula of branching time in a text, or those in a file."""
    from obligato.frontends.ctl import read_ctl, read_ctl_file

    asked = _CTL_FILE.fullmatch(wanted)
    if asked is None:
        text = wanted.replace(CTL, " " * len(CTL), 1)
        if system.formulas is not None:
            return [CtlProperty("ctl", system.formulas("CTL", text, "<property>"))]
        names = _names(system)
        return [
            CtlProperty(
                "ctl", read_ctl(text, system.store, names, "<property>", _signed(system, names))
            )
        ]
    path = folder / asked[1]
    text = read_text(path, "strict")
    found = [
        CtlProperty(f"ctl{n}", f)
        for n, f in enumerate(read_ctl_file(text, _names(system), str(path)))
    ]
    chosen = found if asked[2] is None else found[int(asked[2]) :][:1]
    if not chosen:
        raise ConfigError(f"{path} has {len(found)} formulas")
    return chosen


def _named(system: TransitionSystem, name: str) -> list[Property]:
    return [p for p in system.properties if name in (p.name, system.display.get(p.name))]


def _missing(system: TransitionSystem, name: str) -> NoReturn:
    names = ", ".join(p.name for p in system.properties[:20]) or "none"
    raise ConfigError(f"there is no property {name!r}; there are: {names}")


def original_cfa(program: Program, unfold: int = 0) -> CFA:
    """The CFA of the inlined but otherwise untouched program, in the program's own store: what is
    checked.

    `unfold`: recursive calls are inlined so deep; 0: they are refused.
    """
    from obligato.models.build import build_cfa
    from obligato.program.inline import inline, inline_to_depth

    return build_cfa(inline_to_depth(program, unfold) if unfold else inline(program))


def reduced(cfa: CFA, level: int) -> tuple[CFA, Lift]:
    """The same program in a simplifying store, reduced as far as `level` allows: what is proved."""
    from obligato.analysis import pipeline
    from obligato.models.importing import import_cfa

    return pipeline.reduce(import_cfa(cfa, TermStore()), level)
