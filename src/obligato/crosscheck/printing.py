"""A program of the intermediate language as plain C (`c_text`),
for gcc or clang and the harness in `runtime`.

One C function per procedure, one C variable per scalar variable; assignments in parallel go through
temporaries.  What a run leaves open (locals at entry, uninitialised memory) gets junk.  Inputs come
from ``input``; an over-approximation and a limit of our model end the run, since nothing can be
said beyond them, except memory that undefined functions may change: here they change nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files

from obligato.crosscheck.expressions import Code
from obligato.crosscheck.observation import Observed
from obligato.crosscheck.values import FLOAT_NAMES, MEMORIES, inexpressible, junk, type_name
from obligato.frontends.c.catalogue import SCANS
from obligato.program.activation import initial_assignments, procedure_scalars, scalars
from obligato.program.syntax import (
    LAYOUT,
    PROPERTY,
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
    While,
    statements,
)
from obligato.terms import FLOAT32, FLOAT64, Kind, Op, Sort, Term, postorder

EXTERNAL_EFFECT = "memory reachable by undefined functions"


def c_text(program: Program, observed: Sequence[Observed] | None = None) -> str:
    """The whole program as one C file that needs only the functions of the harness.

    At the end it reports the value of the entry and what is `observed`;
    by default all globals that are numbers.
    """
    names = Names()
    for n, _ in scalars(program.globals):
        names.variable(n)
    bodies = [_Function(program, p, names).text() for p in program.procedures.values()]
    widest = max((s.width for s in _sorts(program) if s.kind is Kind.BITVEC), default=0)
    prelude = files("obligato.crosscheck").joinpath("runtime/prelude.h").read_text(encoding="utf-8")
    kinds = dict.fromkeys(type_name(s.element) for s in _sorts(program) if s.kind is Kind.ARRAY)
    return "\n".join(
        [
            *([f"#define WORDS {(widest + 31) // 32}"] if widest > 64 else []),
            prelude,
            *(f"MEMORY({MEMORIES[k]}, {k})" for k in kinds),
            "",
            *(f"static {type_name(s)} {names.variable(n)};" for n, s in scalars(program.globals)),
            "",
            *(f"{_head(p, names)};" for p in program.procedures.values()),
            "",
            *bodies,
            *_entry(program, names, observed),
            "",
        ]
    )


def _sorts(program: Program) -> Iterator[Sort]:
    for _, s in scalars(program.globals):
        yield s
        if s.kind is Kind.ARRAY:
            yield s.element
    for p in program.procedures.values():
        for _, s in procedure_scalars(p):
            yield s
            if s.kind is Kind.ARRAY:
                yield s.element
        seen: dict[Term, None] = {}
        for t in postorder((t for s in statements(p.body) for t in _terms(s)), seen):
            yield t.sort
    yield from (t.sort for t in postorder(v.init for v in program.globals if v.init is not None))


def _terms(s: Statement) -> Iterable[Term]:
    match s:
        case Assign():
            return s.values
        case Call():
            return s.arguments
        case Assume() | Assert():
            return (s.condition,)
        case If() | While():
            return () if s.condition is None else (s.condition,)
    return ()


class Names:
    """C identifiers for variables, procedures and labels, readable and unique."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}
        self._used: dict[str, int] = {}

    def variable(self, name: str) -> str:
        """The C name of a variable."""
        return self._name("v", name)

    def procedure(self, name: str) -> str:
        """The C name of a procedure."""
        return self._name("p", name)

    def label(self, procedure: str, name: str) -> str:
        """The C name of a label."""
        return self._name("l", f"{procedure}::{name}")

    def _name(self, kind: str, name: str) -> str:
        if (kind, name) not in self._given:
            plain = f"{kind}_{re.sub(r'[^A-Za-z0-9]+', '_', name)}"
            self._used[plain] = self._used.get(plain, 0) + 1
            number = self._used[plain]
            self._given[kind, name] = plain if number == 1 else f"{plain}__{number}"
        return self._given[kind, name]


def _head(p: Procedure, names: Names) -> str:
    taken = [f"{type_name(s)} {names.variable(n)}" for n, s in scalars(p.parameters)]
    given = [f"{type_name(s)} *{names.variable(n)}_out" for n, s in scalars(p.results)]
    return f"static void {names.procedure(p.name)}({', '.join([*taken, *given]) or 'void'})"


