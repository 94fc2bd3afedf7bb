"""The input languages: one record each, and all that differs between them.

To add a language, write a package `frontends.NAME` with a function `load(file)` that returns what
its kind says, and add one record to `LANGUAGES`; reading, engines, checks and reports take
everything else from the record. Functions are named by "module:function" and imported when they are
first used, because parsers are slow to import and reports lie above this layer.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any

from obligato.errors import ConfigError, InputError, Span, Unsupported

ASSERTIONS = "assertions"  # C: failed assertions, besides calls of error functions
UNREACH_CALL = "unreach-call"  # C: calls of error functions only, as in SV-COMP
# of a system: every property that its file specifies; of C: all that can be asked for, each once
ALL = "all"
NO_OVERFLOW = "no-overflow"
DIV_BY_ZERO = "div-by-zero"  # C: division and remainder of integers
SHIFTS = "shifts"  # C: amounts out of range
LTL = "ltl:"  # begins a temporal formula; of C its atoms are expressions
TERMINATION = "termination"  # of programs: every run ends
MEMSAFETY = "memsafety"  # valid-deref and valid-free
VALID_MEMSAFETY = "valid-memsafety"  # valid-memtrack besides
GLANCE = 4096  # bytes of a file that are looked at before it is read


class InputKind(Enum):
    """What `load` returns: a `Program`, a `TransitionSystem`, or Horn clauses as a `HornCFA`."""

    PROGRAM = "program"
    SYSTEM = "transition system"
    HORN = "Horn clauses"


@dataclass(frozen=True, slots=True)
class Language:
    """One input language.

    `engine` is the engine that is used if none is named. `properties` are the names that
    `--property` may give, the default first; a transition system has those of its own input
    besides. `reading` names the keyword arguments of `load`.

    Hooks, empty where there is none:
    `formula`         (formula, names, unsigned) -> text or None: a formula in the language, with
                      the user's names of variables; `unsigned` are the variables that are read as
                      unsigned numbers. The conditions of traces are printed by it, too, and their
                      other statements by their source lines.
    `trace`           (TraceReport) -> lines: a trace for the eye; the default is one line for each
                      step.
    `replay`          (file, SystemTrace, property or None, **reading) -> (streams, doubt): the run
                      as a second reader of the input sees it; raises InternalError where it sees
                      another one. A doubt (a text) makes the verdict unknown.
    `sample`          (file, system, seed, **reading) -> text: what a second reader of the input
                      sees differently on a few random runs of the system as it was loaded; empty:
                      nothing.
    `write_witness`   (system, verdict, run, violated property) -> text: the witness in the format
                      that goes with the language; without a run there is no system either.
    `read_witness`    (system, text, witness) -> SystemTrace: the run in the `text` of the file
                      `witness`.
    Both take the system as it was loaded. `rereads` says that the file is read more than once.
    """

    name: str
    kind: InputKind
    suffixes: tuple[str, ...]
    engine: str
    properties: tuple[str, ...] = (UNREACH_CALL,)
    reading: tuple[str, ...] = ()
    formula: str = ""
    trace: str = ""
    replay: str = ""
    sample: str = ""
    write_witness: str = ""
    read_witness: str = ""
    rereads: bool = False
    words: str = ""  # the engine, if none is named, for systems of bits and words only
    whole: tuple[str, ...] = ()  # the properties that `all` stands for

    def load(self, file: str | Path, **reading: Any) -> Any:
        """The input in `file`; of the `reading` options those that the language has."""
        self._glance(Path(file), alone=not getattr(reading.get("preprocessing"), "others", ()))
        function = import_module(f"obligato.frontends.{self.name}").load
        return function(file, **self.reads(**reading))

    def _glance(self, file: Path, alone: bool) -> None:
        """Refuse an empty file and a binary one in plain words. What is a pipe, or cannot be
        opened, is left to the reader.
        """
        if not file.is_file() or not os.access(file, os.R_OK):
            return
        with file.open("rb") as opened:
            start = opened.read(GLANCE)
        if alone and len(start) < GLANCE and not start.strip():
            raise InputError(
                "the file is empty: is it the right one, and was it saved?", Span(str(file))
            )
        if b"\0" in start and file.suffix != ".aig":
            raise InputError(
                f"a binary file, not {self.name}: name the source, not what was made of it",
                Span(str(file)),
            )

    def reads(self, **reading: Any) -> dict[str, Any]:
        """Of the `reading` options those that the language has."""
        return {name: value for name, value in reading.items() if name in self.reading}

    def hook(self, name: str) -> Callable[..., Any] | None:
        """The function behind a hook, imported now; None where the language has none."""
        module, _, function = str(getattr(self, name)).partition(":")
        found: Callable[..., Any] | None = (
            getattr(import_module(module), function) if module else None
        )
        return found

    def property(self, wanted: str) -> str:
        """What is asked for: a property, or several with commas between them; an empty text asks
        for the default.

        Properties that the language does not know are refused; those of a transition system are
        known when it is read.
        """
        asked = wanted or self.properties[0]
        if asked.startswith(LTL) and "observed" in self.reading:
            return asked
        single = self.kind is InputKind.PROGRAM  # checks have names: property@place
        unknown = [
            n
            for n in self.names(asked)
            if (n.partition("@")[0] if single else n) not in self.properties
        ]
        if unknown and self.kind is not InputKind.SYSTEM:
            known = ", ".join((*self.properties, *([ALL] if self.whole else ())))
            raise ConfigError(
                f"property {unknown[0]!r} is not supported for {self.name}; there are: {known}"
            )
        return asked

    def names(self, asked: str) -> list[str]:
        """The single properties in a list with commas; each once."""
        if asked.startswith(LTL):
            return [asked]
        if asked == ALL and self.whole:
            return list(self.whole)
        return list(dict.fromkeys(name.strip() for name in asked.split(",")))


LANGUAGES = (
    Language(
        "c",
        InputKind.PROGRAM,
        (".c", ".i"),
        "ic3cfa",
        (
            ASSERTIONS,
            UNREACH_CALL,
            NO_OVERFLOW,
            MEMSAFETY,
            VALID_MEMSAFETY,
            DIV_BY_ZERO,
            SHIFTS,
            TERMINATION,
        ),
        reading=(
            "data_model",
            "entry",
            "property",
            "externals",
            "memory",
            "addresses",
            "preprocessing",
            "markers",
            "observed",
        ),
        formula="obligato.terms.c_printer:c_text",
        trace="obligato.reports.c_trace:c_trace_lines",
        rereads=True,
        whole=(ASSERTIONS, MEMSAFETY, NO_OVERFLOW, DIV_BY_ZERO, SHIFTS),
    ),
    Language("ivl", InputKind.PROGRAM, (".ivl",), "ic3cfa", (UNREACH_CALL, TERMINATION)),
    Language("chc", InputKind.HORN, (".smt2",), "ic3cfa", (UNREACH_CALL, "check-sat")),
    Language(
        "lustre",
        InputKind.SYSTEM,
        (".lus",),
        "ic3ia",
        reading=("contracts",),
        replay="obligato.frontends.lustre.replay:replay",
        sample="obligato.frontends.lustre.sampling:disagreement",
        formula="obligato.frontends.lustre.printer:lustre_text",
        rereads=True,
        words="ic3bmc",
    ),
    Language(
        "smv",
        InputKind.SYSTEM,
        (".smv",),
        "ic3bmc",
        (ALL,),
        replay="obligato.frontends.smv.replay:replay",
        rereads=True,
    ),
    Language("vmt", InputKind.SYSTEM, (".vmt",), "ic3ia"),
    Language("mcmt", InputKind.SYSTEM, (".mcmt",), "ic3ia"),
    Language(
        "btor2",
        InputKind.SYSTEM,
        (".btor2", ".btor"),
        "ic3bmc",
        write_witness="obligato.frontends.btor2.witness:of_verdict",
        read_witness="obligato.frontends.btor2.witness:for_system",
    ),
    Language("verilog", InputKind.SYSTEM, (".sv", ".v"), "ic3bmc", rereads=True),
    Language(
        "aiger",
        InputKind.SYSTEM,
        (".aig", ".aag"),
        "ic3bmc",
        write_witness="obligato.frontends.aiger.witness:of_verdict",
        read_witness="obligato.frontends.aiger.witness:for_system",
    ),
)
SUFFIXES = tuple(suffix for language in LANGUAGES for suffix in language.suffixes)


def find_language(file: str | Path) -> Language | None:
    """The language of a file, by its suffix; None: no language has it."""
    suffix = Path(file).suffix
    return next((language for language in LANGUAGES if suffix in language.suffixes), None)


def language_of(file: str | Path) -> Language:
    """The language of a file, by its suffix; others are refused."""
    found = find_language(file)
    if found is None:
        named = (
            f"files named *{Path(file).suffix}"
            if Path(file).suffix
            else "a file whose name has no suffix"
        )
        message = f"no front end for {named}; there are: {', '.join(SUFFIXES)}"
        raise Unsupported(message, Span(str(file)), "file type")
    return found
