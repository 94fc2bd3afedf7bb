"""Names of variables and properties:
each once, and such that temporal formulas and printed models can say them."""

from __future__ import annotations

import re

from obligato.errors import ModelError

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")


class Names:
    """The names that one builder has given."""

    def __init__(self) -> None:
        self._variables: set[str] = set()
        self._properties: set[str] = set()

    def variable(self, name: str) -> str:
        """A new variable's name; letters, digits, _ and dots."""
        if not isinstance(name, str) or not _PLAIN.fullmatch(name):
            raise ModelError(
                "a variable's name has letters, digits, _ and dots, and begins with no digit: not"
                f" {name!r}"
            )
        return self._new(name, self._variables)

    def property(self, name: str | None, kind: str) -> str:
        """A new property's name; without one it is numbered."""
        if name is None:
            name = next(
                n
                for k in range(len(self._properties) + 1)
                if (n := f"{kind}{k}") not in self._properties
            )
        if not name or "," in name:
            raise ModelError(f"a property's name is not empty and has no comma: not {name!r}")
        return self._new(name, self._properties)

    def _new(self, name: str, taken: set[str]) -> str:
        if name in taken:
            raise ModelError(f"there are two of the name {name}")
        taken.add(name)
        return name
