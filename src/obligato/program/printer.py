"""Programs as IVL text that the reader reads back to the same program (spans and notes apart).

`program_text` prints a whole program, `head_text` the head of one statement as it was written, with
the short names a user wants to see: it labels edges, trace steps and error messages.  Nested
statements are walked with a stack.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from obligato.program.expressions import Name, expression
from obligato.program.literals import type_text
from obligato.program.names import Scope, local_text, quote, short_name
from obligato.program.operators import BUILT_IN
from obligato.program.syntax import (
    LIMIT,
    Assert,
    Assign,
    Assume,
    Call,
    Choice,
    Goto,
    Halt,
    Havoc,
    If,
    Label,
    Procedure,
    Program,
    Return,
    Statement,
    Variable,
    While,
)
from obligato.terms import Op, Term

MAX_INDENT = 60
TEXT_LIMIT = 400  # characters of a statement's label


def program_text(program: Program) -> str:
    """The whole program as IVL text."""
    lines = [f"// note: {' '.join(n.split())}" for n in program.notes]
    lines += [] if program.entry == "main" else [f"entry {quote(program.entry)};"]
    for r in program.records:
        fields = " ".join(f"{quote(f)}: {type_text(t)};" for f, t in r.fields)
        lines.append(f"record {quote(r.name)} {{ {fields} }}")
    scope = Scope(program)
    for v in program.globals:
        init = "" if v.init is None else f" := {expression(v.init, scope)}"
        lines.append(f"var {quote(v.name)}: {type_text(v.type)}{init};")
    for p in program.procedures.values():
        lines += ["", *_procedure_lines(program, p)]
    return "\n".join(lines) + "\n"


def _procedure_lines(program: Program, p: Procedure) -> Iterator[str]:
    globals_ = {v.name: None for v in program.globals}

    def declare(v: Variable) -> str:
        return f"{quote(local_text(p.name, v.name, globals_))}: {type_text(v.type)}"

    returns = f" returns ({', '.join(map(declare, p.results))})" if p.results else ""
    yield f"proc {procedure_name(p.name)}({', '.join(map(declare, p.parameters))}){returns} {{"
    yield from (f"  var {declare(v)};" for v in p.locals)
    yield from statement_lines(p.body, Scope(program, p), "  ")
    yield "}"


def statement_lines(body: Iterable[Statement], name: Name, indent: str = "") -> Iterator[str]:
    """Statements as lines of text; beyond MAX_INDENT nested lines keep their indentation."""
    stack: list[tuple[str, Statement | str]] = [(indent, s) for s in reversed(tuple(body))]
    while stack:
        pad, item = stack.pop()
        if isinstance(item, str):
            yield pad + item
            continue
        blocks = _blocks(item, name)
        if not blocks:
            end = "" if isinstance(item, Label) else ";"
            yield f"{pad}{head(item, name)}{end}"
            continue
        inner = pad + "  " if len(pad) < MAX_INDENT else pad
        work: list[tuple[str, Statement | str]] = []
        for opening, block in blocks:
            work += [(pad, opening), *((inner, s) for s in block)]
        stack.extend(reversed([*work, (pad, "}")]))


def _blocks(s: Statement, name: Name) -> list[tuple[str, tuple[Statement, ...]]]:
    """The blocks of a compound statement, each with the line that opens it."""
    match s:
        case If():
            return _if_blocks(s, name)
        case While():
            return [(f"{head(s, name)} {{", s.body)]
        case Choice():
            return [("} or {" if i else "choose {", b) for i, b in enumerate(s.branches)]
        case _:
            return []


def _if_blocks(s: If, name: Name) -> list[tuple[str, tuple[Statement, ...]]]:
    """A chain of ``else if`` is one row of blocks."""
    blocks = [(f"{head(s, name)} {{", s.then)]
    while len(s.otherwise) == 1 and isinstance(s.otherwise[0], If):
        s = s.otherwise[0]
        blocks.append((f"}} else {head(s, name)} {{", s.then))
    return [*blocks, ("} else {", s.otherwise)] if s.otherwise else blocks


def head(s: Statement, name: Name, limit: int | None = None) -> str:
    """A statement without its blocks and semicolon."""

    def text(terms: Iterable[Term]) -> str:
        return _list_text(terms, name, limit)

    match s:
        case Assign():
            places = [_place(x, e) for x, e in zip(s.targets, s.values, strict=True)]
            return f"{text(x for x, _ in places)} := {text(e for _, e in places)}"
        case Havoc():
            why = "" if s.approximates is None else f" approximates {string_text(s.approximates)}"
            return f"havoc {text(s.targets)}{why}"
        case Assume():
            return f"assume {text((s.condition,))}"
        case Assert():
            kind = " [limit]" if s.kind == LIMIT else ""
            label = f" {string_text(s.label)}:" if s.label else ""
            return f"assert{kind}{label} {text((s.condition,))}"
        case If() | While():
            word = "if" if isinstance(s, If) else "while"
            return f"{word} ({'*' if s.condition is None else text((s.condition,))})"
        case Call():
            results = f"{text(s.results)} := " if s.results else ""
            return f"{results}{procedure_name(s.callee)}({text(s.arguments)})"
        case _:
            return _jump(s)


def _place(x: Term, e: Term) -> tuple[Term, Term]:
    """``a := a[i := e]`` is written ``a[i] := e``, also when nested."""
    while e.op is Op.STORE and e.args[0] is x:
        x, e = e.store.select(x, e.args[1]), e.args[2]
    return x, e


def _list_text(terms: Iterable[Term], name: Name, limit: int | None) -> str:
    texts: list[str] = []
    for t in terms:
        if limit is not None and sum(map(len, texts)) > limit:
            return f"{', '.join(texts)}, ..."
        texts.append(expression(t, name, limit))
    return ", ".join(texts)


def _jump(s: Choice | Label | Goto | Return | Halt) -> str:
    match s:
        case Choice():
            return "choose"
        case Label():
            return f"{quote(s.name)}:"
        case Goto():
            return f"goto {', '.join(map(quote, s.targets))}"
        case Return():
            return "return"
        case Halt():
            return "halt"


def procedure_name(name: str) -> str:
    """A procedure that has the name of a built-in function needs backticks."""
    return f"`{name}`" if name in BUILT_IN else quote(name)


def string_text(text: str) -> str:
    """A string literal."""
    return json.dumps(text, ensure_ascii=False)


def head_text(s: Statement) -> str:
    """The head of a statement for the user."""
    if isinstance(s, Goto):
        return f"goto {', '.join(map(short_name, s.targets))}"
    return head(s, short_name, TEXT_LIMIT)


def guard_texts(condition: Term) -> tuple[str, str]:
    """The labels of the branches that are taken if a condition holds, and if not."""
    text = expression(condition, short_name, TEXT_LIMIT)
    return f"[{text}]", f"[!({text})]"
