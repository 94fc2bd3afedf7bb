"""Reads temporal formulas as text: `G (req -> F ack)`, `[] (n < 3 || <> "(= x 4)")`.

From tight to loose: arithmetic (* + -), comparisons (= != < <= > >=), the unary ! X F G [] <>, then
U R W (right-associative), & , | and xor, -> (right-associative), <->. So `X a = b` is `X (a = b)`
and `a U b & c` is `(a U b) & c`. The usual other spellings (&&, ||, ~, not, and, or, =>, ==, GF)
are read, too.

An atom is a name of the input: a state variable, an input, or a signal that the file names (of
AIGER and BTOR2 the bad states, which are true where something is wrong; of other inputs the
properties, true where nothing is). A name that is no plain word, a keyword for instance, stands in
double quotes; a quoted text that begins with ( is an SMT-LIB term. Words of bits are compared as
unsigned numbers; to order words that the input reads as signed is refused. Errors have the place in
the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from obligato.errors import InputError, Span
from obligato.models.ltl import Formula, atom
from obligato.terms import BOOL, Kind, Op, Sort, Term, TermStore, postorder
from obligato.terms.smtlib import Scope, Source, TermReader, parse_sexprs
from obligato.terms.typing import SortError

_TOKEN = re.compile(
    r'\s*(?:("[^"]*")|(\[\]|<>|<->|<=>|->|=>|==>|&&|\|\||!=|==|<=|>=|[()!~&|^=<>+*-])|([0-9]+)|([A-Za-z_.$][\w.$#@\[\]:\']*))'
)
_SAME = {
    "[]": "G",
    "<>": "F",
    "~": "!",
    "not": "!",
    "&&": "&",
    "and": "&",
    "||": "|",
    "or": "|",
    "=>": "->",
    "==>": "->",
    "<=>": "<->",
    "^": "xor",
    "==": "=",
}
_LEVELS: tuple[tuple[tuple[str, ...], bool], ...] = (  # loose to tight; right-associative?
    (("<->",), False),
    (("->",), True),
    (("|", "xor"), False),
    (("&",), False),
    (("U", "R", "W"), True),
)
_COMPARE = ("=", "!=", "<", "<=", ">", ">=")
_NUMBERS = (Kind.INT, Kind.REAL, Kind.BITVEC)
MAX_DEPTH = 200

Operand = Term | int


def read_ltl(
    text: str,
    store: TermStore,
    names: Mapping[str, Term],
    file: str = "<property>",
    signed: frozenset[Term] = frozenset(),
) -> Formula:
    """The formula that a text says about a system whose names mean these terms; `signed` are read
    as signed numbers there.
    """
    return Parser(text, store, names, file, signed).whole()


class Parser:
    """One text; what makes the logic is in the attributes of the class, so that another logic is a
    subclass.
    """

    tokens_of = _TOKEN
    unary: tuple[str, ...] = ("!", "X", "F", "G")
    levels = _LEVELS
    same: Mapping[str, str] = _SAME
    keywords = frozenset({"X", "F", "G", "U", "R", "W", "true", "false", "not", "and", "or", "xor"})

    def __init__(
        self,
        text: str,
        store: TermStore,
        names: Mapping[str, Term],
        file: str,
        signed: frozenset[Term] = frozenset(),
    ) -> None:
        self.text, self.store, self.names, self.file, self.signed = text, store, names, file, signed
        self.tokens: list[tuple[str, int]] = []
        place = 0
        while place < len(text.rstrip()):
            found = self.tokens_of.match(text, place)
            if found is None:
                start = place + len(text[place:]) - len(text[place:].lstrip())
                raise self._error(f"{text[start]!r} is not expected here", start)
            token, start = found[0].strip(), found.start() + len(found[0]) - len(found[0].lstrip())
            self._take_in(token, start)
            place = found.end()
        self.tokens.append(("", len(text)))
        self.next = 0
        self.depth = 0

    def _take_in(self, token: str, place: int) -> None:
        """A token; GF, FG and the like are several."""
        if re.fullmatch("[GFX]{2,}", token) and token not in self.names:
            self.tokens += [(letter, place + n) for n, letter in enumerate(token)]
        else:
            self.tokens.append((self.same.get(token, token), place))

    def _error(self, message: str, place: int) -> InputError:
        line = self.text.count("\n", 0, place) + 1
        column = place - (self.text.rfind("\n", 0, place) + 1) + 1
        return InputError(f"temporal formula: {message}", Span(self.file, line, column))

    @property
    def token(self) -> str:
        """The token that comes next; empty at the end."""
        return self.tokens[self.next][0]

    @property
    def place(self) -> int:
        """Where it stands."""
        return self.tokens[self.next][1]

    def _advance(self) -> str:
        self.next += 1
        return self.tokens[self.next - 1][0]

    # -- formulas ----------------------------------------------------------------------------------

    def whole(self) -> Formula:
        """All of the text."""
        place = self.place
        found = self._formula(self._binary(0), place)
        if self.token:
            raise self._error(f"{self.token!r} is not expected here", self.place)
        return found

    def _formula(self, x: Formula | Operand, place: int) -> Formula:
        if isinstance(x, Formula):
            return x
        if isinstance(x, int) or x.sort is not BOOL:
            raise self._error("a formula is needed, not a number", place)
        return atom(x)

    def _binary(self, level: int) -> Formula | Operand:
        if level == len(self.levels):
            return self._unary()
        operators, right = self.levels[level]
        place = self.place
        left = self._binary(level + 1)
        while self.token in operators:
            op = self._advance()
            there = self.place
            second = self._binary(level if right else level + 1)
            left = Formula(op, (self._formula(left, place), self._formula(second, there)))
        return left

    def _unary(self) -> Formula | Operand:
        if self.token not in self.unary:
            return self._comparison()
        op = self._advance()
        self._deeper()
        place = self.place
        found = Formula(op, (self._formula(self._unary(), place),))
        self.depth -= 1
        return found

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._error("the formula is nested too deeply", self.place)

    # -- terms -------------------------------------------------------------------------------------

    def _comparison(self) -> Formula | Operand:
        left = self._sum()
        if self.token not in _COMPARE:
            return left
        place = self.place
        op, right = self._advance(), self._sum()
        if isinstance(left, Formula) or isinstance(right, Formula):
            raise self._error("temporal formulas cannot be compared; use <->", place)
        a, b = self._alike(left, right, place)
        if op not in ("=", "!=") and a.sort.kind not in _NUMBERS:
            raise self._error("numbers are needed", place)
        if op not in ("=", "!=") and any(t in self.signed for t in postorder((a, b))):
            raise self._error(
                'signed words are ordered by a quoted SMT-LIB term only, such as "(bvslt x y)"',
                place,
            )
        return _compare(self.store, op, a, b)

    def _sum(self) -> Formula | Operand:
        return self._arithmetic(("+", "-"), lambda: self._arithmetic(("*",), self._primary))

    def _arithmetic(
        self, operators: tuple[str, ...], part: Callable[[], Formula | Operand]
    ) -> Formula | Operand:
        left = part()
        while self.token in operators:
            place, op, right = self.place, self._advance(), part()
            if isinstance(left, Formula) or isinstance(right, Formula):
                raise self._error("a number is needed, not a temporal formula", place)
            a, b = self._alike(left, right, place)
            if a.sort.kind not in _NUMBERS:
                raise self._error("numbers are needed", place)
            left = _calculate(self.store, op, a, b)
        return left

    def _alike(self, a: Operand, b: Operand, place: int) -> tuple[Term, Term]:
        """Two terms of one sort; a number takes the sort of the other."""
        if isinstance(a, int) and isinstance(b, int):
            return self.store.int_(a), self.store.int_(b)
        x = self._number(a, b.sort, place) if isinstance(a, int) and isinstance(b, Term) else a
        y = self._number(b, a.sort, place) if isinstance(b, int) and isinstance(a, Term) else b
        assert isinstance(x, Term) and isinstance(y, Term)
        if x.sort is not y.sort:
            raise self._error(f"terms of sorts {x.sort} and {y.sort} do not go together", place)
        return x, y

    def _number(self, value: int, sort: Sort, place: int) -> Term:
        s = self.store
        match sort.kind:
            case Kind.INT:
                return s.int_(value)
            case Kind.REAL:
                return s.real(value)
            case Kind.BITVEC if value < 1 << sort.width:
                return s.bv(value, sort.width)
            case Kind.BOOL if value < 2:
                return s.bool_(bool(value))
        raise self._error(f"{value} is no value of sort {sort}", place)

    def _primary(self) -> Formula | Operand:
        place, token = self.place, self._advance()
        if token == "(":
            self._deeper()
            found = self._binary(0)
            self.depth -= 1
            if self.token != ")":
                raise self._error("a closing parenthesis is missing", self.place)
            self._advance()
            return found
        if token in ("true", "false"):
            return Formula(token)
        if token.isdigit() and len(token) < 1000:
            return int(token)
        if token.startswith('"'):
            return self._quoted(token[1:-1], place)
        if token in self.names and token not in self.keywords:
            return self.names[token]
        if not token:
            raise self._error("the formula ends too early", place)
        if token in self.keywords or not re.match(r"[\w.$]", token):
            raise self._error(f"{token!r} is not expected here", place)
        raise self._error(f"{token!r} is no name of the input", place)

    def _quoted(self, text: str, place: int) -> Term:
        if text in self.names:
            return self.names[text]
        if not text.startswith("("):
            raise self._error(f"{text!r} is no name of the input", place)
        scope = Scope.initial(self.store)
        scope.constants.update(
            {**self.names, **{f"|{name}|": term for name, term in self.names.items()}}
        )
        try:
            (expression,) = parse_sexprs(text)
            return TermReader(self.store, scope, Source(text)).read(expression)
        except (InputError, SortError, ValueError) as problem:
            raise self._error(getattr(problem, "message", str(problem)), place) from problem


def _compare(s: TermStore, op: str, a: Term, b: Term) -> Term:
    if op in ("=", "!="):
        return s.eq(a, b) if op == "=" else s.not_(s.eq(a, b))
    if op in (">", ">="):
        a, b, op = b, a, "<" if op == ">" else "<="
    words = a.sort.kind is Kind.BITVEC
    if op == "<":
        return s.mk(Op.BVULT, (a, b)) if words else s.lt(a, b)
    return s.mk(Op.BVULE, (a, b)) if words else s.le(a, b)


def _calculate(s: TermStore, op: str, a: Term, b: Term) -> Term:
    if a.sort.kind is Kind.BITVEC:
        return s.mk({"+": Op.BVADD, "-": Op.BVSUB, "*": Op.BVMUL}[op], (a, b))
    if op == "-":
        return s.sub(a, b)
    return s.add(a, b) if op == "+" else s.mul(a, b)
