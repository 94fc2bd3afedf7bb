"""Options that several commands share, declared once: a frozen dataclass each, whose fields are the
options.

A command takes such a dataclass as one parameter and is marked with `grouped`, which shows typer
one option for each field::

    @app.command()
    @grouped
    def show(file: InputFile, how: Reading, ...) -> None: ...

To add an option to all commands of a group, add a field here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from obligato.api.request import AUTO, NATIVE, Request
from obligato.errors import ConfigError
from obligato.frontends.compilation import of_compilation
from obligato.frontends.preprocessing import STANDARD, Preprocessing
from obligato.frontends.registry import SUFFIXES, find_language

_UNITS = {"s": 1, "m": 60, "h": 3600}
_KINDS = f"{' '.join(SUFFIXES)} .yml"


def there(given: Path | list[Path]) -> Path | list[Path]:
    """The files, if all of them can be read; else what to do about it."""
    from obligato.api.inputs import file_problem

    for path in given if isinstance(given, list) else [given]:
        problem = file_problem(path)
        if problem:
            raise typer.BadParameter(problem)
    return given


InputFile = Annotated[
    Path, typer.Argument(readable=False, callback=there, help=f"the input ({_KINDS})")
]
InputFiles = Annotated[
    list[Path],
    typer.Argument(
        readable=False, callback=there, metavar="FILE", help=f"the input ({_KINDS}); of C all files"
    ),
]


def seconds(given: str | float) -> float:
    """A time: seconds, or a number with its unit."""
    number, unit = (
        (str(given)[:-1], str(given)[-1:]) if str(given)[-1:] in _UNITS else (str(given), "s")
    )
    try:
        return float(number) * _UNITS[unit]
    except ValueError:
        known = "write seconds (90), or a number with its unit (90s, 10m, 1h)"
        raise typer.BadParameter(f"{given!r} is not a time; {known}") from None


Property = Annotated[
    str | None, typer.Option(help="a property's name or a .prp file; by default assertions (C)")
]
DataModel = Annotated[str, typer.Option(help="C: the data model, ILP32 or LP64")]
JsonPath = Annotated[
    str | None, typer.Option("--json", metavar="PATH|-", help="write the outcome as JSON")
]


def engine_names(incomplete: str) -> list[str]:
    """For a shell: the engines whose names begin so."""
    from obligato.api.registry import ENGINES

    return [name for name in (AUTO, *ENGINES) if name.startswith(incomplete)]


def preset_names(incomplete: str) -> list[str]:
    """For a shell: the presets whose names begin so."""
    from obligato.api.settings import presets

    return sorted({p.name for p in presets() if p.name.startswith(incomplete)})


@dataclass(frozen=True, slots=True)
class Reading:
    """How a C program is read."""

    data_model: DataModel = NATIVE
    entry: Annotated[str, typer.Option(help="the procedure where runs start")] = "main"
    folders: Annotated[
        list[str] | None,
        typer.Option("-I", metavar="FOLDER", help="C: look for included files here"),
    ] = None
    macros: Annotated[
        list[str] | None, typer.Option("-D", metavar="NAME[=VALUE]", help="C: define a macro")
    ] = None
    undefined: Annotated[
        list[str] | None, typer.Option("-U", metavar="NAME", help="C: undefine a macro")
    ] = None
    included: Annotated[
        list[str] | None, typer.Option("--include", metavar="FILE", help="C: include a file first")
    ] = None
    standard: Annotated[str, typer.Option("--std", help="C: the standard, for instance c99")] = (
        STANDARD
    )
    compile_commands: Annotated[
        Path | None,
        typer.Option(
            "--compile-commands",
            exists=True,
            dir_okay=False,
            metavar="FILE.json",
            help="C: take these options from a compilation database",
        ),
    ] = None

    def preprocessing(self, file: Path, others: Sequence[Path] = ()) -> Preprocessing:
        """What the options say together; those of the command line come after those of a
        compilation database.
        """
        base = (
            of_compilation(self.compile_commands, file, tuple(others), self.data_model)
            if self.compile_commands is not None
            else Preprocessing()
        )
        given = tuple(("D", text) for text in self.macros or ()) + tuple(
            ("U", name) for name in self.undefined or ()
        )
        return Preprocessing(
            (*base.folders, *(self.folders or ())),
            (*base.macros, *given),
            (*base.included, *(self.included or ())),
            self.standard if self.standard != STANDARD else base.standard,
            others=tuple(map(str, others)),
        )


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may use."""

    timeout: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            parser=seconds,
            help="wall time, checking included; or as 90s, 10m, 1h",
        ),
    ] = None
    memory: Annotated[int | None, typer.Option(metavar="MB", help="resident memory")] = None


