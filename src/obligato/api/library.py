"""Obligato as a library: `verify` an input, `start` it in the background, `check` a claim, `load` a
model, `report` an outcome.

No global state; nothing is printed; several runs may go on at once, from several threads.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from obligato.api.inputs import request_for
from obligato.api.request import NATIVE, ClaimRefused, Request, is_portfolio
from obligato.api.running import Event, Running, isolated_outcome
from obligato.errors import ConfigError
from obligato.frontends.preprocessing import STANDARD, Preprocessing
from obligato.frontends.registry import InputKind, language_of
from obligato.results.outcome import Outcome, Verdict

if TYPE_CHECKING:
    from obligato.api.inputs import Input, Rename
    from obligato.models.transition_system import TransitionSystem
    from obligato.program.syntax import Program

__all__ = [
    "ClaimRefused",
    "Event",
    "Outcome",
    "Request",
    "Running",
    "Verdict",
    "check",
    "load",
    "report",
    "start",
    "verify",
]


def load(
    path: str | Path, *, data_model: str = NATIVE, entry: str = "main", property: str | None = None
) -> Program | TransitionSystem:
    """The program (C, IVL) or transition system in a file, by its suffix; `verify` takes it as it
    is.
    """
    language = language_of(path)
    if language.kind is InputKind.HORN:
        raise ConfigError(
            f"{path} holds Horn clauses, which are no program and no transition system; verify the"
            " file itself"
        )
    asked = language.property(property or "")
    model: Program | TransitionSystem = language.load(
        path, data_model=data_model, entry=entry, property=asked
    )
    return model


def verify(
    input: Input,
    engine: str | None = None,
    *,
    language: str | None = None,
    preset: str | None = None,
    property: str | None = None,
    timeout: float | None = None,
    memory: int | None = None,
    data_model: str = NATIVE,
    entry: str = "main",
    include: Sequence[str] = (),
    define: Mapping[str, str] | None = None,
    standard: str = STANDARD,
    seed: int = 0,
    isolated: bool | None = None,
    **options: Any,
) -> Outcome:
    """Prove or refute `input`: a path, a list of C files, a model, a builder, or with `language` a
    text.

    `engine` is one of `obligato engines`, several with commas between them, or auto; without one
    the language decides. `property`, `preset`, `data_model` and `entry` are those of the command
    line; `include` are folders and `define` macros for C. All other keywords are options of the
    engine.

    `timeout` (seconds) and `memory` (MB) are kept whatever a solver does, because with a limit the
    work is done in another process. Without one it is done in this process, which saves a start.
    `isolated` overrides this: True protects this process from everything; False lets a time limit
    be noticed between solver calls only.

    Raises InputError (the input is refused, with its place), ConfigError (the request makes no
    sense), InternalError.
    """
    asked = Request(
        "",
        engine or "",
        preset,
        options,
        property or "",
        timeout,
        memory,
        data_model,
        entry,
        seed,
        preprocessing=_preprocessing(include, define, standard),
    )
    apart = _apart(asked, isolated)
    asked.validate()
    with request_for(input, language, asked) as (request, rename):
        return isolated_outcome(request, rename) if apart else _outcome_here(request, rename)


def _outcome_here(request: Request, rename: Rename) -> Outcome:
    """The outcome, found in this process."""
    from obligato.api.worker import verify_work

    outcome: Outcome = rename(verify_work(request, lambda kind, data: None))
    return outcome


def _apart(asked: Request, isolated: bool | None) -> bool:
    """Is the work done in another process?"""
    needed = is_portfolio(asked.engine) or asked.memory is not None
    if needed and isolated is False:
        raise ConfigError(
            "several engines and a memory limit need processes of their own: leave isolated out"
        )
    return needed or (asked.timeout is not None if isolated is None else isolated)


def _preprocessing(
    include: Sequence[str], define: Mapping[str, str] | None, standard: str
) -> Preprocessing:
    macros = tuple(
        ("D", f"{name}={text}" if text else name) for name, text in (define or {}).items()
    )
    return Preprocessing(tuple(include), macros, (), standard)


def start(
    input: Input,
    engine: str | None = None,
    *,
    language: str | None = None,
    preset: str | None = None,
    property: str | None = None,
    timeout: float | None = None,
    memory: int | None = None,
    data_model: str = NATIVE,
    entry: str = "main",
    include: Sequence[str] = (),
    define: Mapping[str, str] | None = None,
    standard: str = STANDARD,
    seed: int = 0,
    events: bool = False,
    **options: Any,
) -> Running:
    """`verify` in the background: iterate over the result for its events, `cancel` it, or wait for
    its `result`.

    With `events` the engine's own events (lemmas, obligations, ...) are among them; there may be
    thousands a second.
    """
    asked = Request(
        "",
        engine or "",
        preset,
        options,
        property or "",
        timeout,
        memory,
        data_model,
        entry,
        seed,
        events=events,
        preprocessing=_preprocessing(include, define, standard),
    )
    asked.validate()

    def work(stop: Any, report: Any) -> Outcome:
        with request_for(input, language, asked) as (request, rename):
            return isolated_outcome(request, rename, stop, report)

    name = getattr(input, "name", None) or (f"<text>.{language}" if language else str(input)[:80])
    return Running(work, str(name))


def check(
    input: Input,
    claim: str | Path | Outcome | Mapping[str, Any],
    *,
    timeout: float | None = None,
    **reading: Any,
) -> Outcome:
    """Re-check a certificate or trace against the input, without an engine: the claim is an
    `Outcome`, its JSON (as a mapping or in a file), or a witness file. Raises `ClaimRefused` if it
    is not accepted. `reading` as for `verify`: property, ...
    """
    from obligato.api.recheck import assisted, recheck_work
    from obligato.reports.json_report import to_dict

    with tempfile.TemporaryDirectory(prefix="obligato-") as folder:
        if isinstance(claim, str | Path):
            file = str(claim)
        else:
            file = str(Path(folder, "claim.json"))
            data = to_dict(claim) if isinstance(claim, Outcome) else claim
            Path(file).write_text(json.dumps(data), encoding="utf-8")
        with request_for(input, None, Request("", timeout=timeout, **reading)) as (request, rename):
            return isolated_outcome(
                assisted(request, file), rename, work=partial(recheck_work, file)
            )


def report(outcome: Outcome, form: str = "text") -> str:
    """The outcome as a text: "text" as the command line prints it, "json", or another of
    `obligato verify --report`.
    """
    from obligato.reports.registry import report_format

    return report_format(form).text(outcome)
