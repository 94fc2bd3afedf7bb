"""The options that say how a C program is read, shared by the commands that read one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from obligato.errors import ConfigError
from obligato.frontends.preprocessing import STANDARD, Preprocessing, of_compilation
from obligato.frontends.registry import find_language

DataModel = Annotated[str, typer.Option(help="of C: ILP32 or LP64")]
Entry = Annotated[str, typer.Option(help="the procedure where runs start")]
Folders = Annotated[list[str] | None, typer.Option("-I", metavar="FOLDER", help="C: look for included files here")]
Macros = Annotated[list[str] | None, typer.Option("-D", metavar="NAME[=VALUE]", help="C: define a macro")]
Undefined = Annotated[list[str] | None, typer.Option("-U", metavar="NAME", help="C: a macro that is not defined")]
Included = Annotated[list[str] | None, typer.Option("--include", metavar="FILE", help="C: include a file first")]
Standard = Annotated[str, typer.Option("--std", help="C: the standard, for instance c99")]
Commands = Annotated[Path | None, typer.Option("--compile-commands", exists=True, dir_okay=False, metavar="FILE.json",
                                               help="C: take these options from a compilation database")]


def preprocessing(
    file: Path, folders: list[str] | None, macros: list[str] | None, undefined: list[str] | None, included: list[str] | None,
    standard: str = STANDARD, commands: Path | None = None, others: Sequence[Path] = (),
) -> Preprocessing:
    """What the options say together; those of the command line come after those of a compilation database."""
    base = of_compilation(commands, file) if commands is not None else Preprocessing()
    given = tuple(("D", text) for text in macros or ()) + tuple(("U", name) for name in undefined or ())
    return Preprocessing(
        (*base.folders, *(folders or ())), (*base.macros, *given), (*base.included, *(included or ())),
        standard if standard != STANDARD else base.standard, others=tuple(map(str, others)))


def only_c(others: Sequence[Path], file: Path) -> None:
    """Several files are one program in C only."""
    for path in (file, *others) if others else ():
        language = find_language(path)
        if language is None or "preprocessing" not in language.reading:
            raise ConfigError(f"several files make one program in C only, and {path} is no C file")
