"""Obligato as a library: `load` a program, `verify` it, get an `Outcome`. No global state; nothing is printed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from obligato.api.members import is_portfolio
from obligato.api.request import NATIVE, Request
from obligato.errors import NO_SPAN, ConfigError, InputError, InternalError
from obligato.frontends.registry import InputKind, language_of
from obligato.program.syntax import Program
from obligato.results.outcome import Outcome, Verdict

__all__ = ["Outcome", "Request", "Verdict", "load", "verify"]


def load(
    path: str | Path, *, data_model: str = NATIVE, entry: str = "main", property: str | None = None
) -> Program:
    """The program in a file (C or IVL, by its suffix)."""
    language = language_of(path)
    if language.kind is not InputKind.PROGRAM:
        raise ConfigError(f"{path} holds no program but {language.kind.value}")
    program: Program = language.load(path, data_model=data_model, entry=entry, property=language.property(property or ""))
    return program


def verify(
    path: str | Path,
    engine: str | None = None,
    *,
    preset: str | None = None,
    property: str | None = None,
    timeout: float | None = None,
    memory: int | None = None,
    data_model: str = NATIVE,
    entry: str = "main",
    seed: int = 0,
    isolated: bool = False,
    **options: Any,
) -> Outcome:
    """Verify the program or transition system in a file, with the engine of choice for its kind if none is named.

    `options` are the engine's, and override the preset.

    In this process a time limit is noticed between solver calls and memory is not limited. With `isolated` the work is
    done in a fresh process (as the command line does it), and both limits (seconds, MB) are kept whatever a solver does.
    Several engines (`auto`, or names with commas between them) always have a process each.
    """
    request = Request(str(path), engine or "", preset, options, property or "", timeout, memory, data_model, entry, seed)
    from obligato.api.worker import Answer, run_isolated, verify_work

    if not isolated and not is_portfolio(request.engine):
        return verify_work(request, lambda kind, data: None)
    answer: Answer = run_isolated(request, method="spawn")
    if answer.outcome is not None:
        return answer.outcome
    if answer.problem == "refused":
        raise InputError(answer.message, answer.span or NO_SPAN)
    if answer.problem == "usage":
        raise ConfigError(answer.message)
    raise InternalError(f"{answer.message} (bundle: {answer.bundle})")
