"""Modules of SMV and what they are made of. `parse` carries it."""

from __future__ import annotations

from obligato.errors import InputError, Span, Unsupported
from obligato.frontends.smv.expression_parser import ExpressionParser
from obligato.frontends.smv.syntax import (
    Assignment,
    Expr,
    Model,
    Module,
    Section,
    Spec,
    TypeExpr,
    Variable,
)
from obligato.frontends.smv.tokens import SECTIONS
from obligato.frontends.tokens import Source

_FORMULAS = {
    "INIT": "INIT",
    "TRANS": "TRANS",
    "INVAR": "INVAR",
    "FAIRNESS": "FAIRNESS",
    "JUSTICE": "FAIRNESS",
}
_LOGIC = {"SPEC": "CTL", "CTLSPEC": "CTL", "LTLSPEC": "LTL", "INVARSPEC": ""}


def parse(text: str, file: str) -> Model:
    """The modules of a text."""
    return _Parser(Source(text, file)).model()


def parse_formula(text: str, file: str, logic: str) -> Expr:
    """The formula of LTL or CTL that a text is."""
    parser = _Parser(Source(text, file))
    found = parser.formula(logic)
    if parser.token.kind != "end":
        parser.fail("the end of the formula")
    return found


class _Parser(ExpressionParser):
    def model(self) -> Model:
        """All modules."""
        modules: dict[str, Module] = {}
        while self.token.kind != "end":
            module = self._module()
            if module.name in modules:
                raise InputError(f"module {module.name} is defined twice", module.span)
            modules[module.name] = module
        if "main" not in modules:
            raise InputError("there is no module main", Span(self.source.file, 1, 1))
        main = modules["main"]
        if main.parameters:
            raise InputError("module main has parameters", main.span)
        return Model(self.source.file, modules, self.reals)

    def _module(self) -> Module:
        self.expect("MODULE")
        span, name, parameters = self.span(), self.name(), list[str]()
        if self.accept("(") and not self.accept(")"):
            parameters = self.separated(self.name)
            self.expect(")")
        twice = [p for n, p in enumerate(parameters) if p in parameters[:n]]
        if twice:
            raise InputError(f"parameter {twice[0]} is declared twice", span)
        module = Module(name, tuple(parameters), span)
        while self.text not in ("END", "MODULE"):
            self._section(module)
        return module

    def _section(self, module: Module) -> None:
        text, span = self.text, self.span()
        if text in ("VAR", "IVAR", "FROZENVAR"):
            self._variables(module, self.take().text)
        elif text == "DEFINE":
            self._defines(module)
        elif text == "CONSTANTS":
            self.take()
            module.constants += self.separated(self.name)
            self._end()
        elif text == "ASSIGN":
            self._assignments(module)
        elif text in _FORMULAS:
            self.take()
            module.sections.append(Section(_FORMULAS[text], (self.expression(),), span))
            self._end()
        elif text == "COMPASSION":
            self._compassion(module, span)
        elif text in _LOGIC:
            self._spec(module, span)
        elif text in SECTIONS:
            self.unsupported(text)
        else:
            self.fail("a section")

    def _end(self) -> None:
        """The semicolon at the end of a section, which may be missing."""
        self.accept(";")

    # -- declarations ------------------------------------------------------------------------------

    def _variables(self, module: Module, kind: str) -> None:
        while self.token.kind == "name":
            span, name = self.span(), self.dotted()
            self.expect(":")
            module.variables.append(Variable(kind, name, self._type(), span))
            self.expect(";")

    def _type(self) -> TypeExpr:
        span = self.span()
        match self.text:
            case "boolean" | "integer" | "real":
                return TypeExpr(self.take().text, span)
            case "word" | "signed" | "unsigned":
                return self._word_type(span)
            case "array":
                return self._array_type(span)
            case "{":
                return self._enumeration(span)
            case "process":
                self.take()
                return self._instance(span, process=True)
            case "NAME" if self.ahead().text not in ("..", "+", "-", "*"):
                return self._instance(span, process=False)
        found = self._level(2)
        if found.op != "..":
            raise InputError("expected a type", span)
        return TypeExpr("range", span, found.args)

    def _word_type(self, span: Span) -> TypeExpr:
        signed = self.accept("signed", "unsigned") == "signed"
        self.expect("word")
        self.expect("[")
        width = self.plain()
        self.expect("]")
        return TypeExpr("word", span, (width,), signed=signed)

    def _array_type(self, span: Span) -> TypeExpr:
        self.take()
        if self.text in ("word", "signed", "unsigned", "integer"):
            index = self._type()
            self.expect("of")
            return TypeExpr("map", span, (), (index, self._type()))
        bounds = self._level(2)
        if bounds.op != "..":
            self.fail("a range")
        self.expect("of")
        return TypeExpr("array", span, bounds.args, (self._type(),))

    def _enumeration(self, span: Span) -> TypeExpr:
        self.take()
        values = self.separated(self._constant)
        self.expect("}")
        twice = [
            v
            for n, v in enumerate(values)
            if v in values[:n] and type(v) is type(values[values.index(v)])
        ]
        if twice:
            raise InputError(f"{twice[0]} is listed twice", span)
        return TypeExpr("enum", span, values=tuple(values))

    def _constant(self) -> str | int | bool:
        if self.text in ("TRUE", "FALSE"):
            return self.take().text == "TRUE"
        if self.token.kind == "name":
            return self.name()
        value = self._minus()
        if value.op != "int" or not isinstance(value.data, int):
            raise InputError("expected a constant", value.span)
        return value.data

    def _instance(self, span: Span, process: bool) -> TypeExpr:
        name, args = self.name(), list[Expr]()
        if self.accept("(") and not self.accept(")"):
            args = self.separated(self.plain)
            self.expect(")")
        return TypeExpr("module", span, tuple(args), name=name, process=process)

    # -- definitions and assignments ---------------------------------------------------------------

    def _target(self) -> Expr:
        target = self._postfix()
        place = target
        while place.op in (".", "[]"):
            place = place.args[0]
        if place.op not in ("name", "self"):
            raise InputError("expected a name", target.span)
        return target

    def _defines(self, module: Module) -> None:
        self.take()
        while self.token.kind == "name" or self.text == "self":
            span, target = self.span(), self._target()
            self.expect(":=")
            if self.text == "[":
                raise Unsupported(
                    "an array as definition is not supported", self.span(), "array define"
                )
            module.defines.append(Assignment("define", target, self.expression(), span))
            self.expect(";")

    def _assignments(self, module: Module) -> None:
        self.take()
        while self.token.kind == "name" or self.text in ("init", "next", "self"):
            span, kind = self.span(), self.accept("init", "next") or "now"
            if kind != "now":
                self.expect("(")
            target = self._target()
            if kind != "now":
                self.expect(")")
            self.expect(":=")
            module.assignments.append(Assignment(kind, target, self.expression(), span))
            self.expect(";")

    # -- sections with formulas --------------------------------------------------------------------

    def _compassion(self, module: Module, span: Span) -> None:
        self.take()
        self.expect("(")
        first = self.expression()
        self.expect(",")
        module.sections.append(Section("COMPASSION", (first, self.expression()), span))
        self.expect(")")
        self._end()

    def _spec(self, module: Module, span: Span) -> None:
        kind, name = self.take().text, ""
        if self.token.text == "NAME" and self.token.kind == "name" and self.ahead().kind == "name":
            self.take()
            name = self.dotted()
            self.expect(":=")
        formula = self.formula(_LOGIC[kind]) if _LOGIC[kind] else self.expression()
        module.specs.append(Spec("CTLSPEC" if kind == "SPEC" else kind, formula, name, span))
        self._end()
