"""Writes the reference pages and the man page from the code, or checks that they are up to date.

python tools/reference.py            fails where a page differs from the code
python tools/reference.py --write    writes docs/reference/*.md and docs/man/obligato.1
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import typer

import obligato
from obligato.api import registry, settings
from obligato.cli.main import COMMANDS, EXIT_STATUS, INTERNAL, REFUSED, UNWRITTEN, USAGE, app
from obligato.frontends.registry import LANGUAGES
from obligato.reports.registry import REPORTS

ROOT = Path(__file__).parent.parent
MADE = "<!-- made by tools/reference.py; edit the code, then `make docs-write` -->\n"
STATUS = {
    EXIT_STATUS["true"]: "proved",
    EXIT_STATUS["false"]: "refuted",
    EXIT_STATUS["unknown"]: "unknown; the reason is on the line before the verdict",
    USAGE: "wrong usage",
    REFUSED: "input refused: `file:line:column: error: ...`",
    INTERNAL: (
        "internal error: a certificate or trace was rejected by the checker, or a claim that was"
        " handed in is refused"
    ),
    UNWRITTEN: (
        "there is a verdict, but not every output could be written; standard error says which"
    ),
}


def table(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """A table of Markdown."""
    lines = [list(head), *map(list, rows)]
    width = len(lines[0])
    shown = [
        "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in line) + " |"
        for line in lines
    ]
    return "\n".join([shown[0], "|---" * width + "|", *shown[1:]]) + "\n"


# -- the command line ------------------------------------------------------------------------------


def commands() -> Iterator[tuple[str, Any]]:
    """All commands with their names, those of `bench` too."""
    group: Any = typer.main.get_command(app)
    context = typer.Context(group)
    for name in COMMANDS:
        command = group.get_command(context, name)
        yield f"obligato {name}", command
        for sub, inner in getattr(command, "commands", {}).items():
            yield f"obligato {name} {sub}", inner


def option_names(p: Any) -> str:
    """An option as it is typed, with what follows it."""
    if p.param_type_name == "argument":
        return f"{p.metavar or p.name.upper()}{'...' if p.nargs == -1 else ''}"
    names = ", ".join([*p.opts, *p.secondary_opts])
    return names if p.is_flag else f"{names} {p.metavar or str(p.type.name).upper()}"


def default_of(p: Any) -> str:
    """The default where it says something."""
    return (
        ""
        if p.default in (None, False, "", ()) or callable(p.default)
        else f" (default: {p.default})"
    )


def about(command: Any) -> str:
    """What a command says about itself."""
    return " ".join((command.help or "").split())


def epilog(command: Any) -> str:
    """The examples, as a block."""
    text = command.epilog or ""
    shown, _, after = text.replace("\b\n", "").partition("\n\n")
    return (f"\n```text\n{shown}\n```\n" if shown else "") + (f"\n{after}\n" if after else "")


def cli_page() -> str:
    """The page of commands, options and exit statuses."""
    out = [
        f"# Commands\n\n{MADE}\n## Exit status\n",
        table(("status", "meaning"), sorted(STATUS.items())),
    ]
    for name, command in commands():
        out.append(f"## {name}\n\n{about(command)}\n")
        rows = [
            (f"`{option_names(p)}`", (getattr(p, "help", "") or "") + default_of(p))
            for p in command.params
            if p.name != "help"
        ]
        out += [table(("option", "meaning"), rows)] if rows else []
        out += [epilog(command)]
    out.append("## Reports\n\n`--report NAME=PATH` writes one of these:\n")
    out.append(table(("name", "what it is"), ((r.name, r.title) for r in REPORTS)))
    return "\n".join(out)


# -- engines and languages -------------------------------------------------------------------------


ENGINE_PAGES = {
    "ic3bmc": "ic3.md",
    "summaries": "recursion.md",
    "l2s": "fair.md",
    "klive": "fair.md",
    "rank": "termination.md",
}


def options_table(cls: type[Any]) -> str:
    """The options of an engine."""
    rows = []
    for f in fields(cls):
        values = ", ".join(map(str, f.metadata.get("values") or ()))
        rows.append(
            (
                f"`{f.name}`",
                f"`{f.default}`",
                values,
                f.metadata.get("help", ""),
                f.metadata.get("paper", ""),
            )
        )
    return table(("option", "default", "values", "meaning", "paper"), rows)


def engines_page() -> str:
    """The page of engines, their options and presets."""
    out = [
        f"# Engines and their options\n\n{MADE}\n`--engine NAME --set option=value`; `--engine"
        " auto` chooses several ([auto](../auto.md)). Papers are in"
        " [references.bib](../references.bib).\n"
    ]
    for e in registry.ENGINES.values():
        page = ENGINE_PAGES.get(
            e.name, f"{e.name}.md" if (ROOT / f"docs/{e.name}.md").is_file() else ""
        )
        more = f" [More about it](../{page})." if page else ""
        out += [
            f"## {e.name}\n\n{e.title} {e.paper}.{more}\n",
            options_table(e.options) if fields(e.options) else "",
        ]
    out += [
        "## Before any engine\n\nThese may be set for every engine.\n",
        options_table(settings.PipelineOptions),
    ]
    rows = [
        (
            p.name,
            p.engine,
            p.description or "",
            " ".join(f"`{k}={v}`" for k, v in p.options.items()),
        )
        for p in settings.presets()
    ]
    out += [
        "## Presets\n\n`--preset NAME`, or `--preset FILE.toml` for your own.\n",
        table(("preset", "engine", "about", "options"), rows),
    ]
    return "\n".join(out)


def languages_page() -> str:
    """The page of input languages."""
    rows = [
        (
            f"[{x.name}](../{PAGES.get(x.name, 'systems.md')})",
            " ".join(f"`{s}`" for s in x.suffixes),
            x.kind.value,
            x.engine,
            ", ".join(f"`{p}`" for p in x.properties),
            "yes" if x.write_witness or x.name == "c" else "",
        )
        for x in LANGUAGES
    ]
    head = ("language", "files", "holds", "engine", "`--property` (default first)", "`--witness`")
    return (
        f"# Input languages\n\n{MADE}\nA language is chosen by the suffix of the file. SV-COMP task"
        " files (`.yml`) name a C program and its property.\nA transition system has the"
        " properties of its own file besides those listed, and `ltl: ...` and `ctl: ...`"
        " formulas.\n\n" + table(head, rows)
    )


PAGES = {"c": "c.md", "ivl": "ivl.md", "chc": "horn.md", "lustre": "lustre.md", "smv": "smv.md"}


# -- JSON ------------------------------------------------------------------------------------------


def json_page() -> str:
    """The page of the JSON outcome, from its schema."""
    schema = json.loads((ROOT / "docs/schema/outcome.json").read_text(encoding="utf-8"))
    out = [
        f"# JSON\n\n{MADE}\n`obligato verify FILE --json PATH` (`-`: standard output) writes one"
        f" object. {schema['description']}\nThe schema is [outcome.json](../schema/outcome.json);"
        " installed packages have it as `obligato/schema/outcome.json`.\n"
    ]
    for name, part in {"outcome": schema, **schema.get("$defs", {})}.items():
        if part.get("description") and name != "outcome":
            out.append(f"## {name}\n\n{part['description']}\n")
        else:
            out.append(f"## {name}\n")
        out.append(table(("field", "type", "meaning"), members(part)))
    return "\n".join(out)


def members(part: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str, str]]:
    """The fields of an object, those inside of it by dots."""
    for name, field in part.get("properties", {}).items():
        optional = "" if name in part.get("required", ()) else " (optional)"
        yield f"`{prefix}{name}`", kind(field) + optional, field.get("description", "")
        yield from members(field, f"{prefix}{name}.")
        yield from members(
            field.get("items", {}) if isinstance(field.get("items"), dict) else {},
            f"{prefix}{name}[].",
        )


def kind(field: dict[str, Any]) -> str:
    """The type of a field in a few words."""
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in field:
        return " or ".join(kind(x) for x in field["anyOf"])
    if "enum" in field or "const" in field:
        return " ".join(f"`{json.dumps(x)}`" for x in field.get("enum", [field.get("const")]))
    if field.get("type") == "array" and isinstance(field.get("items"), dict):
        return f"array of {kind(field['items'])}"
    found = field.get("type", "any")
    return " or ".join(found) if isinstance(found, list) else str(found)


# -- Python ----------------------------------------------------------------------------------------


def python_page() -> str:
    """The page of the library: everything in `obligato.__all__`."""
    out = [
        f"# Python\n\n{MADE}\n`import obligato`. [Python](../library.md) shows how it is used;"
        " operators of expressions are listed there.\n"
    ]
    for name in obligato.__all__:
        thing = getattr(obligato, name)
        out.append(f"## {name}\n\n{described(name, thing)}")
    return "\n".join(out)


def described(name: str, thing: Any) -> str:
    """One name of the library."""
    if inspect.isclass(thing):
        text = f"{doc(thing)}\n"
        base = next(
            (b.__name__ for b in thing.__mro__[1:] if b.__module__.startswith("obligato")), ""
        )
        if issubclass(thing, Exception):
            return f"An exception{f', a `{base}`' if base else ''}. {text}"
        if is_dataclass(thing):
            text += (
                "\nFields: "
                + ", ".join(f"`{f.name}`" for f in fields(thing) if not f.name.startswith("_"))
                + ".\n"
            )
        for method, function in vars(thing).items():
            if not method.startswith("_") and (
                inspect.isfunction(function) or isinstance(function, property)
            ):
                text += (
                    f"\n- `{method}{signature(function) if inspect.isfunction(function) else ''}`:"
                    f" {doc(function)}"
                )
        return f"{text.rstrip()}\n"
    if inspect.isfunction(thing):
        return f"```text\n{name}{signature(thing)}\n```\n\n{doc(thing)}\n"
    return f"A constant, {type(thing).__name__}.\n"


def signature(function: Callable[..., Any]) -> str:
    """As it is written, without `self`."""
    text = str(inspect.signature(function)).replace("'", "")
    return re.sub(r"\(self(, )?", "(", text).replace(
        f"standard: str = {'gnu11'}", "standard: str = 'gnu11'"
    )


def doc(thing: Any) -> str:
    """The docstring as Markdown."""
    return inspect.getdoc(thing) or ""


# -- the man page ----------------------------------------------------------------------------------


def roff(text: str) -> str:
    """Text as troff takes it."""
    return re.sub(
        r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"), flags=re.MULTILINE
    )


def man_page() -> str:
    """The man page of all commands."""
    out = [
        '.TH OBLIGATO 1 "" "" "User Commands"',
        ".SH NAME",
        "obligato \\- prove or refute programs and transition systems",
        ".SH SYNOPSIS",
        ".B obligato",
        roff("COMMAND [OPTIONS] [FILE...]"),
        ".SH DESCRIPTION",
        (
            "The last line of the output is true, false(...) or unknown. Every proof has a"
            " certificate that was checked,"
        ),
        "and every counterexample was replayed.",
    ]
    for name, command in commands():
        out += [f'.SH "{roff(name).upper()}"', roff(about(command))]
        for p in command.params:
            if p.name != "help":
                meaning = (getattr(p, "help", "") or "the input") + default_of(p)
                out += [".TP", f".B {roff(option_names(p))}", roff(meaning)]
        examples = (command.epilog or "").replace("\b\n", "").partition("\n\n")[0]
        out += [".PP", ".nf", roff(examples), ".fi"] if examples else []
    out.append(".SH EXIT STATUS")
    for status, text in sorted(STATUS.items()):
        out += [".TP", f".B {status}", roff(text.replace("`", ""))]
    return "\n".join(out) + "\n"


FILES: dict[str, Callable[[], str]] = {
    "docs/reference/commands.md": cli_page,
    "docs/reference/engines.md": engines_page,
    "docs/reference/languages.md": languages_page,
    "docs/reference/json.md": json_page,
    "docs/reference/python.md": python_page,
    "docs/man/obligato.1": man_page,
}


def outdated() -> list[str]:
    """The files that are not what the code says now."""
    return [
        name
        for name, make in FILES.items()
        if not (ROOT / name).is_file() or (ROOT / name).read_text(encoding="utf-8") != make()
    ]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the pages")
    if not parser.parse_args().write:
        found = outdated()
        print(
            "\n".join(f"{name} is out of date: make docs-write" for name in found)
            or "reference: up to date"
        )
        return 1 if found else 0
    for name, make in FILES.items():
        (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / name).write_text(make(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
