"""The parser of declarations and statements. `parse` carries the idea: text to `Program`, or an
error with its place.
"""

from __future__ import annotations

import re
from typing import TypeVar

from obligato.errors import InputError, Span
from obligato.frontends.lustre import syntax as s
from obligato.frontends.lustre.expressions import ExpressionParser
from obligato.frontends.tokens import Source


def parse(text: str, file: str = "<text>") -> s.Program:
    """The declarations of a file."""
    return _Parser(Source(text, file)).program()


class _Parser(ExpressionParser):
    def program(self) -> s.Program:
        """All declarations; names must be unique among their kind."""
        out = s.Program(self.source.file)
        while self.text != "END":
            if self.accept("type"):
                self._types(out)
            elif self.accept("datatype"):
                self._datatypes(out)
            elif self.accept("const"):
                for c in self._constants():
                    _declare(out.constants, c, "constant")
            elif self.text in ("node", "function", "opaque", "transparent", "lemma"):
                _declare(out.nodes, self._node(), "node")
            elif self.text == "contract":
                _declare(out.contracts, self._contract_node(), "contract")
            elif not self.accept(";", "."):
                self.fail("a declaration (type, const, node, function or contract)")
        return out

    # -- types and constants -----------------------------------------------------------------------

    def _types(self, out: s.Program) -> None:
        names = self.names()
        params = self._parameters()
        at = self.span()
        definition: s.TypeExpr = s.FreeType(at)
        if self.accept("="):
            definition = self._definition(at)
        self.expect(";")
        for where, name in names:
            _declare(out.types, s.TypeDecl(where, name, params, definition), "type")

    def _definition(self, at: Span) -> s.TypeExpr:
        if self.accept("enum"):
            self.expect("{")
            values = tuple(name for _, name in self.names())
            self.expect("}")
            return s.EnumType(at, values)
        if self.text == "struct" or self.text == "{":
            self.accept("struct")
            self.expect("{")
            fields = [(v.name, v.type) for vs in self.listed(self.variables, "}", ";") for v in vs]
            return s.RecordType(at, tuple(fields))
        return self.type()

    def _datatypes(self, out: s.Program) -> None:
        names = self.names()
        params = self._parameters()
        at = self.span(self.expect("="))
        self.accept("|")
        constructors = self.separated(self._constructor, "|")
        self.expect(";")
        for where, name in names:
            _declare(
                out.types,
                s.TypeDecl(where, name, params, s.DataType(at, tuple(constructors))),
                "type",
            )

    def _constructor(self) -> tuple[str, tuple[tuple[str, s.TypeExpr], ...]]:
        name = self.name()
        return name, tuple(self.listed(self._typed_field, ")", ",")) if self.accept("(") else ()

    def _typed_field(self) -> tuple[str, s.TypeExpr]:
        name = self.name()
        self.expect(":")
        return name, self.type()

    def _parameters(self) -> tuple[str, ...]:
        """<T1; T2>."""
        return tuple(self.listed(self.name, ">", ",", ";")) if self.accept("<") else ()

    def _constants(self) -> list[s.ConstDecl]:
        """What follows `const`: several of them, each with its semicolon."""
        out: list[s.ConstDecl] = []
        while self.is_name() and self.peek() in (":", "=", ","):
            names = self.names()
            t = self.type() if self.accept(":") else None
            value = self.expression() if self.accept("=") else None
            if t is None and value is None:
                self.fail("a type or a value")
            self.expect(";")
            out += [s.ConstDecl(at, name, t, value) for at, name in names]
        if not out:
            self.fail("a constant")
        return out

    # -- nodes -------------------------------------------------------------------------------------

    def _node(self) -> s.Node:
        self.accept("opaque", "transparent")
        if self.text == "lemma":
            self.unsupported("a lemma", "lemma")
        kind = self.take().text
        if kind not in ("node", "function"):
            self.fail("node or function")
        if self.text == "rec":
            self.unsupported("a recursive function", "recursion")
        imported = self.accept("imported")
        at, name, params, inputs, outputs = self._signature()
        self.accept(";")
        contract = self._contracts()
        head = (at, name, kind, imported, params, inputs, outputs, contract)
        return s.Node(*head) if imported else s.Node(*head, *self._body())

    def _body(
        self,
    ) -> tuple[tuple[s.Variable, ...], tuple[s.ConstDecl, ...], tuple[s.Statement, ...], bool]:
        """The local variables and constants of a node, its items, and is it the main node?"""
        locals_: list[s.Variable] = []
        constants: list[s.ConstDecl] = []
        while self.text in ("var", "const"):
            if self.take().text == "const":
                constants += self._constants()
            else:
                while self.is_name():
                    locals_ += self.variables()
                    self.expect(";")
        self.expect("let")
        body, main = self._statements("tel")
        self.expect("tel")
        self.accept(";", ".")
        return tuple(locals_), tuple(constants), body, main

    def _signature(
        self,
    ) -> tuple[Span, str, tuple[str, ...], tuple[s.Variable, ...], tuple[s.Variable, ...]]:
        at, name = self.span(), self.name()
        params = self._parameters()
        inputs = self._declared()
        self.expect("returns")
        return at, name, params, inputs, self._declared()

    def _declared(self) -> tuple[s.Variable, ...]:
        """(names: type; ...)."""
        self.expect("(")
        return tuple(
            v
            for vs in self.listed(lambda: self.variables(self.accept("const")), ")", ";")
            for v in vs
        )

    def _contracts(self) -> tuple[s.ContractItem, ...]:
        out: list[s.ContractItem] = []
        while True:
            if self.text == "CONTRACT":
                self.take()
                while self.text != "CLOSE":
                    out += self._item()
                self.take()
            elif self.accept("con"):
                while not self.accept("noc"):
                    out += self._item()
            else:
                return tuple(out)

    def _contract_node(self) -> s.Node:
        self.take()
        at, name, params, inputs, outputs = self._signature()
        self.accept(";")
        self.expect("let")
        items: list[s.ContractItem] = []
        while not self.accept("tel"):
            items += self._item()
        self.accept(";", ".")
        return s.Node(at, name, "contract", False, params, inputs, outputs, tuple(items))

    # -- contracts ---------------------------------------------------------------------------------

    def _item(self) -> list[s.ContractItem]:
        at, word = self.span(), self.text
        if word in ("var", "const"):
            return [self._ghost(at)]
        if word == "weakly":
            self.unsupported("a weak assumption or guarantee", "weakly")
        if word == "decreases":
            self.unsupported("decreases", "recursion")
        if word in ("assume", "guarantee"):
            return [self._clause()]
        if self.accept("mode"):
            return [self._mode(at)]
        if not self.accept("import"):
            self.fail("an item of a contract (var, const, assume, guarantee, mode or import)")
        return [self._import(at)]

    def _ghost(self, at: Span) -> s.Ghost:
        self.take()
        names = tuple(name for _, name in self.names())
        t = self.type() if self.accept(":") else None
        value = self.expression() if self.accept("=") else None
        self.expect(";")
        return s.Ghost(at, names, t, value)

    def _clause(self) -> s.Clause:
        at, kind = self.span(), self.take().text
        name, formula = self._formula()
        self.expect(";")
        return s.Clause(at, kind, name, formula)

    def _mode(self, at: Span) -> s.Mode:
        name = self.name()
        self.expect("(")
        require, ensure = list[s.Clause](), list[s.Clause]()
        while not self.accept(")"):
            if self.text not in ("require", "ensure"):
                self.fail("require or ensure")
            clause = self._clause()
            (require if clause.kind == "require" else ensure).append(clause)
        self.expect(";")
        return s.Mode(at, name, tuple(require), tuple(ensure))

    def _import(self, at: Span) -> s.Import:
        name = self.name()
        types = tuple(self.type_args()) if self.accept("@") else ()
        args = self.listed_args()
        self.expect("returns")
        outputs = self.listed_args()
        self.expect(";")
        return s.Import(at, name, types, args, outputs)

    def _formula(self) -> tuple[str, s.Expr]:
        """["name"] expression; without a name the text of the expression is one."""
        given = self.take().text[1:-1] if self.token.kind == "string" else ""
        start = self.token.at
        formula = self.expression()
        text = re.sub(r"\s+", " ", self.source.text[start : self.token.at].strip())
        return given or (text if len(text) <= 80 else f"{text[:77]}..."), formula

    # -- statements --------------------------------------------------------------------------------

    def _statements(self, *closing: str) -> tuple[tuple[s.Statement, ...], bool]:
        """Statements up to a closing word, which stays; and whether the node is marked as main."""
        out: list[s.Statement] = []
        main = False
        while self.text not in closing:
            if self.text == "END":
                self.fail(" or ".join(closing))
            if self.text == "MAIN":
                main = self._main_mark() or main
            elif not self.accept(";"):
                out += self._statement()
        return tuple(out), main

    def _main_mark(self) -> bool:
        block = not self.take().text.startswith("--")
        value = True
        if self.accept(":"):
            value = self.text != "false"
            self.take()
        self.accept(";")
        if block and self.text == "CLOSE":
            self.take()
        return value

    def _statement(self) -> list[s.Statement]:
        at, word = self.span(), self.text
        if word == "PROPERTY" or word == "check":
            return [self._check(at)]
        if self.accept("assert"):
            formula = self.expression()
            self.expect(";")
            return [s.Assert(at, formula)]
        if word == "if" or word == "when":
            return [self._block(at)]
        if word == "cond" and self.peek() == "|":
            return self._cond(at)
        if word == "frame" and self.peek() == "(":
            return [self._frame(at)]
        if word == "auto" and self.peek() == ";":
            self.unsupported("auto", "auto")
        return [self._equation(at)]

    def _check(self, at: Span) -> s.Check:
        mark = self.take()
        if self.text == "reachable":
            self.unsupported("a reachability query", "reachable")
        self.accept("invariant")
        self.accept(":")
        name, formula = self._formula()
        provided = self.expression() if self.accept("provided") else None
        self.accept(";") if mark.kind == "PROPERTY" else self.expect(";")
        if self.text == "CLOSE" and not mark.text.startswith(("--", "check")):
            self.take()
        return s.Check(at, name, formula, provided)

    def _block(self, at: Span) -> s.Block:
        lazy = self.take().text == "when"
        condition = self.expression()
        self.expect("then")
        ends = ("end",) if lazy else ("fi", "elsif")
        then, _ = self._statements("else", *ends)
        other: tuple[s.Statement, ...] = ()
        if self.text == "elsif":
            other = (self._block(self.span()),)  # it consumes the common end
            return s.Block(at, condition, then, other, lazy)
        if self.accept("else"):
            other, _ = self._statements(*ends)
        self.take()
        return s.Block(at, condition, then, other, lazy)

    def _cond(self, at: Span) -> list[s.Statement]:
        self.take()
        cases: list[tuple[s.Expr, tuple[s.Statement, ...]]] = []
        while self.accept("|"):
            condition = self.expression()
            self.expect(":")
            cases.append((condition, self._statements("|", "otherwise", "end")[0]))
        other: tuple[s.Statement, ...] = ()
        if self.accept("otherwise"):
            self.expect(":")
            other, _ = self._statements("end")
        self.expect("end")
        for condition, body in reversed(cases):
            other = (s.Block(at, condition, body, other, True),)
        return list(other)

    def _frame(self, at: Span) -> s.Frame:
        self.take()
        self.expect("(")
        names = tuple(name for _, name in self.names())
        self.expect(")")
        initial: list[s.Equation] = []
        while self.text != "let":
            initial.append(self._equation(self.span()))
        self.take()
        body, _ = self._statements("tel")
        self.take()
        return s.Frame(at, names, tuple(initial), body)

    def _equation(self, at: Span) -> s.Equation:
        start = self.here
        targets = self._targets()
        if not self.accept("="):
            self.here = start
            value = self.expression()
            if not isinstance(value, s.Call):
                raise InputError("expected an equation", at)
            targets = ()
        else:
            value = self.expression()
        self.expect(";")
        return s.Equation(at, targets, value)

    def _targets(self) -> tuple[s.Target, ...]:
        if self.text == "(" and self.peek() == ")":
            self.take()
            self.take()
            return ()
        if self.accept("("):
            out = self.separated(self._target, ",")
            self.expect(")")
            return tuple(out)
        return tuple(self.separated(self._target, ",")) if self.is_name() else ()

    def _target(self) -> s.Target:
        at, name = self.span(), self.name()
        indices = []
        while self.text == "[" and self.is_name(1) and self.peek(2) == "]":
            self.take()
            indices.append(self.name())
            self.take()
        return s.Target(at, name, tuple(indices))


D = TypeVar("D", bound=s.Declared)


def _declare(table: dict[str, D], declared: D, what: str) -> None:
    if declared.name in table:
        raise InputError(f"there are two {what}s named {declared.name}", declared.span)
    table[declared.name] = declared
