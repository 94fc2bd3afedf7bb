"""From a file name to a parsed translation unit, or a clean refusal.

`read_source` bounds what reaches the parser (size, text, unbracketed nesting) and preprocesses
files with directives (preprocess.py), `parse` calls libclang on a thread with a large stack
(libclang recurses: ten thousand nested statements need some hundred megabytes of address space, of
which only what is used is ever touched).
"""

from __future__ import annotations

import ctypes
import re
import threading
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from obligato.errors import InputError, Span, Unsupported
from obligato.frontends.c.libclang import CXSourceLocation, CXUnsavedFile, Library, library
from obligato.frontends.c.preprocess import preprocess
from obligato.frontends.preprocessing import Preprocessing
from obligato.frontends.reading import read_bytes

MAX_BYTES = 64 << 20
MAX_RUN = 200_000  # characters without ; { or }: a bound on nesting that brackets do not show
MAX_ELSE = 20_000
MAX_SEMICOLONS = 200_000  # so many statements have more syntax nodes than nodes.MAX_NODES
STACK_BYTES = 1 << 30
RECURSION_LIMIT = 60_000
TARGETS = {"ILP32": "i386-unknown-linux-gnu", "LP64": "x86_64-unknown-linux-gnu"}
# Wherever it stands: behind a comment or a digraph, too; what is no directive is preprocessed in vain.
_DIRECTIVE = re.compile(
    rb"(?:#|%:)(?:[ \t]|\\\r?\n|/\*.*?\*/)*(include|define|if|ifdef|ifndef|undef|error)\b",
    re.DOTALL,
)
# Macros that compilers predefine, each in its own way; not the names of functions and of machine
# modes (__SI__).
_PREDEFINED = re.compile(
    rb"\b(?:__(?!FUNCTION__|PRETTY_FUNCTION__|[A-Z][A-Z]__)[A-Z][A-Z0-9_]*__|__clang\w*|__llvm__|__has_\w+"
    rb"|__pi[ce]__)\b"
)
_DIMENSIONS = re.compile(rb"(?:\[[^\[\];{}]{0,40}\]){300}")
_VARARGS, VARARGS = (
    re.compile(rb"\b__builtin_va_\w"),
    Path(__file__).parent / "library" / "varargs.h",
)
_FLAGS = (
    "-w",
    "-fno-builtin",
    "-ferror-limit=50",
    "-fbracket-depth=1500",
    "-Wno-int-conversion",
    "-Wno-incompatible-function-pointer-types",
    "-Wno-implicit-function-declaration",
    "-Wno-implicit-int",
    "-Wno-return-type",
    "-nostdinc",
    "-D__builtin_va_arg_pack()=0",
    "-D__PRETTY_FUNCTION__=__FUNCTION__",
    "-D__malloc__(...)=",
)
# Initial values outside of functions that verifiers, and not compilers, allow: any value, or that
# of another variable.
_CONSTANT = "initializer element is not a compile-time constant"
_ALLOWED = re.compile(rb"(__VERIFIER_nondet_\w+\s*\(\s*\)|[A-Za-z_]\w*)\s*[;,]")
# Names that gcc knows and its headers use, where the text does not define them itself.
_GNU_TYPES = {
    "_Float32": "float",
    "_Float64": "double",
    "_Float32x": "double",
    "_Float64x": "long double",
    "_Float128": "__float128",
}
T = TypeVar("T")


@dataclass(frozen=True)
class Source:
    """Text to parse; `mapped` says that line markers lead back to the user's file. From `added` on
    it is not the user's. It is `old` if it is to be read by the rules of C90.
    """

    file: str
    text: bytes
    mapped: bool
    added: int | None = None
    old: bool = False


def with_stack(work: Callable[[], T]) -> T:
    """The result (or exception) of `work`, run on a thread with a large stack."""
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        # Handed over to the caller's thread, where it is raised again.
        except BaseException as e:  # noqa: BLE001
            errors.append(e)

    old = threading.stack_size(STACK_BYTES)
    try:
        thread = threading.Thread(target=run)
        thread.start()
    finally:
        threading.stack_size(old)
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def read_source(path: Path, data_model: str, how: Preprocessing) -> Source:
    """The text of `path`, preprocessed if it needs to be."""
    text = check_file(path)
    if not (_DIRECTIVE.search(text) or _PREDEFINED.search(text) or how.changes_text):
        return Source(str(path), text, mapped=False)
    return Source(str(path), preprocess(path, data_model, how), mapped=True, old=how.is_old)


