"""Reading whole SMT-LIB 2.6 scripts:
declarations, definitions, assertions, annotations (VMT), raw commands (CHC).

`read_script` interprets what defines names and asserts formulas; every command is also kept unread
in `Script.commands`. A `define-fun` with parameters is a macro: its body is read once over fresh
variables and substituted at each use.  A function that is declared with parameters has no meaning
here; a front end that gives it one passes `functions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from obligato.errors import InternalError, Span
from obligato.terms.smtlib.operators import coerce
from obligato.terms.smtlib.reader import Annotation, Quantified, TermReader
from obligato.terms.smtlib.scope import Apply, Scope, SortMacro, check_arguments, uninterpreted
from obligato.terms.smtlib.sexpr import Atom, SExpr, SList, Source, iter_sexprs, show, symbol_name
from obligato.terms.sorts import Sort
from obligato.terms.store import TermStore
from obligato.terms.term import Term
from obligato.terms.traversal import substitute
from obligato.terms.typing import SortError


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declare-fun or declare-const; `term` is the variable if it takes no arguments."""

    name: str
    params: tuple[Sort, ...]
    sort: Sort
    span: Span
    term: Term | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """A define-fun: `body` over the variables `params`."""

    name: str
    params: tuple[Term, ...]
    body: Term
    span: Span


@dataclass(frozen=True, slots=True)
class Assertion:
    """An assert; `term` is None where the formula has a quantifier and only `sexpr` speaks."""

    term: Term | None
    sexpr: SExpr
    span: Span


FunctionHook = Callable[[Declaration], Apply]


@dataclass(slots=True)
class Script:
    """What a script says. `reader` can read more expressions in its final scope."""

    reader: TermReader
    functions: FunctionHook | None = None
    logic: str | None = None
    infos: dict[str, SExpr | None] = field(default_factory=dict)
    options: dict[str, SExpr | None] = field(default_factory=dict)
    declarations: dict[str, Declaration] = field(default_factory=dict)
    definitions: dict[str, Definition] = field(default_factory=dict)
    assertions: list[Assertion] = field(default_factory=list)
    commands: list[SList] = field(default_factory=list)

    @property
    def annotations(self) -> list[Annotation]:
        """All attributes, in the order of the text."""
        return self.reader.annotations

    @property
    def source(self) -> Source:
        """The text, for positions."""
        return self.reader.source


def read_script(
    text: str,
    filename: str,
    store: TermStore,
    functions: FunctionHook | None = None,
    scope: Scope | None = None,
) -> Script:
    """Read a whole script. `functions` gives a meaning to the functions that are declared with
    arguments, `scope` (if given) to those that are not declared."""
    source = Source(text, filename)
    script = Script(TermReader(store, scope, source), functions)
    for command in iter_sexprs(source):
        if not (isinstance(command, SList) and command and isinstance(command[0], Atom)):
            raise source.error(f"a command was expected, not {show(command)}", command)
        script.commands.append(command)
        if command[0] == "exit":
            break
        handler = _COMMANDS.get(command[0])
        if handler is None:
            raise source.error(f"unknown command {command[0]}", command)
        handler(script, command)
    return script


# -- commands --------------------------------------------------------------------------------------


def _expect(script: Script, command: SList, count: int) -> None:
    if len(command) != count + 1:
        raise script.source.error(
            f"{command[0]} takes {count} arguments, not {len(command) - 1}", command
        )


def _symbol(script: Script, x: SExpr) -> Atom:
    if isinstance(x, Atom) and x[0] not in '0123456789#:"':
        return x
    raise script.source.error(f"a symbol was expected, not {show(x)}", x)


def _new_symbol(script: Script, x: SExpr) -> Atom:
    name = _symbol(script, x)
    scope = script.reader.scope
    if name in scope.constants or name in scope.functions:
        raise script.source.error(f"{symbol_name(name)} is already declared", name)
    return name


def _list(script: Script, x: SExpr) -> SList:
    if isinstance(x, SList):
        return x
    raise script.source.error(f"a list was expected, not {show(x)}", x)


def _set_logic(script: Script, command: SList) -> None:
    _expect(script, command, 1)
    script.logic = _symbol(script, command[1])


def _set_attribute(script: Script, command: SList) -> None:
    if (
        len(command) not in (2, 3)
        or not isinstance(command[1], Atom)
        or not command[1].startswith(":")
    ):
        raise script.source.error(f"{command[0]} needs a keyword", command)
    table = script.infos if command[0] == "set-info" else script.options
    table[command[1]] = command[2] if len(command) == 3 else None


def _declare_fun(script: Script, command: SList) -> None:
    _expect(script, command, 3)
    params = tuple(script.reader.read_sort(p) for p in _list(script, command[2]))
    _declare(script, command[1], params, script.reader.read_sort(command[3]))


def _declare_const(script: Script, command: SList) -> None:
    _expect(script, command, 2)
    _declare(script, command[1], (), script.reader.read_sort(command[2]))


