"""Atoms of temporal formulas about C programs: `AP(expression)` or `"expression"`, C expressions
over global variables and the local variables of the entry function (`x`, or `main::x` where a
global has the same name).

Each expression becomes a function of its own at the end of the file, so that the parser and the
lowering give it the meaning that it has in C (promotions, signs, conversions); what the function
returns is then one term over the program's variables. Locals are its parameters, for which the
variables of the entry function are put. Calls and side effects are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from obligato.errors import InputError, Span, Unsupported
from obligato.frontends.c import kinds as k
from obligato.frontends.c.nodes import Node, Tree
from obligato.frontends.c.source import Source, parse
from obligato.frontends.c.types import CType, FloatType, IntType
from obligato.models.blocks import large_blocks
from obligato.models.build import build_procedure
from obligato.models.effect import BlockEffect
from obligato.models.ltl import Formula
from obligato.program.activation import scalars
from obligato.program.syntax import Call, Program
from obligato.terms import BOOL, Term, free_vars, substitute

NAME, LOCAL = "__obligato_atom", "__obligato_local_"
_TOKEN = re.compile(
    r"""'[^']*'|(?:\.|->)\s*\w+|((?:\b[A-Za-z_]\w*\s*)?::\s*)?\b([A-Za-z_]\w*)\b(?!\s*\()"""
)
_SIZES = {1: "char", 2: "short", 4: "int", 8: "long long"}
_CHECK = re.compile(
    r"\s*CHECK\s*\(\s*init\s*\(\s*\w+\s*\(\s*\)\s*\)\s*,\s*LTL\s*\((.*)\)\s*\)\s*", re.DOTALL
)
_PLACE = Span("<property>", 1, 1)


def split(text: str) -> tuple[str, tuple[str, ...]]:
    """The formula with a name for each expression, and the expressions."""
    wrapped = _CHECK.fullmatch(text)
    text = wrapped[1] if wrapped else text
    found: dict[str, str] = {}
    out, place = "", 0
    for start, end, expression in _expressions(text):
        name = found.setdefault(expression.strip(), f"{NAME}{len(found)}")
        out, place = f"{out}{text[place:start]} {name} ", end
    return out + text[place:], tuple(found)


def _expressions(text: str) -> list[tuple[int, int, str]]:
    """Where expressions stand: from, to, and the text inside."""
    found, place = [], 0
    while m := re.compile(r'"([^"]*)"|\bAP\s*\(').search(text, place):
        place = m.end()
        if m[1] is not None:
            found.append((m.start(), m.end(), m[1]))
            continue
        depth = 1
        while depth:
            if place == len(text):
                raise InputError("temporal formula: a closing parenthesis is missing", _PLACE)
            depth += {"(": 1, ")": -1}.get(text[place], 0)
            place += 1
        found.append((m.start(), place, text[m.end() : place - 1]))
    return found


class Names:
    """The variables that expressions may name: those of the file, and those of its entry
    function.
    """

    def __init__(self, tree: Tree, entry: str) -> None:
        self.entry = entry
        self.globals = {n.spelling for n in tree.root.children if n.kind == k.VAR_DECL}
        self.locals: dict[str, list[CType]] = {}
        for n in tree.root.children:
            if n.kind == k.FUNCTION_DECL and n.spelling == entry:
                for d in _declared(n):
                    self.locals.setdefault(d.spelling, []).append(d.type)

    def resolved(self, expression: str) -> tuple[str, dict[str, CType]]:
        """The expression with a parameter for each local variable, and their types."""
        used: dict[str, CType] = {}

        def named(m: re.Match[str]) -> str:
            name, scope = m[2], None if m[1] is None else m[1].replace("::", "").strip()
            if (
                name is None
                or scope == ""
                or (scope is None and (name in self.globals or name not in self.locals))
            ):
                return name or m[0]
            used[name] = self._local(name, scope)
            return LOCAL + name

        return _TOKEN.sub(named, expression), used

    def _local(self, name: str, scope: str | None) -> CType:
        found = self.locals.get(name, [])
        if scope not in (None, self.entry) or not found:
            raise InputError(
                f"temporal formula: {scope}::{name} is no variable of the entry function"
                f" {self.entry}",
                _PLACE,
            )
        if len(found) > 1:
            raise InputError(f"temporal formula: {self.entry} has several variables {name}", _PLACE)
        return found[0]


def _declared(n: Node) -> Iterator[Node]:
    """The variables and parameters that a function declares."""
    for child in n.children:
        if child.kind in (k.VAR_DECL, k.PARM_DECL):
            yield child
        yield from _declared(child)


