"""Preprocessing: includes, macros and conditions, by the machine's compiler or, where there is
none, by `pcpp`.

Standard headers are our own (the folder `include`), so that neither a compiler nor the headers of a
library are needed and both data models read the same declarations. `headers=system` takes the
machine's; `auto` does so where a header is included that we do not have, or a condition asks for a
macro that our headers do not define as the machine's do.
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from obligato.errors import InputError, Span, Unsupported
from obligato.frontends.preprocessing import Preprocessing

OWN_HEADERS = Path(__file__).parent / "include"
BEFORE = OWN_HEADERS / "stdc-predef.h"  # is included before any other text
MISSING = "No such file or directory"
SECONDS = 60
_FILE = re.compile(rb'^# \d+ "((?:[^"\\]|\\.)*)"', re.MULTILINE)
_CONDITION = re.compile(rb"^[ \t]*(?:#|%:)[ \t]*(?:if|ifdef|ifndef|elif)\b(.*)", re.MULTILINE)
_DEFINITION = re.compile(rb"^[ \t]*(?:#|%:)[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_MACRO = re.compile(rb"^#define (\w+)(.*)", re.MULTILINE)
# What conditions in headers and programs ask about; everything else that compilers predefine
# libclang knows when it parses.
_PREDEFINED = {
    "__STDC__": "1",
    "__STDC_VERSION__": "201112L",
    "__STDC_HOSTED__": "1",
    "__GNUC__": "12",
    "__GNUC_MINOR__": "2",
    "__linux__": "1",
    "__linux": "1",
    "linux": "1",
    "__unix__": "1",
    "__unix": "1",
    "unix": "1",
    "__ELF__": "1",
    "__CHAR_BIT__": "8",
    "__SIZEOF_SHORT__": "2",
    "__SIZEOF_INT__": "4",
    "__SIZEOF_LONG_LONG__": "8",
    "__SIZEOF_FLOAT__": "4",
    "__SIZEOF_DOUBLE__": "8",
    "__INT_MAX__": "2147483647",
    "__ORDER_LITTLE_ENDIAN__": "1234",
    "__ORDER_BIG_ENDIAN__": "4321",
    "__BYTE_ORDER__": "1234",
}
_OF_MODEL = {
    "ILP32": {
        "__SIZEOF_LONG__": "4",
        "__SIZEOF_POINTER__": "4",
        "__SIZEOF_SIZE_T__": "4",
        "__i386__": "1",
        "__i386": "1",
        "__LONG_MAX__": "2147483647L",
        "__ILP32__": "1",
    },
    "LP64": {
        "__SIZEOF_LONG__": "8",
        "__SIZEOF_POINTER__": "8",
        "__SIZEOF_SIZE_T__": "8",
        "__x86_64__": "1",
        "__x86_64": "1",
        "__LONG_MAX__": "9223372036854775807L",
        "__LP64__": "1",
        "_LP64": "1",
    },
}


def preprocess(path: Path, data_model: str, how: Preprocessing) -> bytes:
    """The text of a file after preprocessing, with line markers."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        if how.headers == "system":
            raise InputError(
                "the system's headers need a C compiler (cc), and none is installed",
                Span(str(path)),
            )
        return _Pure(path, data_model, how).text()
    own = None if how.headers == "system" else _run(compiler, path, data_model, how, own=True)
    if own is not None and (
        how.headers == "own" or not _needs_others(compiler, path, data_model, how, own)
    ):
        return _output(path, own)
    return _output(path, _run(compiler, path, data_model, how, own=False))


def with_headers(paths: list[Path], data_model: str, how: Preprocessing) -> Preprocessing:
    """How several files are preprocessed: all of them with the machine's headers if one of them
    needs these.
    """
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or how.headers != "auto":
        return how
    runs = ((path, _run(compiler, path, data_model, how, own=True)) for path in paths)
    others = any(_needs_others(compiler, path, data_model, how, done) for path, done in runs)
    return replace(how, headers="system" if others else "own")


def _needs_others(
    compiler: str,
    path: Path,
    data_model: str,
    how: Preprocessing,
    own: subprocess.CompletedProcess[bytes],
) -> bool:
    """Does a file, of which this is what our headers give, need the machine's?"""
    if own.returncode != 0:
        return MISSING.encode() in own.stderr
    asked, defined = _asked(own.stdout)
    if not asked:
        return False
    ours, theirs = (
        dict(_MACRO.findall(_run(compiler, path, data_model, how, o, "-dM").stdout))
        for o in (True, False)
    )
    return any(
        name in theirs and (name not in ours or (name in defined and ours[name] != theirs[name]))
        for name in asked
    )