def _entry(program: Program, names: Names, observed: Sequence[Observed] | None) -> list[str]:
    """The function ``program``: initial values, the entry, and what it leaves."""
    p = program.procedures[program.entry]
    lines = [
        f"{names.variable(n)} = {junk(i, s)};" for i, (n, s) in enumerate(scalars(program.globals))
    ]
    writer = _Function(program, p, names)
    for start in initial_assignments(program):
        writer.statement(start)
    if any(s.kind is not Kind.BITVEC or s.width > 64 for _, s in scalars(p.parameters)):
        raise inexpressible("an entry with such parameters")
    arguments = ["1" if i == 0 else "0" for i, _ in enumerate(scalars(p.parameters))]  # argc is 1
    results = list(scalars(p.results))
    lines += writer.lines + [f"{type_name(s)} r{i};" for i, (_, s) in enumerate(results)]
    lines.append(
        f"{names.procedure(p.name)}({', '.join([*arguments, *(f'&r{i}' for i in range(len(results)))])});"
    )
    lines += [line for i, (_, s) in enumerate(results) for line in _result("return", f"r{i}", s)]
    known = dict(scalars(program.globals))
    for n, s in known.items() if observed is None else ():
        lines += _result(n, names.variable(n), s)
    for o in observed or ():
        lines += _observed(o, known[o.variable], names.variable(o.variable))
    return [
        "void cc_program(void) {",
        *(f"    {line}" for line in lines),
        '    cc_ends("return", "");',
        "}",
    ]


def _result(name: str, text: str, sort: Sort) -> list[str]:
    """Report a scalar."""
    if sort.kind is Kind.BITVEC and sort.width <= 64:
        return [f"cc_result({json.dumps(name)}, {text});"]
    if sort.kind is Kind.FLOAT and FLOAT_NAMES.get(sort) in ("f32", "f64"):
        return [f"cc_result({json.dumps(name)}, bits_{FLOAT_NAMES[sort]}({text}));"]
    return []


def _observed(o: Observed, sort: Sort, text: str) -> list[str]:
    if o.index is None:
        return _result(o.label, text, sort)
    return _result(o.label, f"{type_name(sort)}_get(&{text}, {o.index})", sort.element)


