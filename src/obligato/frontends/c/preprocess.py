"""Preprocessing: includes, macros and conditions, by the machine's compiler or, where there is
none, by `pcpp`.

Standard headers are our own (the folder `include`), so that neither a compiler nor the headers of a
library are needed and both data models read the same declarations. `headers=system` takes the
machine's; `auto` does so where a header is included that we do not have, or the machine's leave
another part of the program than ours: its conditions may ask for their macros.
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
_MARKER = re.compile(rb'^# \d+ "((?:[^"\\]|\\.)*)"(.*)', re.MULTILINE)
_DEFINITION = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_SPLICE = re.compile(rb"\\[ \t\v\f]*\r?\n")
# A condition, or a macro whose text has a `#` in it.
_DIRECTIVE = re.compile(
    rb"(?:#|%:|\?\?=)(?:[ \t\v\f]|/\*.*?\*/)*(?:(?:el)?if|define\b[^\n]*?(?:#|%:|\?\?=))", re.DOTALL
)
_OPTIMISED = re.compile(rb"\b__(?:OPTIMIZE(?:_SIZE)?|NO_INLINE)__\b")
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
    own = how.headers != "system"
    done = _run(compiler, path, data_model, how, own)
    if how.headers == "auto" and _needs_others(compiler, path, data_model, how, done):
        own, done = False, _run(compiler, path, data_model, how, own=False)
    text = _output(path, done)
    _same_when_optimised(compiler, path, data_model, how, own, text)
    return text


def _same_when_optimised(
    compiler: str, path: Path, data_model: str, how: Preprocessing, own: bool, text: bytes
) -> None:
    """Refuse a program that has another text where compilers optimise it."""
    marked = _MARKER.findall(text)
    names = dict.fromkeys(name for name, flags in marked if b"3" not in flags.split())
    files = [f for name in names if (f := Path(name.decode())).is_file()]
    for f in files:
        content = f.read_bytes()
        asked = _OPTIMISED.search(content)
        if asked is None:
            continue
        for level in ("-O2", "-Os"):
            other = _run(compiler, path, data_model, how, own, level)
            if _left(other.stdout)[0] != _left(text)[0]:
                message = "the program depends on whether compilers optimise (-U or -D decides)"
                place = Span(str(f), content.count(b"\n", 0, asked.start()) + 1, 1)
                raise Unsupported(message, place, "__OPTIMIZE__")


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
    """Does a file, of which this is what our headers give, need the machine's? Where something may
    depend on what a header defines, or which there are, both must leave the same of the program.
    """
    if own.returncode != 0:
        return any(word in own.stderr for word in (MISSING.encode(), b"#error"))
    if not _asks(own.stdout):
        return False
    ours, theirs = (
        _run(compiler, path, data_model, how, o, "-fdirectives-only") for o in (True, False)
    )
    if ours.returncode != 0 or theirs.returncode != 0:  # clang does not know the option
        return theirs.returncode == 0 or b"-fdirectives-only" in theirs.stderr
    text, known = _left(ours.stdout)
    others, macros = _left(theirs.stdout)
    return text != others or any(name in macros for name in _names(text) if name not in known)


def _asks(text: bytes) -> bool:
    """Has a program a condition, or an operator that makes a text of its arguments, beside headers
    of ours? It may ask for headers without any.
    """
    files = [f for name, _ in _MARKER.findall(text) if (f := Path(name.decode())) and f.is_file()]
    users = [f for f in dict.fromkeys(files) if OWN_HEADERS not in f.parents]
    texts = b"\n".join(_SPLICE.sub(b"", f.read_bytes()) for f in users)
    return b"__has_include" in texts or (
        len(users) < len(set(files)) and _DIRECTIVE.search(texts) is not None
    )


def _left(text: bytes) -> tuple[list[bytes], set[bytes]]:
    """What conditions leave of the files of the program, and the names of all macros."""
    lines, mine = [], True
    for line in text.splitlines():
        marker = _MARKER.fullmatch(line)
        if marker is None:
            lines += [line] if mine and line.strip() else []
        else:
            name = Path(marker[1].decode())
            mine = not (b"3" in marker[2].split() or name.name[:1] == "<" or name == BEFORE)
    return lines, set(_DEFINITION.findall(text))  # membership only


def _names(lines: list[bytes]) -> list[bytes]:
    return [name for line in lines for name in re.findall(rb"[A-Za-z_]\w*", line)]


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
            [compiler, *flags, str(path)], capture_output=True, timeout=SECONDS, check=False
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
        for folder in (*self.how.folders, str(OWN_HEADERS), str(self.path.parent)):
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
