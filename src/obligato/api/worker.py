"""A request carried out in a process of its own, and what comes back from it: always plain data,
whatever happened.

`work` runs in the child and turns every error into a `Response`; `run_isolated` runs in the parent
and makes an outcome even of a child that had to be killed. An internal error leaves a *bundle*: a
folder with the input, the request, the refused claim and the message, enough to reproduce it.
"""

from __future__ import annotations

import gc
import pickle
import shutil
import tempfile
import threading
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from obligato.api.request import ClaimRefused, Request, from_task
from obligato.api.supervisor import Ended, Report, supervise
from obligato.errors import ConfigError, InputError, ObligatoError, Span, Unsupported
from obligato.reports.excerpt import excerpt
from obligato.results.outcome import Outcome, PropertyVerdict, Verdict, summary

REASONS = {"timeout": "timeout", "memory": "memory", "stopped": "interrupted"}


@dataclass(frozen=True, slots=True)
class Response:
    """What a worker made of its request: an outcome, or why there is none.

    `problem` is empty, "refused" (input), "usage", "rejected" (a claim handed in) or "internal";
    `excerpt` shows the place of a refusal, `bundle` is the folder of an internal error.
    """

    outcome: Outcome | None = None
    problem: str = ""
    message: str = ""
    span: Span | None = None
    excerpt: str = ""
    bundle: str = ""
    construct: str = ""  # what is unsupported, where that is why the input is refused


Work = Callable[[Request, Report], Outcome]


def guarded(work: Work, request: Request, report: Report) -> Response:
    """`work`, with errors as responses. Runs in the child, whose garbage collector is tuned for
    many long-lived terms.
    """
    gc.set_threshold(200_000, 20, 50)
    try:
        return Response(work(request, report))
    except InputError as problem:
        return refusal(problem)
    except ConfigError as problem:
        return Response(problem="usage", message=str(problem))
    except ClaimRefused as problem:
        return Response(problem="rejected", message=str(problem))
    # Reported as an internal error with its traceback, never swallowed.
    except Exception as problem:  # noqa: BLE001
        return internal(request, problem)


def refusal(problem: InputError) -> Response:
    """The response to an input that is refused."""
    construct = problem.construct if isinstance(problem, Unsupported) else ""
    return Response(
        None, "refused", problem.message, problem.span, excerpt(problem.span), construct=construct
    )


def internal(request: Request, problem: Exception) -> Response:
    """The response to an internal error, with its bundle."""
    name = "" if isinstance(problem, ObligatoError) else f"{type(problem).__name__}: "
    try:
        bundle = write_bundle(request, problem)
    except OSError:
        bundle = ""  # there is no place left: the message has to do
    return Response(problem="internal", message=f"{name}{problem}", bundle=bundle)


def write_bundle(request: Request, problem: Exception) -> str:
    """Write what reproduces the error to a fresh folder in the current directory, else among the
    temporary files.
    """
    from obligato.reports.json_report import json_text

    try:
        folder = Path(tempfile.mkdtemp(prefix="obligato-bundle-", dir=Path.cwd()))
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="obligato-bundle-"))
    (folder / "message.txt").write_text(
        "".join(traceback.format_exception(problem)), encoding="utf-8"
    )
    (folder / "request.json").write_text(
        json_text(asdict(replace(request, model=None))), encoding="utf-8"
    )
    claim = getattr(problem, "claim", None)
    if claim is not None:
        (folder / "claim.json").write_text(json_text(_plain(claim)), encoding="utf-8")
    if request.model is not None:
        (folder / "model.pickle").write_bytes(pickle.dumps(request.model))
    elif Path(request.file).is_file():
        shutil.copy(request.file, folder / f"input{Path(request.file).suffix}")
    return str(folder)


def _plain(value: Any) -> Any:
    """A claim of any kind as plain data: dataclasses by their fields, terms as SMT-LIB."""
    from obligato.terms import Term
    from obligato.terms.printer import to_smtlib

    if isinstance(value, Term):
        return to_smtlib(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(_plain(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def verify_work(request: Request, report: Report) -> Outcome:
    """Verify; the work of `obligato verify`."""
    from obligato.api.pipeline import Run

    return Run(from_task(request), report).outcome()


def run_isolated(
    request: Request,
    on_report: Report = lambda kind, data: None,
    method: str = "fork",
    work: Work = verify_work,
    spent: float = 0.0,
    stop: threading.Event | None = None,
) -> Response:
    """Carry out `request` in a child process within its limits, of which `spent` seconds are gone
    already; `method` and `stop` as in `supervise`.

    Counters and verdicts that the child reported survive it.
    """
    start = monotonic() - spent
    if request.timeout is not None:
        request = replace(request, timeout=max(0.01, request.timeout - spent))
    if request.asks_several():
        from obligato.api.portfolio import run_portfolio

        return run_portfolio(request, work, on_report, method, stop=stop)
    known: dict[str, dict[str, Any]] = {"progress": {}, "request": {}, "verdict": {}}

    def note(kind: str, data: Any) -> None:
        if kind in known:
            known[kind].update(data if isinstance(data, dict) else {data.property: data})
        on_report(kind, data)

    task = partial(guarded, work, request)
    ended = supervise(
        task,
        timeout=request.timeout,
        memory_mb=request.memory,
        on_report=note,
        method=method,
        stop=stop,
    )
    stats = {"wall_s": round(monotonic() - start, 3), **ended.usage, **known["progress"]}
    return _response(request, ended, known["request"], known["verdict"], stats)


def _response(
    request: Request,
    ended: Ended,
    resolved: dict[str, Any],
    known: dict[str, PropertyVerdict],
    stats: dict[str, Any],
) -> Response:
    if ended.how == "done":
        response: Response = ended.value
        return response
    if ended.how == "died":
        return internal(request, ObligatoError(f"the worker died: {ended.detail}"))
    given = {
        "engine": request.engine,
        "options": dict(request.settings),
        "property": request.property,
    } | resolved
    names = given.pop("properties", [given["property"]])
    verdicts = [
        known.get(n, PropertyVerdict(n, Verdict.UNKNOWN, REASONS[ended.how])) for n in names
    ]
    return Response(
        summary(
            request.file,
            given.pop("property"),
            tuple(verdicts),
            preset=request.preset,
            seed=request.seed,
            stats=stats,
            **given,
        )
    )
