"""`TermReader`: from an s-expression to a term, without recursion.

A stack of things to do and a stack of finished terms: an application waits below its arguments, a
`let` body below its definitions, an annotation below its term.  All bindings live in one dictionary
(the scope's constants); `let` overwrites and restores, so a look-up is one dictionary access.

Quantifiers have no terms here: they raise `Quantified`, an `Unsupported` that carries the
s-expression, and the caller decides (the script reader keeps such assertions unread for the CHC
front end, which sets `quantifiers` to read them).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import NamedTuple, Protocol

from obligato.errors import NO_SPAN, InputError, Span, Unsupported
from obligato.terms.numerals import parse_int
from obligato.terms.smtlib.operators import INDEXED, OPERATORS, const_array, to_float
from obligato.terms.smtlib.scope import (
    MAX_EXPONENT,
    MAX_SIGNIFICAND,
    MAX_WIDTH,
    Apply,
    Scope,
    numeral,
    read_sort,
)
from obligato.terms.smtlib.sexpr import Atom, SExpr, SList, Source, show, symbol_name
from obligato.terms.sorts import Sort, floating
from obligato.terms.store import TermStore
from obligato.terms.term import Term
from obligato.terms.typing import SortError


class Quantified(Unsupported):
    """A quantifier where a term was expected; `sexpr` is the quantified formula."""

    def __init__(self, sexpr: SList, span: Span) -> None:
        super().__init__("a quantifier is not supported here", span, construct="quantifier")
        self.sexpr = sexpr


@dataclass(frozen=True, slots=True)
class Annotation:
    """One attribute of ``(! term :key value)``; the value, if any, is unread."""

    term: Term
    key: str
    value: SExpr | None
    span: Span


class Quantifiers(Protocol):
    """What a front end makes of quantifiers."""

    def variable(self, name: str, sort: Sort) -> Term:
        """A new variable for one that is bound."""

    def formula(self, universal: bool, body: Term) -> Term:
        """What stands for the quantified formula whose bound variables are those made before."""


class _Step(NamedTuple):
    """Something to do once the terms above it are finished."""

    run: Callable[[SList, int], None]
    node: SList
    mark: int = 0


class TermReader:
    """Reads terms over `store` with the names of `scope`;
    annotations met on the way are collected."""

    def __init__(
        self, store: TermStore, scope: Scope | None = None, source: Source | None = None
    ) -> None:
        self.store = store
        self.scope = Scope.initial(store) if scope is None else scope
        self.source = Source("") if source is None else source
        self.annotations: list[Annotation] = []
        self.quantifiers: Quantifiers | None = None
        self._todo: list[SExpr | _Step | tuple[Apply, SList]] = []
        self._values: list[Term] = []
        self._undo: list[tuple[str, Term | None]] = []

    def read(self, sexpr: SExpr, bindings: Mapping[str, Term] | None = None) -> Term:
        """The term that `sexpr` denotes,
        with `bindings` of symbols to terms on top of the scope."""
        self._todo, self._values = [sexpr], []
        try:
            for name, value in (bindings or {}).items():
                self._bind(name, value)
            self._run()
            return self._values.pop()
        finally:
            self._restore(0)

    def read_sort(self, sexpr: SExpr) -> Sort:
        """The sort that `sexpr` denotes."""
        return read_sort(sexpr, self.scope, self.source)

    def error(self, message: str, where: SExpr) -> InputError:
        """An input error at `where`; to be raised."""
        return self.source.error(message, where)

    # -- the machine -------------------------------------------------------------------------------

    def _run(self) -> None:
        todo, values, names = self._todo, self._values, self.scope.constants
        while todo:
            item = todo.pop()
            if isinstance(item, Atom):
                known = names.get(item)
                values.append(known if known is not None else self._literal(item))
            elif isinstance(item, SList):
                self._open(item)
            elif isinstance(item, _Step):
                item.run(item.node, item.mark)
            else:
                count = len(item[1]) - 1
                args = values[-count:]
                del values[-count:]
                values.append(self._apply(item[0], item[1], args))

    def _apply(self, build: Apply, node: SList, args: list[Term]) -> Term:
        try:
            return build(self.store, args)
        except SortError as e:
            raise self.error(f"{show(node[0])}: {e}", node) from e
        except InputError as e:
            if e.span is not NO_SPAN:
                raise
            raise self._placed(e, node) from e

    def _placed(self, error: InputError, node: SList) -> InputError:
        span = self.source.span(node.pos)
        if isinstance(error, Unsupported):
            return Unsupported(error.message, span, error.construct)
        return InputError(error.message, span, error.code)

    def _open(self, node: SList) -> None:
        """Start on a list: special forms, else an application whose arguments come first."""
        if not node:
            raise self.error("an empty list is not a term", node)
        head = node[0]
        if isinstance(head, SList):
            build: Apply | None = self._indexed(head)
        else:
            special = _SPECIAL.get(head)
            if special is not None:
                special(self, node)
                return
            build = self.scope.functions.get(head) or OPERATORS.get(head)
        if build is None:
            known = isinstance(head, Atom) and head in self.scope.constants
            raise self.error(
                f"{head} is not a function" if known else f"unknown function {show(head)}", head
            )
        if len(node) < 2:
            raise self.error(f"{show(head)} is applied to nothing", node)
        self._todo.append((build, node))
        self._todo.extend(node[:0:-1])

    # -- leaves ------------------------------------------------------------------------------------

    def _literal(self, atom: Atom) -> Term:
        """A numeral, decimal, hexadecimal or binary; anything else is unknown."""
        if atom.isascii():
            if atom.isdigit():
                return self.store.int_(parse_int(atom))
            if atom.startswith("#"):
                return self._bits(atom)
            whole, point, fraction = atom.partition(".")
            if point and whole.isdigit() and fraction.isdigit():
                return self.store.real(Fraction(parse_int(whole + fraction), 10 ** len(fraction)))
        raise self.error(f"unknown symbol {symbol_name(atom)}", atom)

    def _bits(self, atom: Atom) -> Term:
        base, size = {"#x": (16, 4), "#b": (2, 1)}.get(atom[:2], (0, 0))
        digits = atom[2:]
        try:
            value = int(digits, base) if base and digits.isalnum() else -1
        except ValueError:
            value = -1
        if value < 0:
            raise self.error(f"malformed bit-vector {atom}", atom)
        if len(digits) * size > MAX_WIDTH:
            raise self.error(f"a bit-vector of more than {MAX_WIDTH} bits", atom)
        return self.store.bv(value, len(digits) * size)

    def _identifier(self, node: SList) -> None:
        """(_ bv5 32), (_ NaN 8 24) and the like."""
        match node:
            case [_, Atom() as name, width] if (
                name.startswith("bv") and name[2:].isdigit() and name.isascii()
            ):
                bits = numeral(width, self.source, 1, MAX_WIDTH, "the width")
                value = parse_int(name[2:])
                if value >> bits:
                    raise self.error(f"{name} does not fit into {bits} bits", node)
                self._values.append(self.store.bv(value, bits))
            case [_, Atom("NaN" | "+oo" | "-oo" | "+zero" | "-zero") as name, eb, sb]:
                self._values.append(self._special_float(name, self._format(eb, sb)))
            case _:
                raise self.error(f"unknown identifier {show(node)}", node)

    def _special_float(self, name: str, sort: Sort) -> Term:
        if name == "NaN":
            return self.store.fp_nan(sort)
        negative = name[0] == "-"
        return (
            self.store.fp_inf(sort, negative)
            if name[1:] == "oo"
            else self.store.fp_zero(sort, negative)
        )

    def _format(self, eb: SExpr, sb: SExpr) -> Sort:
        exponent = numeral(eb, self.source, 2, MAX_EXPONENT, "the exponent width")
        return floating(
            exponent, numeral(sb, self.source, 2, MAX_SIGNIFICAND, "the significand width")
        )

    def _qualified(self, node: SList) -> None:
        """(as x Sort): the sort only restates what is known."""
        if len(node) != 3 or not isinstance(node[1], Atom) or node[1] not in self.scope.constants:
            raise self.error(f"unknown qualified identifier {show(node)}", node)
        term = self.scope.constants[node[1]]
        if term.sort is not self.read_sort(node[2]):
            raise self.error(f"{node[1]} has sort {term.sort}", node)
        self._values.append(term)

    # -- function heads ----------------------------------------------------------------------------

    def _indexed(self, head: SList) -> Apply:
        """(_ extract 3 0), (_ to_fp 8 24), (as const (Array ...))."""
        match head:
            case [Atom("_"), Atom("to_fp" | "to_fp_unsigned") as name, eb, sb]:
                return partial(to_float, self._format(eb, sb), name == "to_fp")
            case [Atom("_"), Atom() as name, *indices] if name in INDEXED:
                count, build = INDEXED[name]
                if len(indices) != count:
                    raise self.error(f"{name} takes {count} indices", head)
                return partial(
                    build, *(numeral(i, self.source, 0, MAX_WIDTH, "an index") for i in indices)
                )
            case [Atom("as"), Atom("const"), sort]:
                return partial(const_array, self.read_sort(sort))
            case [Atom("as"), Atom() as name, _] if name in self.scope.functions:
                return self.scope.functions[name]
        raise self.error(f"unknown function {show(head)}", head)

    # -- let, annotations, quantifiers -------------------------------------------------------------

    def _let(self, node: SList) -> None:
        """Parallel: all definitions are read in the outer scope."""
        if len(node) != 3 or not isinstance(node[1], SList):
            raise self.error("let needs a list of definitions and a term", node)
        self._todo.append(_Step(self._let_body, node))
        for definition in reversed(node[1]):
            if not (
                isinstance(definition, SList)
                and len(definition) == 2
                and isinstance(definition[0], Atom)
            ):
                raise self.error("a definition is (symbol term)", definition)
            self._todo.append(definition[1])

    def _let_body(self, node: SList, mark: int) -> None:
        definitions = node[1]
        terms = self._values[len(self._values) - len(definitions) :]
        del self._values[len(self._values) - len(definitions) :]
        self._todo.append(_Step(self._let_end, node, len(self._undo)))
        self._todo.append(node[2])
        for definition, term in zip(definitions, terms, strict=True):
            assert isinstance(definition, SList) and isinstance(definition[0], Atom)
            self._bind(definition[0], term)

    def _let_end(self, node: SList, mark: int) -> None:
        self._restore(mark)

    def _bind(self, name: str, term: Term) -> None:
        self._undo.append((name, self.scope.constants.get(name)))
        self.scope.constants[name] = term

    def _restore(self, mark: int) -> None:
        names, undo = self.scope.constants, self._undo
        while len(undo) > mark:
            name, old = undo.pop()
            if old is None:
                del names[name]
            else:
                names[name] = old

    def _annotated(self, node: SList) -> None:
        if len(node) < 3:
            raise self.error("! needs a term and attributes", node)
        self._todo.append(_Step(self._note, node))
        self._todo.append(node[1])

    def _note(self, node: SList, mark: int) -> None:
        """Collect the attributes of a finished term, which stays on the stack."""
        term = self._values[-1]
        i = 2
        while i < len(node):
            key = node[i]
            if not isinstance(key, Atom) or not key.startswith(":"):
                raise self.error(f"an attribute was expected, not {show(key)}", key)
            value = node[i + 1] if i + 1 < len(node) else None
            if isinstance(value, Atom) and value.startswith(":"):
                value = None
            self.annotations.append(Annotation(term, key, value, self.source.span(key.pos)))
            if key == ":named" and isinstance(value, Atom):
                self.scope.constants[value] = term
            i += 1 if value is None else 2

    def _quantifier(self, node: SList) -> None:
        if self.quantifiers is None:
            raise Quantified(node, self.source.span(node.pos))
        if len(node) != 3 or not isinstance(node[1], SList):
            raise self.error(f"{node[0]} needs a list of variables and a formula", node)
        self._todo.append(_Step(self._quantifier_end, node, len(self._undo)))
        self._todo.append(node[2])
        for name, variable in self._bound(node[1]).items():
            self._bind(name, variable)

    def _bound(self, binders: SList) -> dict[str, Term]:
        """A new variable for each that a quantifier binds."""
        assert self.quantifiers is not None
        here: dict[str, Term] = {}
        for b in binders:
            if not (isinstance(b, SList) and len(b) == 2 and isinstance(b[0], Atom)):
                raise self.error("a bound variable is (symbol sort)", b)
            if b[0] in here:
                raise self.error(f"{symbol_name(b[0])} is bound twice", b)
            here[b[0]] = self.quantifiers.variable(symbol_name(b[0]), self.read_sort(b[1]))
        return here

    def _quantifier_end(self, node: SList, mark: int) -> None:
        self._restore(mark)
        body = self._values.pop()
        if body.sort is not self.store.true.sort:
            raise self.error(f"a quantified formula must be Bool, not {body.sort}", node)
        assert self.quantifiers is not None
        self._values.append(self.quantifiers.formula(node[0] == "forall", body))

    def _unsupported(self, node: SList) -> None:
        raise self.source.unsupported(node)


_SPECIAL: dict[str, Callable[[TermReader, SList], None]] = {
    "let": TermReader._let,
    "!": TermReader._annotated,
    "_": TermReader._identifier,
    "as": TermReader._qualified,
    "forall": TermReader._quantifier,
    "exists": TermReader._quantifier,
    "match": TermReader._unsupported,
    "lambda": TermReader._unsupported,
}
