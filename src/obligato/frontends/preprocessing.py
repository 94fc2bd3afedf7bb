"""How the texts of a C program become one: what a user says by the options of a compiler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from obligato.errors import ConfigError

LIBRARY = Path(__file__).parent / "c" / "library"  # our definitions of library functions
OWN = "<library>/"  # its name in positions
HEADERS = ("auto", "own", "system")
STANDARD = "gnu11"
STANDARDS = (
    "c89",
    "c90",
    "c99",
    "c11",
    "c17",
    "c18",
    "gnu89",
    "gnu90",
    "gnu99",
    "gnu11",
    "gnu17",
    "gnu18",
)


@dataclass(frozen=True, slots=True)
class Preprocessing:
    """The options -I, -D, -U, -include and -std of a compiler, and whose headers are read.

    `others` are the other files of the program. `macros` are in the order of the command line:
    ("D", "NAME=VALUE") or ("U", "NAME").
    """

    folders: tuple[str, ...] = ()
    macros: tuple[tuple[str, str], ...] = ()
    included: tuple[str, ...] = ()
    standard: str = STANDARD
    headers: str = "auto"
    others: tuple[str, ...] = ()

    def validate(self) -> None:
        """Refuse what no compiler understands."""
        if self.standard not in STANDARDS:
            raise ConfigError(
                f"-std={self.standard} is not supported; there are: {', '.join(STANDARDS)}"
            )
        if self.headers not in HEADERS:
            raise ConfigError(f"headers is one of {', '.join(HEADERS)}, not {self.headers}")
        for folder in self.folders:
            if not Path(folder).is_dir():
                raise ConfigError(f"-I {folder}: there is no such folder")

    @staticmethod
    def of_json(data: Mapping[str, Any]) -> Preprocessing:
        """What `dataclasses.asdict` made of one, from JSON; raises TypeError, ValueError or
        KeyError where it is none.
        """
        lists = {name: tuple(map(str, data[name])) for name in ("folders", "included", "others")}
        macros = tuple((str(letter), str(text)) for letter, text in data["macros"])
        # it becomes an option of a compiler
        if any(letter not in ("D", "U") for letter, _ in macros):
            raise ValueError(macros)
        return Preprocessing(
            lists["folders"],
            macros,
            lists["included"],
            str(data["standard"]),
            str(data["headers"]),
            lists["others"],
        )

    @property
    def changes_text(self) -> bool:
        """Does a file without directives depend on it?"""
        return bool(self.macros or self.included) or self.standard != STANDARD

    @property
    def is_old(self) -> bool:
        """Is it C90, where numbers too large for a long are unsigned, and scopes are other ones?"""
        return self.standard in ("c89", "c90", "gnu89", "gnu90")


DEFAULT = Preprocessing()