@dataclass(frozen=True, slots=True)
class Method:
    """How an engine is chosen and set."""

    engine: Annotated[
        str | None,
        typer.Option(
            help="see `obligato engines`; auto: several at once, by the input; a,b: these",
            autocompletion=engine_names,
        ),
    ] = None
    preset: Annotated[
        str | None,
        typer.Option(help="see `obligato presets`, or a TOML file", autocompletion=preset_names),
    ] = None
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="an option of the engine")
    ] = None
    seed: Annotated[int, typer.Option(help="seed of all random choices")] = 0


@dataclass(frozen=True, slots=True)
class Shown:
    """What is printed of an outcome."""

    stats: Annotated[bool, typer.Option("--stats", help="print statistics")] = False
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="no progress, no report: the verdict only")
    ] = False
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="invariants at all locations")
    ] = False

    def validate(self) -> None:
        """Refuse what cannot be had together."""
        if self.quiet and self.verbose:
            raise ConfigError("--quiet and --verbose exclude each other")


def make_request(
    files: Sequence[Path],
    property: str | None,
    how: Reading,
    limits: Limits,
    method: Method | None = None,
    **more: Any,
) -> Request:
    """The request of a command line; several files are one program, in C only."""
    file, *others = files
    only_c(others, file)
    by = method or Method()
    request = Request(
        str(file),
        by.engine or "",
        by.preset,
        parse_settings(by.settings or []),
        property or "",
        limits.timeout,
        limits.memory,
        how.data_model,
        how.entry,
        by.seed,
        preprocessing=how.preprocessing(file, others),
        **more,
    )
    request.validate()
    return request


def only_c(others: Sequence[Path], file: Path) -> None:
    """Several files are one program in C only."""
    for path in (file, *others) if others else ():
        language = find_language(path)
        if language is None or "preprocessing" not in language.reading:
            raise ConfigError(f"several files make one program in C only, and {path} is no C file")


def parse_settings(settings: Sequence[str], option: str = "--set") -> dict[str, str]:
    """key=value texts; the engine's options say what the values mean."""
    out: dict[str, str] = {}
    for text in settings:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise ConfigError(f"{option} needs KEY=VALUE, not {text!r}")
        out[key.strip().replace("-", "_")] = value.strip()
    return out


# -- groups ----------------------------------------------------------------------------------------


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command with an option for each field of the dataclasses that it takes, in their
    order.
    """
    kinds = get_type_hints(command, include_extras=True)
    groups = {
        name: kind for name, kind in kinds.items() if isinstance(kind, type) and is_dataclass(kind)
    }
    plain = inspect.signature(command).parameters

    def call(**given: Any) -> None:
        made = {
            name: group(**{f.name: given.pop(f.name) for f in fields(group)})
            for name, group in groups.items()
        }
        command(**given, **made)

    parameters: list[inspect.Parameter] = []
    for name, parameter in plain.items():
        if name in groups:
            parameters += _options(groups[name])
        else:
            parameters.append(
                parameter.replace(annotation=kinds[name], kind=inspect.Parameter.KEYWORD_ONLY)
            )
    call.__name__, call.__doc__ = command.__name__, command.__doc__
    call.__module__ = command.__module__
    call.__annotations__ = {p.name: p.annotation for p in parameters}
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def _options(group: type[Any]) -> Iterator[inspect.Parameter]:
    """The fields of a group as parameters of a command."""
    kinds = get_type_hints(group, include_extras=True)
    for f in fields(group):
        yield inspect.Parameter(
            f.name, inspect.Parameter.KEYWORD_ONLY, default=_default(f), annotation=kinds[f.name]
        )


def _default(field: Field[Any]) -> Any:
    return inspect.Parameter.empty if field.default is MISSING else field.default