class _Function:
    """The text of one procedure, statement by statement;
    nesting is kept by a stack of closing lines."""

    def __init__(self, program: Program, procedure: Procedure, names: Names) -> None:
        self.program, self.procedure, self.names = program, procedure, names
        self.lines: list[str] = []
        self.local = dict(procedure_scalars(procedure))

    def _variable(self, x: Term) -> str:
        return self.names.variable(x.name)

    def text(self) -> str:
        """The definition."""
        p = self.procedure
        declared = [
            f"{type_name(s)} {self.names.variable(n)} = {junk(i, s)};"
            for i, (n, s) in enumerate(scalars((*p.results, *p.locals)))
        ]
        self._body(p.body)
        results = [
            f"*{self.names.variable(n)}_out = {self.names.variable(n)};"
            for n, _ in scalars(p.results)
        ]
        freed = [
            f"{type_name(s)}_free(&{self.names.variable(n)});"
            for n, s in scalars((*p.parameters, *p.locals))
            if s.kind is Kind.ARRAY
        ]
        lines = ["cc_step();", *declared, *self.lines, "leave:;", *results, *freed]
        return "\n".join(
            [f"{_head(p, self.names)} {{", *(f"    {line}" for line in lines), "}", ""]
        )

    def _body(self, body: tuple[Statement, ...]) -> None:
        work: list[Statement | str] = list(reversed(body))
        while work:
            item = work.pop()
            if isinstance(item, str):
                self.lines.append(item)
            elif isinstance(item, If | While | Choice):
                work.extend(reversed(list(self._open(item))))
            else:
                self.statement(item)

    def _open(self, s: If | While | Choice) -> Iterator[Statement | str]:
        if isinstance(s, Choice):
            yield f"switch (cc_choose({len(s.branches)})) {{"
            for i, b in enumerate(s.branches):
                yield from (f"case {i}:;", *b, "break;")
            yield "}"
        elif isinstance(s, While):  # the condition is computed in each iteration
            yield from (
                "for (;;) {",
                "cc_step();",
                *self._test(s.condition),
                "if (!chosen) break;",
                *s.body,
                "}",
            )
        else:
            yield from (
                "{",
                *self._test(s.condition),
                "if (chosen) {",
                *s.then,
                "} else {",
                *s.otherwise,
                "} }",
            )

    def _test(self, condition: Term | None) -> list[str]:
        """Lines that set ``chosen``."""
        if condition is None:
            return ["bool chosen = cc_choose(2) == 0;"]
        code = self._code((condition,))
        return [
            "bool chosen;",
            "{",
            *code.lines,
            f"chosen = {code.text(condition)};",
            *code.freeing(),
            "}",
        ]

    def _code(self, terms: Iterable[Term]) -> Code:
        code = Code(self._variable)
        code.compute(list(terms))
        return code

    def statement(self, s: Statement) -> None:
        """A primitive statement."""
        where = f"/* {s.span.line} */ " if s.span.line > 0 else ""
        match s:
            case Assign():
                self.lines += [where + "{", *self._assigned(s), "}"]
            case Havoc():
                self.lines += [where + line for line in self._havoced(s)]
            case Assume():
                self._condition(s.condition, where, 'cc_ends("assume", "");')
            case Assert():
                how = (
                    'cc_ends("error", '
                    if s.kind == PROPERTY
                    else "cc_beyond("
                    if s.label == LAYOUT
                    else 'cc_ends("limit", '
                )
                self._condition(s.condition, where, f"{how}{json.dumps(s.label)});")
            case Label():
                self.lines.append(f"{self.names.label(self.procedure.name, s.name)}:; cc_step();")
            case Goto():
                self.lines += self._jump(s)
            case Call():
                self.lines += [where + "{", *self._called(s), "}"]
            case Return():
                self.lines.append("goto leave;")
            case Halt():
                self.lines.append('cc_ends("halt", "");')

    def _condition(self, condition: Term, where: str, otherwise: str) -> None:
        code = self._code((condition,))
        self.lines += [
            where + "{",
            *code.lines,
            f"if (!{code.text(condition)}) {otherwise}",
            *code.freeing(),
            "}",
        ]

    def _jump(self, s: Goto) -> list[str]:
        labels = [self.names.label(self.procedure.name, t) for t in s.targets]
        if len(labels) == 1:
            return [f"goto {labels[0]};"]
        cases = [f"case {i}: goto {label};" for i, label in enumerate(labels)]
        return [f"switch (cc_choose({len(labels)})) {{ {' '.join(cases)} }}"]

    def _assigned(self, s: Assign) -> list[str]:
        updates = {x: stores(x, e) for x, e in zip(s.targets, s.values, strict=True)}
        parts = [t for x, e in zip(s.targets, s.values, strict=True) for t in _parts(updates[x], e)]
        code, after = self._code(parts), []
        for x, e in zip(s.targets, s.values, strict=True):
            chain = updates[x]
            if chain is not None:
                pairs = [(code.kept(i), code.kept(v)) for i, v in chain]
                after += [
                    f"{type_name(x.sort)}_set(&{self._variable(x)}, {i}, {v});" for i, v in pairs
                ]
            elif x.sort.kind is Kind.ARRAY:
                after.append(f"{type_name(x.sort)}_become(&{self._variable(x)}, {code.moved(e)});")
            else:
                value = code.kept(e) if len(s.targets) > 1 else code.text(e)
                after.append(f"{self._variable(x)} = {value};")
        return [*code.lines, *after, *code.freeing()]

    def _havoced(self, s: Havoc) -> list[str]:
        if s.approximates == EXTERNAL_EFFECT:
            return []
        if is_played(s):
            x = s.targets[0]
            value = f"cc_input({json.dumps(s.source)}, {x.sort.width})"
            return [
                f"{self._variable(x)} ="
                f" {f'{FLOAT_NAMES[x.sort]}_bits({value})' if x.sort in FLOAT_NAMES else value};"
            ]
        if s.approximates or s.source:
            return [f'cc_ends("approximation", {json.dumps(s.approximates or s.source)});']
        return [self._any(x, i) for i, x in enumerate(s.targets)]

    def _any(self, x: Term, number: int) -> str:
        if x.sort.kind is Kind.ARRAY:
            return f"{type_name(x.sort)}_become(&{self._variable(x)}, {junk(number, x.sort)});"
        return f"{self._variable(x)} = {junk(number, x.sort)};"

    def _called(self, s: Call) -> list[str]:
        code = self._code(s.arguments)
        given = [code.moved(a) if a.sort.kind is Kind.ARRAY else code.text(a) for a in s.arguments]
        results = [f"r{i}" for i in range(len(s.results))]
        lines = [
            *code.lines,
            *(f"{type_name(x.sort)} {r};" for x, r in zip(s.results, results, strict=True)),
        ]
        lines.append(
            f"{self.names.procedure(s.callee)}({', '.join([*given, *(f'&{r}' for r in results)])});"
        )
        for x, r in zip(s.results, results, strict=True):
            array = x.sort.kind is Kind.ARRAY
            lines.append(
                f"{type_name(x.sort)}_become(&{self._variable(x)}, {r});"
                if array
                else f"{self._variable(x)} = {r};"
            )
        return [*lines, *code.freeing()]


def is_played(s: Havoc) -> bool:
    """Is it the result of a function that the harness can play:
    one number, and no effect on memory?"""
    if not s.source or s.source in SCANS or len(s.targets) != 1:
        return False
    sort = s.targets[0].sort
    return (sort.kind is Kind.BITVEC and sort.width <= 64) or sort in (FLOAT32, FLOAT64)


def stores(x: Term, e: Term) -> list[tuple[Term, Term]] | None:
    """The updates, in order, that make the array `x` into `e`;
    None if `e` is not `x` with some elements replaced."""
    chain: list[tuple[Term, Term]] = []
    while e.op is Op.STORE:
        chain.append((e.args[1], e.args[2]))
        e = e.args[0]
    return chain[::-1] if e is x and chain else None


def _parts(chain: list[tuple[Term, Term]] | None, e: Term) -> list[Term]:
    return [e] if chain is None else [t for pair in chain for t in pair]
