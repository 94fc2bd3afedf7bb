"""Names: how a variable's full name is spelled in IVL text, and how it is shown to a user.

A local `x` of procedure `p` has the full name ``p::x``; inlining adds ``#n`` to the variables of
the n-th instance, where instances of a procedure and of its copies (``p#1``) are counted together.
In text a local is written by its short name where that is unambiguous, else by
its full name in backticks; a backticked name with ``::`` is always a full name.  `Scope` maps every
scalar variable of a procedure to its text, record fields included.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from obligato.program.syntax import Procedure, Program, RecordType, Type, Variable
from obligato.terms import Sort

KEYWORDS = frozenset(
    (
        "approximates",
        "array",
        "assert",
        "assume",
        "bool",
        "choose",
        "else",
        "entry",
        "false",
        "goto",
        "halt",
        "havoc",
        "if",
        "int",
        "or",
        "proc",
        "real",
        "record",
        "return",
        "returns",
        "rounding",
        "true",
        "var",
        "while",
        "RNE",
        "RNA",
        "RTP",
        "RTN",
        "RTZ",
    )
)
_PLAIN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_TYPE_NAME = re.compile(r"bv[0-9]+|float[0-9]+(_[0-9]+)?")
_INSTANCE = re.compile(r"(#[0-9]+)+(?=\.|$)")
COPY = "#"  # ``f#1`` is a copy of the procedure f
_ESCAPES = {"\\": "\\\\", "`": "\\`", "\n": "\\n", "\r": "\\r"}


def quote(name: str) -> str:
    """A name as IVL text: in backticks unless it is a plain identifier."""
    if _PLAIN.fullmatch(name) and name not in KEYWORDS and not _TYPE_NAME.fullmatch(name):
        return name
    return "`" + "".join(_ESCAPES.get(c, c) for c in name) + "`"


def unquote(text: str) -> str:
    """The inverse of `quote`."""
    if not text.startswith("`"):
        return text
    back = {"n": "\n", "r": "\r"}
    return re.sub(r"\\(.)", lambda m: back.get(m[1], m[1]), text[1:-1])


def full_name(procedure: str, name: str) -> str:
    """The full name of the local that is written `name` in `procedure`."""
    return name if "::" in name else f"{procedure}::{name}"


def local_text(procedure: str, name: str, global_names: Iterable[str]) -> str:
    """The spelling (not yet quoted) of the local with full name `name`;
    `global_names` supports fast membership."""
    prefix, _, rest = name.partition("::")
    short = prefix == procedure and rest and "::" not in rest and rest not in global_names
    return rest if short else name


def original_name(name: str) -> str:
    """A name without the instance numbers of inlining, and those of copies."""
    return _INSTANCE.sub("", without_copy(name) if COPY in name else name)


def instance(name: str) -> str:
    """The number of the call that a variable belongs to, as in its name; empty for the entry."""
    found = _INSTANCE.search(without_copy(name))
    return "" if found is None else found[0]


def source_name(procedure: str) -> str:
    """The name of the procedure that a procedure is a copy of, or its own."""
    return procedure.partition(COPY)[0]


def without_copy(name: str) -> str:
    """The full name of a local of a copy, as a local of the procedure that is copied."""
    owner, colons, rest = name.partition("::")
    return f"{source_name(owner)}::{rest}" if colons else name


def short_name(name: str) -> str:
    """What a user wants to read: no procedure, no instance number."""
    return original_name(name.rpartition("::")[2]) or name


class Scope:
    """The text of every variable that a procedure may mention, by full scalar name."""

    def __init__(self, program: Program, procedure: Procedure | None = None) -> None:
        names = {v.name: None for v in program.globals}
        self.texts: dict[str, str] = {}
        for v in program.globals:
            self._declare(v, v.name)
        if procedure is not None:
            for v in (*procedure.parameters, *procedure.results, *procedure.locals):
                self._declare(v, local_text(procedure.name, v.name, names))

    def _declare(self, v: Variable, spelling: str) -> None:
        self.texts.update(paths(v.name, quote(spelling), v.type))

    def __call__(self, name: str) -> str:
        return self.texts.get(name) or quote(name)


def paths(name: str, text: str, type_: Type) -> Iterator[tuple[str, str]]:
    """For each scalar variable of `name: type_` its full name and its text."""
    if isinstance(type_, Sort):
        yield name, text
        return
    record = type_ if isinstance(type_, RecordType) else type_.element
    for f, t in record.fields:
        yield from paths(f"{name}.{f}", f"{text}.{quote(f)}", t)
