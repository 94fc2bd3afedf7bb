"""Tools that can be run on a task: our own engines, peers, any command. An adapter says how to call
a tool and how to read its conclusion; it records the version and the command.

A conclusion is a *status* (`bench.score`), why, and statistics. What a limit ended is `timeout` or
`memory`, whatever it printed; an exit status that the tool does not document is `internal`.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from obligato.bench.limited import TIMEOUTS, Ended, Limits
from obligato.bench.score import FALSE, INTERNAL, MEMORY, REFUSED, TIMEOUT, TRUE, UNKNOWN
from obligato.bench.tasks import Task
from obligato.errors import ConfigError
from obligato.terms.numerals import parse_int

OBLIGATO = (sys.executable, "-c", "from obligato.cli.main import main; main()")
DEFAULT = "default"
OUTCOME = "outcome.json"  # written into the folder of the run
_VERDICTS = {"true": TRUE, "false": FALSE, "unknown": UNKNOWN}
_REASON_LENGTH = 300


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a tool has come to."""

    status: str
    reason: str = ""
    stats: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool with its options. `shown` is its command for readers,
    `command` the one for a task."""

    name: str
    version: str
    shown: str
    command: Callable[[Task, Limits], list[str]]
    read: Callable[[Ended, Path], Conclusion]
    accepts: Callable[[Task], bool] = lambda task: True
    options: Mapping[str, Any] = field(default_factory=dict)

    def conclusion(self, ended: Ended, folder: Path) -> Conclusion:
        """Limits first, then what the tool itself says."""
        said = (
            self.read(ended, folder)
            if ended.how not in ("stopped", "not started")
            else Conclusion(INTERNAL, ended.err)
        )
        if ended.how in TIMEOUTS:
            return Conclusion(TIMEOUT, ended.how, said.stats)
        if ended.how in ("memory", "processes"):
            return Conclusion(
                MEMORY if ended.how == "memory" else INTERNAL, f"limit of {ended.how}", said.stats
            )
        return said


def obligato(
    engine: str,
    preset: str | None = None,
    settings: tuple[str, ...] = (),
    version: str = "",
    seed: int = 0,
) -> Tool:
    """One of our engines, as `obligato verify` runs it;
    `DEFAULT` leaves the choice to the command line."""
    name = engine + (f"/{preset}" if preset else "") + "".join(f" {s}" for s in settings)
    options = [] if engine == DEFAULT else ["--engine", engine]
    options += [*(["--preset", preset] if preset else []), "--seed", str(seed)]
    for s in settings:
        options += ["--set", s]

    def command(task: Task, limits: Limits) -> list[str]:
        ends = ["--timeout", f"{limits.wall_s:g}", "--json", OUTCOME, "--quiet"]
        return [*OBLIGATO, "verify", task.file, *options, *task.about(), *ends]

    shown = (
        f"obligato verify {{file}} {shlex.join(options)} --property {{property}} --data-model"
        " {data_model}"
    )
    return Tool(
        name,
        version,
        shown,
        command,
        read_obligato,
        options={"engine": engine, "preset": preset, "settings": list(settings), "seed": seed},
    )


def read_obligato(ended: Ended, folder: Path) -> Conclusion:
    """By the JSON outcome if there is one, else by exit status and message."""
    outcome = read_outcome(folder / OUTCOME)
    if outcome is None or "error" in outcome:
        return read_lines(ended, folder)
    certificate = outcome.get("certificate") or {}
    stats = outcome.get("stats", {}) | {
        k: certificate[k] for k in ("checker", "independent") if k in certificate
    }
    status, reason = _VERDICTS.get(outcome["verdict"], INTERNAL), outcome.get("reason") or ""
    agreed = {TRUE: 0, FALSE: 10, UNKNOWN: 20}.get(status)
    if ended.status != agreed:
        return Conclusion(
            INTERNAL, f"exit status {ended.status} does not agree with {status}", stats
        )
    if status == UNKNOWN and reason in (TIMEOUT, MEMORY):
        return Conclusion(reason, reason, stats)
    return Conclusion(status, reason, stats)


def read_outcome(path: Path) -> dict[str, Any] | None:
    """The JSON outcome in a file; None where there is none."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"), parse_int=parse_int)
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) and "verdict" in data else None


def read_lines(ended: Ended, folder: Path) -> Conclusion:
    """By the exit status, then the last line as BenchExec spells verdicts:
    true, false(...), unknown."""
    lines = [line for line in ended.out.splitlines() if line.strip()]
    message = shortened(ended.err or "\n".join(lines))
    if ended.status in (2, 3):
        return Conclusion(REFUSED, message)
    if ended.status not in (0, 10, 20):
        died = (
            f"signal {-ended.status}"
            if ended.status is not None and ended.status < 0
            else f"exit status {ended.status}"
        )
        return Conclusion(INTERNAL, f"{died}: {message}" if message else died)
    word = re.match(r"[a-z]*", lines[-1].strip()) if lines else None
    status = _VERDICTS.get(word.group() if word else "", UNKNOWN)
    reason = lines[-2] if status == UNKNOWN and len(lines) > 1 else ""
    return Conclusion(reason if reason in (TIMEOUT, MEMORY) else status, shortened(reason))


def shortened(message: str) -> str:
    """The line of a message that says most, without the folder of a file."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"(^|:\d+: |internal )error: ", line)] or lines[
        -1:
    ]
    text = telling[0] if telling else ""
    return re.sub(r"(?:/[^/\s:]+)+/(?=[^/\s:]+)", "", text)[:_REASON_LENGTH]


def any_command(text: str) -> Tool:
    """NAME=COMMAND, where {file}, {property},
    {data_model} and {timeout} stand for what they say."""
    name, equals, template = text.partition("=")
    if not equals or "{file}" not in template:
        raise ConfigError(f"a command is NAME=COMMAND with {{file}} in it, not {text!r}")
    words = shlex.split(template)

    def command(task: Task, limits: Limits) -> list[str]:
        values = {
            "{file}": task.file,
            "{property}": task.property,
            "{data_model}": task.data_model,
            "{timeout}": f"{limits.wall_s:g}",
        }
        out = words
        for hole, value in values.items():
            out = [w.replace(hole, value) for w in out]
        return out

    return Tool(name.strip(), "", template, command, read_lines)
