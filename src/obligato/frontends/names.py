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


def besides(named: Iterable[tuple[str, Term]], variables: Iterable[Term]) -> dict[str, Term]:
    """What an input names besides its variables; whose name something else has is left out."""
    out: dict[str, Term] = {}
    known = {x.name: x for x in variables}
    for name, term in named:
        if known.setdefault(name, term) is term:
            out[name] = term
        else:
            out.pop(name, None)
    return out
