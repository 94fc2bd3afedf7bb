"""The reader of IVL text: lark parses (LALR), two passes over the declarations build the program,
`validate` has the last word.

Procedures may call those declared later; variables and records are declared before they are used.
Whatever the text, the answer is a valid Program or an InputError with its position; depth of
nesting is limited by memory only.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from obligato.errors import InputError, Span
from obligato.frontends.ivl.statements import Signature, StatementReader
from obligato.frontends.reading import read_text
from obligato.program.names import full_name, unquote
from obligato.program.operators import BUILT_IN
from obligato.program.syntax import Procedure, Program, RecordType, Type, Variable, flatten
from obligato.program.validate import validate
from obligato.terms import Sort, TermStore

MAX_RECORD_SCALARS = 10_000
MAX_RECORD_DEPTH = 50


def load(path: str | Path) -> Program:
    """The program in a file."""
    return parse(read_text(path, "strict"), str(path))


def parse(text: str, file: str = "<text>") -> Program:
    """The program in a string; `file` is the name for messages."""
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as e:
        raise InputError(_explain(e), Span(file, max(e.line, 0), max(e.column, 0))) from e
    return _ProgramReader(tree, file).program


@lru_cache(maxsize=1)
def _parser() -> Lark:
    grammar = files(__package__).joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", propagate_positions=True)


def _explain(e: UnexpectedInput) -> str:
    if isinstance(e, UnexpectedToken):
        return (
            "unexpected end of the text"
            if e.token.type == "$END"
            else f"unexpected {str(e.token)[:40]!r}"
        )
    return (
        f"unexpected {e.char!r}"
        if isinstance(e, UnexpectedCharacters)
        else "the text cannot be read"
    )


class _ProgramReader:
    """The declarations of one file."""

    def __init__(self, tree: Tree[Token], file: str) -> None:
        self.store = TermStore.raw()
        self.records: dict[str, RecordType] = {}
        self.file = file
        self.reader = StatementReader(self.store, file, self.records)
        self.reader.signatures = {}
        self.globals: list[Variable] = []
        self.procedures: dict[str, Procedure] = {}
        self.entry: str | None = None
        items: list[Tree[Token]] = [i for i in tree.children if isinstance(i, Tree)]
        for item in items:
            getattr(self, f"_{item.data}")(item)
        for item in items:
            if item.data == "procedure":
                self._body(item)
        self.program = Program(
            self.store,
            tuple(self.records.values()),
            tuple(self.globals),
            self.procedures,
            self.entry or "main",
            file,
        )
        validate(self.program)

    def _entry(self, node: Tree[Token]) -> None:
        if self.entry is not None:
            raise self.reader.error(node, "two entry declarations")
        self.entry = _name(node.children[0])

    def _record(self, node: Tree[Token]) -> None:
        name = _name(node.children[0])
        if name in self.records:
            raise self.reader.error(node, f"record {name} is declared twice")
        fields: dict[str, Type] = {}
        for f in node.children[1:]:
            assert isinstance(f, Tree)
            field = _name(f.children[0])
            if field in fields:
                raise self.reader.error(f, f"field {field} is declared twice")
            fields[field] = self.reader.read(f.children[1])
        record = RecordType(name, tuple(fields.items()))
        self._check_size(node, record)
        self.records[name] = record

    def _check_size(self, node: Tree[Token], record: RecordType) -> None:
        """Records nest in records: the depth grows by one a time, so it is caught before it
        hurts.
        """
        for n, (scalar, _) in enumerate(flatten("", record)):
            if n >= MAX_RECORD_SCALARS or scalar.count(".") > MAX_RECORD_DEPTH:
                raise self.reader.error(node, f"record {record.name} is too large or too deep")

    def _global_var(self, node: Tree[Token]) -> None:
        names, type_node, init_node = node.children
        assert isinstance(names, Tree)
        type_ = self.reader.read(type_node)
        init = None if init_node is None else self.reader.read(init_node)
        if init is not None and not isinstance(type_, Sort):
            raise self.reader.error(node, "a record has no initial value; assign its fields")
        value = None if init is None else self.reader.coerce(init_node, init, type_)
        for n in names.children:
            name = _name(n)
            self._declare(n, name, name, type_)
            self.globals.append(Variable(name, type_, value, self.reader.span(n)))

    def _declare(self, node: Any, written: str, full: str, type_: Type) -> None:
        if written in self.reader.variables:
            hides = full != written and self.reader.variables[written][0] == written
            raise self.reader.error(
                node, f"{written} {'hides a global variable' if hides else 'is declared twice'}"
            )
        self.reader.variables[written] = (full, type_)

    def _procedure(self, node: Tree[Token]) -> None:
        name = _name(node.children[0])
        if name in self.reader.signatures:
            raise self.reader.error(node, f"procedure {name} is declared twice")
        if str(node.children[0].children[0]) in BUILT_IN:  # type: ignore[union-attr]
            raise self.reader.error(
                node, f"{name} is a built-in function; a procedure of that name needs backticks"
            )
        self.reader.signatures[name] = (
            self._parameters(name, node.children[1]),
            self._parameters(name, node.children[2]),
        )

    def _parameters(self, procedure: str, node: Any) -> tuple[Variable, ...]:
        if node is None:
            return ()
        out = []
        for p in node.children:
            type_ = self.reader.read(p.children[1])
            out.append(
                Variable(
                    full_name(procedure, _name(p.children[0])), type_, None, self.reader.span(p)
                )
            )
        return tuple(out)

    def _body(self, node: Tree[Token]) -> None:
        name = self.reader.scope = _name(node.children[0])
        global_names = dict(self.reader.variables)
        parameters, results = self._signature_in_scope(name, node)
        local = self._locals(name, node.children[3])
        self.reader.results = results
        body = self.reader.read(node.children[3])
        self.reader.variables = global_names
        self.procedures[name] = Procedure(
            name, parameters, results, local, body, self.reader.span(node)
        )
        self.reader.scope = ""

    def _signature_in_scope(self, name: str, node: Tree[Token]) -> Signature:
        signature = self.reader.signatures[name]
        for variables, list_node in zip(signature, node.children[1:3], strict=True):
            assert not isinstance(list_node, Token)
            parameters = [] if list_node is None else list_node.children
            for v, p in zip(variables, parameters, strict=True):
                assert isinstance(p, Tree)
                self._declare(p, _name(p.children[0]), v.name, v.type)
        return signature

    def _locals(self, procedure: str, block: Any) -> tuple[Variable, ...]:
        out = []
        for node in _preorder(block, "local_var"):
            type_ = self.reader.read(node.children[1])
            for n in node.children[0].children:  # type: ignore[union-attr]
                name = _name(n)
                self._declare(n, name, full_name(procedure, name), type_)
                out.append(Variable(full_name(procedure, name), type_, None, self.reader.span(n)))
        return tuple(out)


def _name(node: Any) -> str:
    return unquote(str(node.children[0]))


def _preorder(root: Tree[Token], data: str) -> list[Tree[Token]]:
    found, stack = [], [root]
    while stack:
        node = stack.pop()
        if node.data == data:
            found.append(node)
        stack.extend(c for c in reversed(node.children) if isinstance(c, Tree))
    return found
