"""Which elements `qsort` and `bsearch` compare, how often and in which order is not specified [C11,
7.22.5]; our definitions choose one way.  So a comparison function whose calls can be noticed (it
writes what others see, ends the program, or has a check inside) makes a call of them a `limit`:
nothing is decided by a run that comes to it.
"""

from __future__ import annotations

from dataclasses import replace

from obligato.frontends.c.sequencing import COUNTERS, Effects
from obligato.frontends.preprocessing import OWN
from obligato.program.syntax import LIMIT, Assert, Assume, Call, Halt, Procedure, statements
from obligato.terms import TermStore

NAMES = ("qsort", "bsearch")
NOTICED = (
    "which elements are compared is not specified, and the comparison function has effects or"
    " checks"
)


def limited(
    procedures: dict[str, Procedure], noticed: dict[str, Effects], store: TermStore
) -> dict[str, Procedure]:
    """The definitions that become limits, given what callers notice of each procedure."""
    out = {}
    for name in NAMES:
        p = procedures.get(name)
        if p is None or not p.span.file.startswith(OWN):
            continue
        others = [
            f
            for f in _called(p)
            if f not in procedures or not procedures[f].span.file.startswith(OWN)
        ]
        if any(_is_noticed(f, procedures, noticed) for f in others):
            out[name] = replace(p, body=(Assert(store.false, NOTICED, LIMIT, p.span), *p.body))
    return out


def _called(p: Procedure) -> list[str]:
    return list(dict.fromkeys(s.callee for s in statements(p.body) if isinstance(s, Call)))


def _is_noticed(name: str, procedures: dict[str, Procedure], noticed: dict[str, Effects]) -> bool:
    """Does the result of the program depend on whether, and with which arguments, a procedure is
    called?
    """
    if name not in procedures or any(x.name not in COUNTERS for x in noticed[name].written()):
        return True
    seen, waiting = dict.fromkeys([name]), [name]
    while waiting:
        p = procedures.get(waiting.pop())
        if p is None or any(isinstance(s, Halt | Assert | Assume) for s in statements(p.body)):
            return True
        new = [f for f in _called(p) if f not in seen]
        seen.update(dict.fromkeys(new))
        waiting += new
    return False