def _spelled(t: CType) -> str:
    if isinstance(t, IntType) and t.is_bool:
        return "_Bool"
    if isinstance(t, IntType) and t.size in _SIZES:
        return f"{'signed' if t.signed else 'unsigned'} {_SIZES[t.size]}"
    if isinstance(t, FloatType) and t.name in ("float", "double"):
        return t.name
    raise Unsupported(
        "a temporal formula about a local variable that is no number is not supported",
        _PLACE,
        "temporal formula",
    )


def with_functions(
    source: Source, data_model: str, entry: str, expressions: tuple[str, ...]
) -> tuple[Source, bool]:
    """The file with functions that return the values of the expressions; do these name local
    variables?
    """
    unit = parse(source, data_model)
    try:
        names = Names(Tree(unit), entry)
        resolved = [names.resolved(e) for e in expressions]
        text = functions(resolved)
    finally:
        unit.close()
    added = replace(source, text=source.text + text.encode(), added=len(source.text))
    return added, any(used for _, used in resolved)


def functions(expressions: Sequence[tuple[str, dict[str, CType]]]) -> str:
    """C functions that return the values of the expressions, with parameters for the local
    variables.
    """
    out = ""
    for n, (e, used) in enumerate(expressions):
        if re.search(r"[;{}#\\]|=(?<![=!<>]=)(?!=)", e) or not e:
            raise InputError(f"temporal formula: {e!r} is no expression without effects", _PLACE)
        parameters = ", ".join(f"{_spelled(t)} {LOCAL}{name}" for name, t in used.items())
        out += f'\n# 1 "<property>"\n_Bool {NAME}{n}({parameters or "void"}) {{ return ({e}); }}'
    return out + "\n"


def read_formula(text: str, program: Program) -> Formula:
    """The formula that `text`, with names for its expressions, says about the program."""
    from obligato.frontends.ltl import read_ltl

    wanted = dict.fromkeys(re.findall(rf"{NAME}\d+", text))
    return read_ltl(text, program.store, {name: _term(program, name) for name in wanted})


def _term(program: Program, name: str) -> Term:
    """What the function returns, as a condition over variables of the program."""
    store, effect = program.store, _effect(program, name)
    ((result, sort),) = scalars(program.procedures[name].results)
    value = substitute(effect.pull(store.var(result, sort)), _locals(program, name))
    entry = program.procedures[program.entry]
    known = {n for n, _ in scalars((*program.globals, *entry.parameters, *entry.locals))}
    if any(x.name in known for x in effect.pull.mapping):
        raise Unsupported(
            "an expression of a temporal formula must not change a variable",
            _PLACE,
            "temporal formula",
        )
    if any(v.name not in known for v in free_vars(value)):
        raise Unsupported(
            "an expression of a temporal formula may speak about variables only, not about inputs or memory",
            _PLACE,
            "temporal formula",
        )
    return value if value.sort is BOOL else store.ne(value, store.const(0, value.sort))


def _effect(program: Program, name: str) -> BlockEffect:
    """What the function does, which has one way through it."""

    def no_call(edge: int, call: Call) -> tuple[Term, ...]:
        raise Unsupported(
            "a call of a function in a temporal formula is not supported",
            _PLACE,
            "temporal formula",
        )

    cfa = build_procedure(program, name, no_call)
    ends = tuple(loc for loc in cfa.locations if loc != cfa.error and not cfa.out(loc))
    blocks = large_blocks(
        replace(cfa, edges=tuple(e for e in cfa.edges if e.target != cfa.error), keep=ends)
    )
    (edge,) = blocks.edges if len(blocks.edges) == 1 else (None,)
    if edge is None:
        raise Unsupported(
            "an expression of a temporal formula must have one value in each state",
            _PLACE,
            "temporal formula",
        )
    return BlockEffect(program.store, edge.command, "atom!")


def _locals(program: Program, name: str) -> dict[Term, Term]:
    """The variables of the entry function that stand for the parameters of an expression's
    function.
    """
    variables = {place: v for v, place in program.places.spelled.items()}
    own = program.procedures[program.entry]
    sorts = dict(scalars((*program.globals, *own.parameters, *own.locals)))
    found: dict[Term, Term] = {}
    for full, sort in scalars(program.procedures[name].parameters):
        local = variables.get((program.entry, full.partition(LOCAL)[2]))
        if local is None or sorts.get(local) is not sort:
            raise Unsupported(
                "a temporal formula about a local variable whose address is taken is not supported",
                _PLACE,
                "temporal formula",
            )
        found[program.store.var(full, sort)] = program.store.var(local, sort)
    return found