def check_file(path: Path) -> bytes:
    """The text of a file that the parser can be trusted with."""
    text = read_bytes(path)
    _check_text(path, text)
    return text


def _check_text(path: Path, text: bytes) -> None:
    if len(text) > MAX_BYTES:
        raise InputError(f"the file is larger than {MAX_BYTES >> 20} MB", Span(str(path)))
    nul = text.find(b"\0")
    if nul >= 0:
        raise InputError(
            "not a C program: the file contains a NUL byte",
            Span(str(path), text.count(b"\n", 0, nul) + 1, 1),
        )
    if many := _DIMENSIONS.search(text):
        line = text.count(b"\n", 0, many.start()) + 1
        raise Unsupported(
            "an array of more than 300 dimensions", Span(str(path), line, 1), "deep nesting"
        )
    if text.count(b";") > MAX_SEMICOLONS:
        raise Unsupported(
            f"more than {MAX_SEMICOLONS} statements and declarations",
            Span(str(path), 1, 1),
            "huge file",
        )
    if (
        max(map(len, re.split(rb"[;{}]", text))) > MAX_RUN
        or len(re.findall(rb"\belse\b", text)) > MAX_ELSE
    ):
        raise Unsupported(
            "a statement or expression is too long or too deeply nested",
            Span(str(path)),
            "deep nesting",
        )


def _gnu_types(text: bytes) -> list[str]:
    def defined(name: str) -> bool:
        return re.search(rb"\btypedef\b[^;{}]*\b" + name.encode() + rb"\s*;", text) is not None

    return [
        f"-D{name}={meaning}"
        for name, meaning in _GNU_TYPES.items()
        if name.encode() in text and not defined(name)
    ]


class Unit:
    """A parsed translation unit; closes libclang's objects when it dies."""

    def __init__(self, lib: Library, source: Source, data_model: str) -> None:
        self.pointer_size = 4 if data_model == "ILP32" else 8
        self.lib, self.source, self.tu, self.index = (
            lib,
            source,
            ctypes.c_void_p(),
            lib.createIndex(0, 0),
        )
        self._starts = [0, *(m.end() for m in re.finditer(rb"\r\n?|\n", source.text))]  # of lines
        name = b"input.c"
        standard = "-std=gnu89" if source.old else "-std=gnu11"
        words = (standard, *_FLAGS, *_gnu_types(source.text), "-target", TARGETS[data_model])
        flags = [word.encode() for word in words]
        files = [(name, source.text)]
        if _VARARGS.search(source.text):
            flags += [b"-include", str(VARARGS).encode()]
        unsaved = (CXUnsavedFile * len(files))(
            *(CXUnsavedFile(file, text, len(text)) for file, text in files)
        )
        argv = (ctypes.c_char_p * len(flags))(*flags)
        code = lib.parse(
            self.index, name, argv, len(flags), unsaved, len(files), 0, ctypes.byref(self.tu)
        )
        if code or not self.tu:
            raise InputError("the C parser gave up on this file", Span(source.file))
        self._refuse_errors()

    def span(self, location: CXSourceLocation) -> Span:
        """The place of a libclang location in the user's terms."""
        if self.source.mapped:
            file, line, column = self.lib.presumed(location)
            return Span(self.source.file if file == "input.c" else file, line, column)
        at = self.lib.offset(location)
        if self.source.added is not None and at >= self.source.added:
            return Span(*self.lib.presumed(location))
        line = bisect_right(self._starts, at)
        return Span(self.source.file, line, at - self._starts[line - 1] + 1)

    def _refuse_errors(self) -> None:
        lib = self.lib
        for i in range(lib.getNumDiagnostics(self.tu)):
            d = lib.getDiagnostic(self.tu, i)
            severity, text = lib.getDiagnosticSeverity(d), lib.text(lib.getDiagnosticSpelling(d))
            place = lib.getDiagnosticLocation(d)
            span, chosen = (
                self.span(place),
                text == _CONSTANT and _ALLOWED.match(self.source.text, lib.offset(place)),
            )
            lib.disposeDiagnostic(d)
            if severity >= 3 and not chosen:
                raise InputError(text, span)

    def close(self) -> None:
        """Free libclang's memory."""
        if self.tu:
            self.lib.disposeTranslationUnit(self.tu)
            self.tu = ctypes.c_void_p()
        if self.index:
            self.lib.disposeIndex(self.index)
            self.index = None


def parse(source: Source, data_model: str) -> Unit:
    """Parse or raise `InputError` with the compiler's message."""
    return Unit(library(), source, data_model)
