"""Library functions that are written in C (the folder `library`): they are added to programs that
call and do not define them.

What C leaves open (which of two equal elements `bsearch` finds, which positive number `strcasecmp`
returns) cannot be written as one definition; such functions have a model elsewhere (copying.py,
characters.py) or none.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import cache

from obligato.errors import InputError
from obligato.frontends.c import kinds as k
from obligato.frontends.c.catalogue import is_known
from obligato.frontends.c.nodes import Tree
from obligato.frontends.c.source import Source, Unit, parse
from obligato.frontends.preprocessing import LIBRARY, OWN

_START = re.compile(r"^(?=[A-Za-z_][^\n;]*?\b(\w+)\()", re.MULTILINE)
_WORD, _CALL = re.compile(r"\w+"), re.compile(r"(\w+)\(")


@cache
def definitions() -> dict[str, str]:
    """The text of each function, after a line that says where it is from."""
    found: dict[str, str] = {}
    for file in sorted(LIBRARY.glob("*.c")):
        text = file.read_text(encoding="ascii")
        starts = list(_START.finditer(text))
        ends = [m.start() for m in starts[1:]] + [len(text)]
        for m, end in zip(starts, ends, strict=True):
            line = text.count("\n", 0, m.start()) + 1
            found[m[1]] = f'# {line} "{OWN}{file.name}"\n{text[m.start() : end]}'
    return found


def parse_with_library(source: Source, data_model: str) -> Unit:
    """The program, with the library functions that it mentions and does not define."""
    unit = parse(source, data_model)
    mentioned = [name for name in definitions() if name.encode() in source.text]
    wanted = _undefined(Tree(unit), mentioned) if mentioned else []
    try:
        wide = _extended(source, wanted, data_model) if wanted else unit
    except InputError:  # the program means something else by one of these names
        fitting = [name for name in wanted if _is_meant(source, name, data_model)]
        wide = _extended(source, fitting, data_model) if fitting else unit
    if wide is not unit:
        unit.close()
    return wide


def _extended(source: Source, names: list[str], data_model: str) -> Unit:
    """The program with these functions, and those that they call in turn."""
    added = "\n" + "".join(definitions()[name] for name in closed(names))
    return parse(
        replace(source, text=source.text + added.encode(), added=len(source.text)), data_model
    )


def _is_meant(source: Source, name: str, data_model: str) -> bool:
    try:
        _extended(source, [name], data_model).close()
    except InputError:
        return False
    return True


def closed(names: list[str]) -> list[str]:
    """The functions with those that they mention, which come first."""
    found: dict[str, None] = {}

    def add(name: str) -> None:
        for word in _WORD.findall(definitions()[name]):
            if word != name and word in definitions() and word not in found:
                add(word)
        found[name] = None

    for name in names:
        add(name)
    return list(found)


def _called(name: str) -> list[str]:
    """The functions of the library that a definition calls: where the program has one of that name,
    it is not known whether the library's own one is called.
    """
    texts = "".join(definitions()[f] for f in closed([name]))
    words = (word.removeprefix("__builtin_") for word in _CALL.findall(texts))
    return [word for word in words if word != name and is_known(word)]


def _undefined(tree: Tree, names: list[str]) -> list[str]:
    """The names that the program calls and does not define: they occur more often than they are
    declared.
    """
    top, text = tree.root.children, tree.unit.source.text
    own = {
        n.spelling
        for n in top
        if n.kind != k.FUNCTION_DECL or any(c.kind == k.COMPOUND for c in n.children)
    }
    declared = Counter(n.spelling for n in top)
    return [
        name
        for name in names
        if name not in own
        and not own.intersection(_called(name))
        and len(re.findall(rb"\b" + name.encode() + rb"\s*\(", text)) > declared[name]
    ]