def _asked(text: bytes) -> tuple[set[bytes], set[bytes]]:
    """The names in conditions of a program that includes headers of ours, and the names that it
    defines.
    """
    files = dict.fromkeys(Path(name.decode()) for name in _FILE.findall(text))
    users = [f for f in files if OWN_HEADERS not in f.parents and f.is_file()]
    if len(users) == len([f for f in files if f.is_file()]):
        return set(), set()
    texts = [f.read_bytes().replace(b"\\\n", b"") for f in users]
    conditions = b"\n".join(c for t in texts for c in _CONDITION.findall(t))
    return (
        set(re.findall(rb"[A-Za-z_]\w*", conditions)),
        {name for t in texts for name in _DEFINITION.findall(t)},
    )


def _run(
    compiler: str, path: Path, data_model: str, how: Preprocessing, own: bool, *more: str
) -> subprocess.CompletedProcess[bytes]:
    flags = [
        "-E",
        *more,
        "-x",
        "c",
        f"-std={how.standard}",
        "-m32" if data_model == "ILP32" else "-m64",
    ]
    if own:
        flags += ["-nostdinc", "-isystem", str(OWN_HEADERS), "-imacros", str(BEFORE)]
    flags += [part for folder in how.folders for part in ("-I", folder)]
    flags += [f"-{letter}{text}" for letter, text in how.macros]
    flags += [part for file in how.included for part in ("-include", file)]
    try:
        return subprocess.run(
            [compiler, *flags, "-I", str(path.parent), str(path)],
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        raise InputError(f"preprocessing took more than {SECONDS} s", Span(str(path))) from late


def _output(path: Path, done: subprocess.CompletedProcess[bytes]) -> bytes:
    if done.returncode == 0:
        return done.stdout
    said = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    message, place = "\n".join(["preprocessing failed:", *said[:20]]), _place(path, said)
    raise (
        Unsupported(message, place, "missing header")
        if MISSING in message
        else InputError(message, place)
    )


def _place(path: Path, said: list[str]) -> Span:
    """The place that the first error message of a compiler names."""
    for line in said:
        file, *rest = line.split(":")
        if len(rest) > 2 and rest[0].isdecimal() and rest[1].isdecimal() and "error" in rest[2]:
            return Span(file, int(rest[0]), int(rest[1]))
    return Span(str(path))


def _strict() -> Any:
    """A preprocessor of the package pcpp whose errors are refusals; pragmas and unknown directives
    stay for the parser.
    """
    from pcpp import Action, OutputDirective, Preprocessor

    class Strict(Preprocessor):  # type: ignore[misc]
        def on_error(self, file: str, line: int, message: str) -> None:
            raise InputError(f"preprocessing failed: {message}", Span(file, line, 1))

        def on_include_not_found(
            self, malformed: bool, system: bool, folder: str, name: str
        ) -> None:
            place = (
                Span(self.source, self.lastdirective.lineno, 1)
                if self.lastdirective
                else Span(self.source)
            )
            message = (
                f"there is no file {name!r} to include (and no C compiler with headers of its own)"
            )
            raise Unsupported(message, place, "missing header")

        def on_directive_handle(
            self, directive: object, tokens: object, ignoring: bool, before: object
        ) -> object:
            if getattr(directive, "value", "") == "pragma":
                raise OutputDirective(Action.IgnoreAndPassThrough)
            return super().on_directive_handle(directive, tokens, ignoring, before)

    return Strict()


class _Pure:
    """Preprocessing without a compiler."""

    def __init__(self, path: Path, data_model: str, how: Preprocessing) -> None:
        self.path, self.data_model, self.how = path, data_model, how

    def text(self) -> bytes:
        """The text after preprocessing."""
        made = _strict()
        made.line_directive = "#"
        for line in self._definitions():
            made.define(line)
        for letter, name in self.how.macros:
            if letter == "U":
                made.undef(name)
        for folder in (*self.how.folders, str(self.path.parent), str(OWN_HEADERS)):
            made.add_path(folder)
        made.rewrite_paths = []
        out = io.StringIO()
        for file in (*map(Path, self.how.included), self.path):
            made.parse(file.read_text(encoding="latin-1"), str(file))
            made.write(out)
        return out.getvalue().encode("latin-1")

    def _definitions(self) -> Iterator[str]:
        for name, value in {**_PREDEFINED, **_OF_MODEL[self.data_model]}.items():
            yield f"{name} {value}"
        for letter, text in self.how.macros:
            name, equals, value = text.partition("=")
            if letter == "D":
                yield f"{name} {value if equals else '1'}"
