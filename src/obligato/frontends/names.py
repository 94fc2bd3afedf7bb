"""Names of variables from the symbols of an input: unique, and such that SMT-LIB can quote them and
time can be a suffix.
"""

from __future__ import annotations

from collections.abc import Iterable

from obligato.terms import Term

_UNSAFE = str.maketrans({"|": "_", "\\": "_", "'": "_", "@": "_"})


class UniqueNames:
    """Hands out names; `fallback` is used where there is no symbol, and to tell equal symbols
    apart.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, symbol: str | None, fallback: str) -> str:
        """The symbol made safe, if it is not in use."""
        name = fallback if not symbol else symbol.translate(_UNSAFE)
        candidate, n = name, 0
        while candidate in self._taken:
            n += 1
            candidate = f"{name}#{fallback}" if n == 1 else f"{name}#{fallback}#{n}"
        self._taken.add(candidate)
        return candidate


def besides(
    named: Iterable[tuple[str, Term]], variables: Iterable[Term]
) -> tuple[dict[str, Term], frozenset[str]]:
    """What an input names besides its variables, whose names mean them; and the names of several
    things.
    """
    taken = {x.name for x in variables}
    out: dict[str, Term] = {}
    several: dict[str, None] = {}
    for name, term in named:
        if name not in taken and out.setdefault(name, term) is not term:
            several[name] = None
    return {name: t for name, t in out.items() if name not in several}, frozenset(several)