def _declare(script: Script, symbol: SExpr, params: tuple[Sort, ...], sort: Sort) -> None:
    atom = _new_symbol(script, symbol)
    name, span, scope = symbol_name(atom), script.source.span(atom.pos), script.reader.scope
    if params:
        declaration = Declaration(name, params, sort, span)
        scope.functions[atom] = (
            script.functions(declaration) if script.functions else uninterpreted(name)
        )
    else:
        declaration = Declaration(name, (), sort, span, _variable(script, atom, sort))
        assert declaration.term is not None
        scope.constants[atom] = declaration.term
    script.declarations[name] = declaration


def _variable(script: Script, atom: Atom, sort: Sort) -> Term:
    try:
        return script.reader.store.var(symbol_name(atom), sort)
    except InternalError as e:  # the store knows the name with another sort
        raise script.source.error(str(e), atom) from e


def _define_fun(script: Script, command: SList) -> None:
    _expect(script, command, 4)
    atom = _new_symbol(script, command[1])
    reader, name = script.reader, symbol_name(atom)
    bindings: dict[str, Term] = {}
    for p in _list(script, command[2]):
        if not (isinstance(p, SList) and len(p) == 2):
            raise script.source.error("a parameter is (symbol sort)", p)
        symbol = _symbol(script, p[0])
        if symbol in bindings:
            raise script.source.error(f"{symbol_name(symbol)} is a parameter twice", p)
        bindings[symbol] = reader.store.fresh(
            f"{name}!{symbol_name(symbol)}", reader.read_sort(p[1])
        )
    body = _sorted_term(script, command[4], reader.read_sort(command[3]), bindings)
    params = tuple(bindings.values())
    script.definitions[name] = Definition(name, params, body, script.source.span(atom.pos))
    if params:
        reader.scope.functions[atom] = _macro(name, params, body)
    else:
        reader.scope.constants[atom] = body


def _sorted_term(
    script: Script, x: SExpr, sort: Sort, bindings: Mapping[str, Term] | None = None
) -> Term:
    term = script.reader.read(x, bindings)
    try:
        return coerce(script.reader.store, term, sort)
    except SortError as e:
        raise script.source.error(str(e), x) from e


def _macro(name: str, params: tuple[Term, ...], body: Term) -> Apply:
    sorts = tuple(p.sort for p in params)

    def expand(store: TermStore, args: list[Term]) -> Term:
        if len(args) == len(sorts):
            args = [coerce(store, a, s) for a, s in zip(args, sorts, strict=True)]
        check_arguments(name, sorts, args)
        return substitute(body, dict(zip(params, args, strict=True)))

    return expand


def _define_sort(script: Script, command: SList) -> None:
    _expect(script, command, 3)
    name, reader = _symbol(script, command[1]), script.reader
    params = tuple(_symbol(script, p) for p in _list(script, command[2]))
    if name in reader.scope.sorts:
        raise script.source.error(f"the sort {name} is already defined", name)
    reader.scope.sorts[name] = (
        SortMacro(params, command[3]) if params else reader.read_sort(command[3])
    )


def _assert(script: Script, command: SList) -> None:
    _expect(script, command, 1)
    formula, reader = command[1], script.reader
    term: Term | None = None
    # then it stays an s-expression: whoever knows what the quantifier means reads it
    with suppress(Quantified):
        term = reader.read(formula)
    if term is not None and term.sort is not reader.store.true.sort:
        raise script.source.error(f"an assertion must be Bool, not {term.sort}", formula)
    script.assertions.append(Assertion(term, formula, script.source.span(command.pos)))


def _pass_over(script: Script, command: SList) -> None:
    """A command that defines nothing here."""


def _refuse(script: Script, command: SList) -> None:
    raise script.source.unsupported(command)


_PASSED_OVER = (
    "check-sat",
    "check-sat-assuming",
    "get-model",
    "get-value",
    "get-unsat-core",
    "get-assertions",
    "get-assignment",
    "get-info",
    "get-option",
    "get-proof",
    "get-unsat-assumptions",
    "echo",
    "declare-rel",
    "declare-var",
    "rule",
    "query",
)
_REFUSED = (
    "push",
    "pop",
    "reset",
    "reset-assertions",
    "declare-sort",
    "declare-datatype",
    "declare-datatypes",
    "define-fun-rec",
    "define-funs-rec",
)
_COMMANDS: dict[str, Callable[[Script, SList], None]] = {
    "set-logic": _set_logic,
    "set-info": _set_attribute,
    "set-option": _set_attribute,
    "declare-fun": _declare_fun,
    "declare-const": _declare_const,
    "define-fun": _define_fun,
    "define-sort": _define_sort,
    "assert": _assert,
    **dict.fromkeys(_PASSED_OVER, _pass_over),
    **dict.fromkeys(_REFUSED, _refuse),
}
