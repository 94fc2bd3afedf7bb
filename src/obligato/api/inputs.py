"""What may be verified: a file, several C files, text, a model, or a builder of one; each becomes
part of a request.

Text is written to a file of its own for the time of the run, and what comes back calls that file by
the name of the text.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from obligato.api.request import Request
from obligato.errors import ConfigError, InputError
from obligato.frontends.registry import LANGUAGES, find_language

if TYPE_CHECKING:
    from obligato.modelling.programs import ProgramBuilder
    from obligato.modelling.systems import SystemBuilder
    from obligato.models.transition_system import TransitionSystem
    from obligato.program.syntax import Program

    Input = (
        str
        | Path
        | Sequence[str | Path]
        | Program
        | TransitionSystem
        | ProgramBuilder
        | SystemBuilder
    )
Rename = Callable[[Any], Any]
T = TypeVar("T")


@contextmanager
def request_for(
    given: Input, language: str | None, request: Request
) -> Iterator[tuple[Request, Rename]]:
    """The request with its input, and what turns results into those about the input as the caller
    knows it.
    """
    if language is not None:
        with _text_file(given, language) as (path, name):
            try:
                yield replace(request, file=path), lambda result: renamed(result, path, name)
            except InputError as problem:
                problem.message = renamed(problem.message, path, name)
                problem.span = renamed(problem.span, path, name)
                problem.args = (f"{problem.span}: error: {problem.message}",)
                raise
    elif isinstance(given, str | Path):
        yield replace(request, file=str(_path(given))), _same
    elif isinstance(given, Sequence) and given and all(isinstance(f, str | Path) for f in given):
        yield _several([_path(f) for f in given], request), _same
    else:
        yield _model(given, request), _same


def _model(given: Any, request: Request) -> Request:
    from obligato.modelling.programs import ProgramBuilder
    from obligato.modelling.systems import SystemBuilder
    from obligato.models.transition_system import TransitionSystem
    from obligato.program.syntax import Program

    if isinstance(given, ProgramBuilder | SystemBuilder):
        return replace(request, file=f"<{given.name}>", model=given.build())
    if isinstance(given, Program | TransitionSystem):
        return replace(
            request, file=getattr(given, "file", "") or f"<{type(given).__name__}>", model=given
        )
    raise ConfigError(
        f"what can be verified is a path, C files, text with its language, or a model; not {given!r}"[
            :300
        ]
    )


def _same(result: Any) -> Any:
    return result


def _path(given: str | Path) -> Path:
    if isinstance(given, str) and "\n" in given:
        names = ", ".join(repr(x.name) for x in LANGUAGES)
        raise ConfigError(
            f"this is text, not the path of a file; say its language: language= one of {names}"
        )
    problem = file_problem(Path(given))
    if problem:
        raise ConfigError(problem)
    return Path(given)


def file_problem(path: Path) -> str:
    """Why a file cannot be read, and what to do; empty: nothing is known to prevent it."""
    if path.is_dir():
        inside = ", ".join(map(str, _readable(path)[:3]))
        return f"{path} is a folder; name the files in it" + (
            f", for instance {inside}" if inside else ""
        )
    if not path.exists():
        from difflib import get_close_matches

        similar = get_close_matches(path.name, [p.name for p in _readable(path.parent)], 1)
        return f"there is no file {path}" + (
            f"; did you mean {path.parent / similar[0]}?" if similar else ""
        )
    if not os.access(path, os.R_OK):
        return f"there is no permission to read {path}; its owner can give it (chmod +r)"
    return ""


def _readable(folder: Path) -> list[Path]:
    """The files in a folder that have a language."""
    try:
        return sorted(p for p in folder.iterdir() if find_language(p) is not None)
    except OSError:
        return []


def _several(files: Sequence[Path], request: Request) -> Request:
    if len(files) == 1:
        return replace(request, file=str(files[0]))
    for file in files:
        found = find_language(file)
        if found is None or "preprocessing" not in found.reading:
            raise ConfigError(f"several files make one program in C only, and {file} is no C file")
    others = tuple(map(str, files[1:]))
    return replace(
        request, file=str(files[0]), preprocessing=replace(request.preprocessing, others=others)
    )


@contextmanager
def _text_file(text: Any, language: str) -> Iterator[tuple[str, str]]:
    """A file with the text, and the name of it for the user."""
    known = {x.name: x for x in LANGUAGES}
    if language not in known:
        raise ConfigError(f"there is no language {language!r}; there are: {', '.join(known)}")
    if not isinstance(text, str):
        raise ConfigError(f"with a language the input is text, not {type(text).__name__}")
    suffix = known[language].suffixes[0]
    with tempfile.TemporaryDirectory(prefix="obligato-") as folder:
        path = Path(folder, f"text{suffix}")
        path.write_text(text, encoding="utf-8")
        yield str(path), f"<text>{suffix}"


def renamed(value: T, old: str, new: str) -> T:
    """The value with the file's name `old` replaced by `new` in all texts inside."""
    found: Any = value
    if isinstance(value, str):
        found = value.replace(old, new)
    elif isinstance(value, tuple):
        found = tuple(renamed(x, old, new) for x in value)
    elif isinstance(value, list):
        found = [renamed(x, old, new) for x in value]
    elif isinstance(value, dict):
        found = {key: renamed(x, old, new) for key, x in value.items()}
    elif is_dataclass(value) and not isinstance(value, type):
        found = replace(
            value, **{f.name: renamed(getattr(value, f.name), old, new) for f in fields(value)}
        )
    return found  # type: ignore[no-any-return]
