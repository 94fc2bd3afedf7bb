"""The parser of expressions: precedence climbing [Kind 2's table of precedences].

From loose to tight: when; else; -> ; forall, exists; => ==> ; or xor; and; in; relations; + - (and
the unary -); * / div mod;
|| ; && ; lsh rsh; pre; casts int, real; not; ! ; ^ ; selection. Casts to machine integers bind as
loosely as when.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from obligato.errors import InputError, Span
from obligato.frontends.lustre import syntax as s
from obligato.frontends.lustre.type_parser import MACHINE, MAX_DIGITS, TypeParser
from obligato.frontends.tokens import Source

LOOSEST, ELSE, ARROW, QUANTIFIED, IMPLIES, ADD = 0, 1, 2, 3, 4, 9
PRE, CAST, NOT, BVNOT, POWER = 15, 16, 17, 18, 19
RIGHT = {"->": ARROW, "=>": IMPLIES, "==>": IMPLIES, "fby": ARROW}
LEFT = {
    "or": 5,
    "xor": 5,
    "and": 6,
    "in": 7,
    "<": 8,
    "<=": 8,
    "=": 8,
    "<>": 8,
    ">=": 8,
    ">": 8,
    "+": ADD,
    "-": ADD,
    "*": 10,
    "/": 10,
    "div": 10,
    "mod": 10,
    "||": 12,
    "&&": 13,
    "lsh": 14,
    "rsh": 14,
    "^": POWER,
}


class ExpressionParser(TypeParser):
    """Expressions."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._prefix: dict[str, Callable[[Span], s.Expr]] = {
            "true": lambda at: s.Const(at, True),
            "false": lambda at: s.Const(at, False),
            "not": lambda at: s.Unary(at, "not", self.expression(NOT)),
            "!": lambda at: s.Unary(at, "!", self.expression(BVNOT)),
            "-": lambda at: s.Unary(at, "-", self.expression(ADD + 1)),
            "pre": lambda at: s.Pre(at, self.expression(PRE)),
            "if": self._if,
            "when": self._if,
            "(": self._parenthesis,
            "[": self._array,
            "'": self._tuple,
            "merge": self._merge,
            "condact": self._condact,
            "forall": self._quantifier,
            "exists": self._quantifier,
            "any": self._any,
            "choose": self._any,
            "::": self._mode_ref,
            "match": self._match,
            "fby": self._fby_call,
            "last": self._last,
        }

    # -- expressions -------------------------------------------------------------------------------

    def expression(self, level: int = LOOSEST) -> s.Expr:
        """An expression whose operators bind at least as tightly as `level`."""
        left = self._prefixed()
        while True:
            op, t = self.text, self.token
            if op == "[" or op == ".":
                left = self._select(left)
            elif op in LEFT and LEFT[op] >= level:
                left = self._binary(self.span(t), left)
            elif op in RIGHT and RIGHT[op] >= level:
                self.take()
                left = _right(op, self.span(t), left, self.expression(RIGHT[op]))
            elif op == "when" and level == LOOSEST:
                self.take()
                left = s.When(self.span(t), left, self.expression(ADD))
            else:
                return left

    def _binary(self, at: Span, left: s.Expr) -> s.Expr:
        op = self.take().text
        if op == "^":
            return s.Repeat(at, left, self.expression(POWER + 1))
        level = LEFT[op] + 1
        if (op, self.text) in (("and", "then"), ("or", "else")):
            op += f" {self.take().text}"
        return s.Binary(at, op, left, self.expression(level))

    def _prefixed(self) -> s.Expr:
        t = self.token
        at, op = self.span(), self.text
        if t.kind == "int":
            return s.Const(at, self.number())
        if t.kind == "real":
            return s.Const(at, self._real())
        if op in self._prefix and not (op == "last" and not self.is_name(1)):
            self.take()
            return self._prefix[op](at)
        if op in ("int", "real") or op in MACHINE or op in ("sint", "uint"):
            return self._cast(at)
        if op == "{" or (op == "map" and self.peek() == "["):
            return self._table_expression(at)
        if op == "current":
            self.unsupported("current", "current")
        if op == "#":
            return self._exclusive(at)
        if not self.is_name():
            self.fail("an expression")
        return self._named(at)

    def _real(self) -> Fraction:
        text = self.token.text
        mantissa, _, exponent = text.lower().partition("e")
        if len(text) > MAX_DIGITS or abs(int(exponent or 0)) > MAX_DIGITS:
            raise InputError("the number is too long", self.span())
        self.take()
        return Fraction(f"{mantissa}e{exponent}" if exponent else mantissa.rstrip(".") or "0")

    def _cast(self, at: Span) -> s.Expr:
        word = self.take().text
        if word in ("int", "real"):
            return s.Cast(at, s.NamedType(at, word), self.expression(CAST))
        if word in MACHINE:
            return s.Cast(at, s.MachineType(at, *MACHINE[word]), self.expression())
        self.expect("@")
        return s.Cast(at, s.MachineType(at, self.width(), word == "sint"), self.expression())

    def _named(self, at: Span) -> s.Expr:
        name = self.name()
        types: list[s.TypeExpr] = []
        if self.text == "@":
            self.take()
            types = self.type_args()
        if self.accept("("):
            return s.Call(at, name, tuple(types), tuple(self.listed(self.expression, ")", ",")))
        if self.text == "{":
            self.take()
            return s.RecordExpr(
                at, name, tuple(types), tuple(self.listed(self._field, "}", ";", ","))
            )
        if self.text == "?" and self.peek() == "(":
            self.take()
            self.take()
            arg = self.expression()
            self.expect(")")
            return s.Tester(at, name, arg)
        return s.Name(at, name, tuple(types))

    def _field(self) -> tuple[str, s.Expr]:
        name = self.name()
        self.expect("=")
        return name, self.expression()

    def _select(self, left: s.Expr) -> s.Expr:
        at = self.span()
        if self.take().text == ".":
            if self.token.kind == "int":  # the older syntax of tuple projection
                return s.Index(at, left, s.Const(at, self.number()))
            return s.Field(at, left, self.name())
        index = self.expression()
        if self.text in (":", ".."):
            self.unsupported("a slice", "slice")
        if not self.accept(":="):
            self.expect("]")
            return s.Index(at, left, index)
        updated: s.Expr = s.Update(at, left, index, self.expression())
        while self.accept(";"):
            key = self.expression()
            self.expect(":=")
            updated = s.Update(at, updated, key, self.expression())
        self.expect("]")
        return updated

    def _if(self, at: Span) -> s.Expr:
        lazy = self.tokens[self.here - 1].text == "when"
        condition = self.expression()
        self.expect("then")
        then = self.expression()
        self.expect("else")
        return s.If(at, condition, then, self.expression(ELSE), lazy)

    def _parenthesis(self, at: Span) -> s.Expr:
        if self.text in ("activate", "restart"):
            return self._activation(at)
        items = self.listed(self.expression, ")", ",") if self.text != ")" else []
        if not items:
            self.fail("an expression")
        return items[0] if len(items) == 1 else s.Group(at, "list", tuple(items))

    def _array(self, at: Span) -> s.Expr:
        return s.Group(at, "array", tuple(self.listed(self.expression, "]", ",")))

    def _tuple(self, at: Span) -> s.Expr:
        self.expect("(")
        return s.Group(at, "tuple", tuple(self.listed(self.expression, ")", ",")))

    def _table_expression(self, at: Span) -> s.Expr:
        """{k1, k2}, map[k1 := v1; k2 := v2], perhaps with @<types>."""
        is_map = self.text == "map"
        if is_map:
            self.take()
        self.take()
        entries = self.listed(self._entry, "]", ";", ",") if is_map else []
        keys = [k for k, _ in entries] if is_map else self.listed(self.expression, "}", ",")
        types = self.type_args() if self.accept("@") else []
        return s.TableExpr(at, is_map, tuple(keys), tuple([v for _, v in entries]), tuple(types))

    def _entry(self) -> tuple[s.Expr, s.Expr]:
        key = self.expression()
        self.expect(":=")
        return key, self.expression()

    def listed_args(self) -> tuple[s.Expr, ...]:
        """(e1, e2, ...)."""
        self.expect("(")
        return tuple(self.listed(self.expression, ")", ","))

    # -- clocks ------------------------------------------------------------------------------------

    def _activation(self, at: Span) -> s.Expr:
        """activate and restart, after the parenthesis."""
        every: s.Expr | None = None
        restart: s.Expr | None = None
        defaults: tuple[s.Expr, ...] | None = None
        if self.take().text == "restart":
            name, restart = self._restarted()
        else:
            if self.accept("("):
                self.expect("restart")
                name, restart = self._restarted()
                self.expect(")")
            else:
                name = self.name()
            self.expect("every")
            every = self.expression(ADD)
            if self.accept("initial"):
                self.expect("default")
                defaults = self._defaults()
            if self.accept("restart"):
                self.expect("every")
                restart = self.expression()
        self.expect(")")
        return s.Call(at, name, (), self.listed_args(), every, restart, defaults)

    def _defaults(self) -> tuple[s.Expr, ...]:
        """(d1, ..., dn), or without parentheses."""
        values = self.separated(lambda: self.expression(ELSE), ",")
        if len(values) == 1 and isinstance(values[0], s.Group) and values[0].kind == "list":
            return values[0].items
        return tuple(values)

    def _restarted(self) -> tuple[str, s.Expr]:
        name = self.name()
        self.expect("every")
        return name, self.expression()

    def _condact(self, at: Span) -> s.Expr:
        self.expect("(")
        every = self.expression()
        self.expect(",")
        restart = None
        if self.accept("("):
            self.expect("restart")
            name, restart = self._restarted()
            self.expect(")")
        else:
            name = self.name()
        args = self.listed_args()
        defaults = self.separated(self.expression, ",") if self.accept(",") else []
        self.expect(")")
        return s.Call(at, name, (), args, every, restart, tuple(defaults))

    def _merge(self, at: Span) -> s.Expr:
        if self.text == "(" and self.peek(2) == ";":
            self.take()
            clock = s.Name(self.span(), self.name())
            self.expect(";")
            yes = self.expression()
            self.expect(";")
            no = self.expression()
            self.expect(")")
            return s.Merge(at, clock, ((s.Const(at, True), yes), (s.Const(at, False), no)))
        clock = s.Name(self.span(), self.name())
        cases = []
        while self.accept("("):
            value = self._prefixed()
            self.expect("->")
            cases.append((value, self.expression()))
            self.expect(")")
        return s.Merge(at, clock, tuple(cases))

    def _fby_call(self, at: Span) -> s.Expr:
        self.expect("(")
        arg = self.expression()
        self.expect(",")
        steps = self.number()
        self.expect(",")
        first = self.expression()
        self.expect(")")
        if steps > 1000:
            raise InputError(f"a delay of {steps} steps", at)
        for _ in range(steps):
            arg = s.Arrow(at, first, s.Pre(at, arg))
        return arg

    # -- the rest ----------------------------------------------------------------------------------

    def _exclusive(self, at: Span) -> s.Expr:
        """#(a, b, ...): at most one of them."""
        self.take()
        items = self.listed_args()
        out: s.Expr = s.Const(at, True)
        seen: s.Expr = s.Const(at, False)
        for e in items:
            out = s.Binary(at, "and", out, s.Unary(at, "not", s.Binary(at, "and", seen, e)))
            seen = s.Binary(at, "or", seen, e)
        return out

    def _quantifier(self, at: Span) -> s.Expr:
        universal = self.tokens[self.here - 1].text == "forall"
        self.expect("(")
        variables = [v for vs in self.listed(self.variables, ")", ";") for v in vs]
        return s.Quantifier(at, universal, tuple(variables), self.expression(QUANTIFIED))

    def _any(self, at: Span) -> s.Expr:
        choose = self.tokens[self.here - 1].text == "choose"
        if self.accept("@"):
            self.expect("<")
            t = self.type()
            self.expect(">")
            return s.Any(at, choose, s.Variable(at, "_", t))
        r = self.refinement(at)
        return s.Any(at, choose, s.Variable(at, r.name, r.base, False, r.predicate))

    def _mode_ref(self, at: Span) -> s.Expr:
        return s.ModeRef(at, tuple(self.separated(self.name, "::")))

    def _last(self, at: Span) -> s.Expr:
        return s.Last(at, self.name())

    def _match(self, at: Span) -> s.Expr:
        arg = self.expression()
        self.expect("with")
        arms = []
        while self.accept("|"):
            pattern = self._pattern()
            self.expect(":")
            arms.append((pattern, self.expression()))
        self.expect("end")
        return s.Match(at, arg, tuple(arms))

    def _pattern(self) -> s.Pattern:
        at, name = self.span(), self.name()
        items = tuple(self.listed(self._pattern, ")", ",")) if self.accept("(") else None
        return s.Pattern(at, name, items)


def _right(op: str, at: Span, left: s.Expr, right: s.Expr) -> s.Expr:
    if op == "->":
        return s.Arrow(at, left, right)
    if op == "fby":
        return s.Arrow(at, left, s.Pre(at, right))
    return s.Binary(at, op, left, right)
