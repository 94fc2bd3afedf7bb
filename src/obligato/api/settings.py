"""Options: of the pipeline and of the engines, from presets, files and texts.

Each option is a field of a frozen dataclass whose metadata say what it does, which values it takes
and where it comes from; `--set`, TOML presets and the lists that the command line prints are all
read from there. Presets are named sets of options (`engines.presets`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, fields
from pathlib import Path
from typing import Any, get_type_hints

from obligato.api.registry import ENGINES, Engine
from obligato.api.request import truth
from obligato.engines.options import option
from obligato.engines.presets import Preset, packaged_presets, read_presets
from obligato.errors import ConfigError
from obligato.frontends.preprocessing import HEADERS


@dataclass(frozen=True, slots=True)
class PipelineOptions:
    """What can be varied before any engine."""

    reduction: int = option(
        3,
        "how far the program is reduced first: 0 not at all, 1 with all its runs kept, 2 with"
        " slicing, 3 with slicing that cuts loops, too",
        "[LNNK19, 6.2]",
        (0, 1, 2, 3),
    )
    externals: str = option(
        "havoc",
        "an undefined C function changes all it may reach, or (the SV-COMP convention) only returns"
        " some value",
        "",
        ("havoc", "pure"),
    )
    memory: str = option(
        "auto",
        "memory model of C: chosen per object (auto; plain: no cast of a pointer is trusted),"
        " typed regions, or bytes",
        "[LNNK19, 6.1]",
        ("auto", "plain", "regions", "bytes"),
    )
    addresses: str = option(
        "any",
        "a verdict holds wherever objects of C lie in memory; or each has pages of its own: to"
        " refute only",
        "",
        ("any", "apart"),
    )
    headers: str = option(
        "auto",
        "C: standard headers of our own, the system's, or the system's where we lack one",
        "",
        HEADERS,
    )
    contracts: str = option(
        "inline",
        "Lustre: main nodes with the bodies of what they call; or all nodes, where contracts stand"
        " for the bodies of calls",
        "",
        ("inline", "modular"),
    )
    unfold: int = option(
        0,
        "recursive calls are inlined, at most so deep, and if they may nest deeper there is no"
        " proof; 0: not inlined",
        "",
        low=0,
    )
    next: str = option(
        "refused",
        "the operator X of formulas about C programs: refused, because what is next depends on how"
        " a program is written, or about the next edge of its control-flow automaton",
        "",
        ("refused", "edge"),
    )
    control: str = option(
        "auto",
        "a transition system as it is, or along the control flow that it codes in variables,"
        " wherever that is found or (auto) where it pays",
        "[BCGKS09]",
        ("auto", "none", "recovered"),
    )


def presets() -> Iterator[Preset]:
    """All presets that come with the engines."""
    for name in ENGINES:
        yield from packaged_presets(name).values()


def find_preset(name: str, engine_name: str) -> Preset:
    """A preset by its name, or by the path of a TOML file: FILE.toml with one preset, or
    FILE.toml:NAME.
    """
    path, dot, chosen = name.rpartition(".toml")
    known = read_preset_file(Path(f"{path}.toml")) if dot else packaged_presets(engine_name)
    wanted = (
        (chosen.removeprefix(":") or (next(iter(known)) if len(known) == 1 else ""))
        if dot
        else name
    )
    if wanted not in known:
        raise ConfigError(
            f"engine {engine_name} has no preset {name!r}; there are: {', '.join(known) or 'none'}"
        )
    return known[wanted]


def read_preset_file(file: Path) -> dict[str, Preset]:
    """The presets in a file of the user, by name."""
    try:
        return read_presets(file.read_text(encoding="utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as problem:
        raise ConfigError(f"presets {file}: {problem}") from problem


def make_options(
    chosen: Engine, preset: Preset | None, settings: Mapping[str, Any]
) -> tuple[Any, PipelineOptions]:
    """The engine's and the pipeline's options: defaults, overridden by the preset, overridden by
    `settings`.

    Texts are converted to the type of the option.
    """
    if preset is not None and preset.engine != chosen.name:
        raise ConfigError(
            f"preset {preset.name} belongs to engine {preset.engine}, not {chosen.name}"
        )
    wanted = {**(preset.options if preset else {}), **settings}
    classes: tuple[type[Any], ...] = (chosen.options, PipelineOptions)
    known = [f.name for cls in classes for f in fields(cls)]
    for key in wanted:
        if key not in known:
            raise ConfigError(
                f"engine {chosen.name} has no option {key!r}; there are: {', '.join(known)}"
            )
    options, pipeline = (_fill(cls, wanted) for cls in classes)
    if hasattr(options, "validate"):
        options.validate()
    return options, pipeline


def _fill(cls: type[Any], wanted: Mapping[str, Any]) -> Any:
    kinds = get_type_hints(cls)
    return cls(
        **{
            f.name: convert(f, kinds[f.name], wanted[f.name])
            for f in fields(cls)
            if f.name in wanted
        }
    )


def convert(option: Field[Any], kind: Any, value: Any) -> Any:
    """`value`, possibly a text, as a value of the option's type and within its range."""
    made = _typed(option.name, kind, value)
    allowed, low = option.metadata.get("values"), option.metadata.get("low")
    if allowed and not any(_allows(known, made) for known in allowed):
        raise ConfigError(f"{option.name} is one of {', '.join(map(str, allowed))}, not {value}")
    if low is not None and made < low:
        raise ConfigError(f"{option.name} must be at least {low}, not {value}")
    return made


def _allows(known: Any, made: Any) -> bool:
    """A known value allows itself; pipe:COMMAND every text that has something after pipe:."""
    if isinstance(known, str) and known.endswith(":COMMAND"):
        start = known.removesuffix("COMMAND")
        return str(made).startswith(start) and str(made).removeprefix(start).strip() != ""
    return bool(made == known)


_KINDS = {int: "a whole number", float: "a number", str: "a text"}


def _typed(name: str, kind: Any, value: Any) -> Any:
    if kind is bool:
        return truth(name, value)
    if kind not in _KINDS:
        raise ConfigError(f"{name} cannot be set from outside")
    if isinstance(value, bool):
        raise ConfigError(f"{name} is {_KINDS[kind]}, not {value}")
    try:
        return kind(value)
    except ValueError as problem:
        raise ConfigError(f"{name} is {_KINDS[kind]}, not {value}") from problem
