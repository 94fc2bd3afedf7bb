"""IVL statements: from parse tree to the syntax of `obligato.program`.

Sugar that ends here: assignment to an element (``a[i] := e`` becomes ``a := a[i := e]``), to a
whole record (one parallel assignment of its scalars), a declaration with initial value, ``return
e``.
"""

from __future__ import annotations

import json
from typing import Any

from lark import Token, Tree

from obligato.frontends.ivl.expressions import ExpressionReader, Placed
from obligato.frontends.ivl.values import CallValue, Node, Record
from obligato.program.literals import type_text
from obligato.program.syntax import (
    LIMIT,
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
    Return,
    Statement,
    Variable,
    While,
    flatten,
)
from obligato.terms import Op, Sort, Term

Signature = tuple[tuple[Variable, ...], tuple[Variable, ...]]  # parameters, results


class StatementReader(ExpressionReader):
    """Adds statements; a method returns one statement or a tuple of them."""

    signatures: dict[str, Signature]
    results: tuple[Variable, ...] = ()  # of the procedure being read

    def _names(self, node: Tree[Token], v: list[Any]) -> list[str]:
        return v

    def _places(self, node: Tree[Token], v: list[Any]) -> list[Placed]:
        return list(zip(node.children, v, strict=True))

    def _block(self, node: Tree[Token], v: list[Any]) -> tuple[Statement, ...]:
        out: list[Statement] = []
        for s in v:
            out.extend(s if isinstance(s, tuple) else (s,))
        return tuple(out)

    def _local_var(self, node: Tree[Token], v: list[Any]) -> tuple[Statement, ...]:
        names, _, init = v
        if init is None:
            return ()
        places: list[Placed] = [(node, self.variable(*self.variables[n])) for n in names]
        return (self._assignment(node, places, [(node.children[2], init)] * len(names)),)

    # -- assignment and call -----------------------------------------------------------------------

    def _assign(self, node: Tree[Token], v: list[Any]) -> Statement:
        places, values = v
        if len(values) == 1 and isinstance(values[0][1], CallValue):
            return self._call_statement(node, values[0][1], places)
        return self._assignment(node, places, values)

    def _assignment(self, node: Node, places: list[Placed], values: list[Placed]) -> Statement:
        if len(places) != len(values):
            raise self.error(node, f"{len(places)} places but {len(values)} values")
        pairs = [
            p
            for place, value in zip(places, values, strict=True)
            for p in self._pairs(place, value)
        ]
        targets = tuple(x for x, _ in pairs)
        self._distinct(node, targets)
        return Assign(targets, tuple(e for _, e in pairs), self.span(node))

    def _pairs(self, place: Placed, value: Placed) -> list[tuple[Term, Term]]:
        (place_node, target), (value_node, source) = place, value
        if not isinstance(target, Record):
            term = self.term(place_node, target)
            return [_target(term, self.coerce(value_node, source, term.sort))]
        if not isinstance(source, Record) or _remaining(source) != _remaining(target):
            raise self.error(value_node, f"record {target.type.name} expected")
        return [
            _target(t, e) for t, e in zip(self.scalars(target), self.scalars(source), strict=True)
        ]

    def _distinct(self, node: Node, targets: tuple[Term, ...]) -> None:
        if len(dict.fromkeys(targets)) != len(targets):
            raise self.error(node, "one variable is assigned twice in a parallel assignment")

    def _call(self, node: Tree[Token], v: list[Any]) -> Statement:
        return self._call_statement(node, CallValue(v[0], v[1] or [], node), [])

    def _call_statement(self, node: Node, call: CallValue, places: list[Placed]) -> Statement:
        signature = self.signatures.get(call.callee)
        if signature is None:
            raise self.error(call.node, f"unknown procedure {call.callee}")
        parameters, results = signature
        arguments = self._passed(call, parameters, call.arguments, "argument")
        targets = self._passed(call, results, places, "result")
        if any(t.op is not Op.VAR for t in targets):
            raise self.error(
                node, "the results of a call go to variables, not to elements of arrays"
            )
        self._distinct(node, targets)
        return Call(targets, call.callee, arguments, self.span(node))

    def _passed(
        self, call: CallValue, declared: tuple[Variable, ...], given: list[Placed], what: str
    ) -> tuple[Term, ...]:
        """What is passed for parameters or results, as scalars; whole records, or each of their
        scalars.
        """
        if len(given) == len(declared):
            return tuple(
                t for v, x in zip(declared, given, strict=True) for t in self._scalars_of(v, x)
            )
        scalars = [sort for v in declared for _, sort in flatten(v.name, v.type)]
        if len(given) != len(scalars):
            raise self.error(
                call.node, f"{call.callee} has {len(declared)} {what}s, not {len(given)}"
            )
        return tuple(
            self.coerce(node, x, sort, what) for (node, x), sort in zip(given, scalars, strict=True)
        )

    def _scalars_of(self, declared: Variable, given: Placed) -> list[Term]:
        node, value = given
        if isinstance(declared.type, Sort):
            return [self.coerce(node, value, declared.type)]
        wanted = self.variable(declared.name, declared.type)
        assert isinstance(wanted, Record)
        if not isinstance(value, Record) or _remaining(value) != _remaining(wanted):
            raise self.error(node, f"{type_text(declared.type)} expected")
        return self.scalars(value)

    # -- the other primitive statements ------------------------------------------------------------

    def _approximates(self, node: Tree[Token], v: list[Any]) -> str:
        return self._string(node, v[0])

    def _string(self, node: Node, token: Token) -> str:
        try:
            return str(json.loads(token, strict=False))
        except ValueError as e:
            raise self.error(node, "malformed escape in a string (as in JSON)") from e

    def _havoc(self, node: Tree[Token], v: list[Any]) -> Statement:
        targets = tuple(
            t
            for n, x in v[0]
            for t in (self.scalars(x) if isinstance(x, Record) else [self.term(n, x)])
        )
        if any(t.op is not Op.VAR for t in targets):
            raise self.error(node, "havoc takes variables, not elements of arrays")
        self._distinct(node, targets)
        return Havoc(targets, v[1], self.span(node))

    def _assume(self, node: Tree[Token], v: list[Any]) -> Statement:
        return Assume(self.boolean(node.children[0], v[0]), self.span(node))

    def _kind(self, node: Tree[Token], v: list[Any]) -> str:
        if v[0] not in (PROPERTY, LIMIT):
            raise self.error(
                node, f"the class of an assertion is {PROPERTY} or {LIMIT}, not {v[0]}"
            )
        return str(v[0])

    def _label_text(self, node: Tree[Token], v: list[Any]) -> str:
        return self._string(node, v[0])

    def _assert_(self, node: Tree[Token], v: list[Any]) -> Statement:
        kind, label, condition = v
        return Assert(
            self.boolean(node.children[2], condition),
            label or "",
            kind or PROPERTY,
            self.span(node),
        )

    # -- control -----------------------------------------------------------------------------------

    def _condition(self, node: Tree[Token], v: list[Any]) -> Term | None:
        return None if isinstance(v[0], Token) else self.boolean(node.children[0], v[0])

    def _if_(self, node: Tree[Token], v: list[Any]) -> Statement:
        condition, then, otherwise = v
        otherwise = (
            () if otherwise is None else otherwise if isinstance(otherwise, tuple) else (otherwise,)
        )
        return If(condition, then, otherwise, self.span(node))

    def _while_(self, node: Tree[Token], v: list[Any]) -> Statement:
        return While(v[0], v[1], self.span(node), head=True)

    def _choose(self, node: Tree[Token], v: list[Any]) -> Statement:
        return Choice(tuple(v), self.span(node))

    def _label(self, node: Tree[Token], v: list[Any]) -> Statement:
        return Label(v[0], self.span(node))

    def _goto(self, node: Tree[Token], v: list[Any]) -> Statement:
        return Goto(tuple(v[0]), self.span(node))

    def _return_(self, node: Tree[Token], v: list[Any]) -> tuple[Statement, ...]:
        end = Return(self.span(node))
        if v[0] is None:
            return (end,)
        places: list[Placed] = [(node, self.variable(r.name, r.type)) for r in self.results]
        if len(v[0]) == 1 and isinstance(v[0][0][1], CallValue):
            return self._call_statement(node, v[0][0][1], places), end
        return self._assignment(node, places, v[0]), end

    def _halt(self, node: Tree[Token], v: list[Any]) -> Statement:
        return Halt(self.span(node))


def _target(place: Term, value: Term) -> tuple[Term, Term]:
    """``a[i][j] := v`` as the variable that changes and its new value."""
    while place.op is Op.SELECT:
        place, index = place.args
        value = place.store.store(place, index, value)
    return place, value


def _remaining(r: Record) -> tuple[object, ...]:
    return (r.type, r.dims[len(r.indices) :])
