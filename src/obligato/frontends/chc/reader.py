"""Horn clauses in two dialects: assertions with check-sat, and z3's rules with queries.

    (declare-fun R (Int) Bool)
    (assert (forall ((x Int)) (=> (and (R x) (< x 5)) (R (+ x 1)))))
    (check-sat)

    (declare-rel R (Int))
    (declare-var x Int)
    (rule (=> (and (R x) (< x 5)) (R (+ x 1))))
    (query R)

In both, the verdict *true* means that the error is not derivable: sat for the first, unsat for the
second. `parse` carries it: the script is read with relations as functions whose applications are
markers (`clauses`), each assertion or rule becomes clauses, and linear ones become a CFA
(`to_cfa`).

Refused, besides what `clauses` refuses: quantifiers inside terms, functions and constants without a
definition, files without clauses, rules without a query.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from obligato.errors import InputError, Span, Unsupported
from obligato.frontends.chc.clauses import Quantified, Splitter, by_zero
from obligato.frontends.chc.to_cfa import HornCFA, to_cfa
from obligato.frontends.reading import read_text
from obligato.models.horn import Application, Clause, HornSystem, Relation
from obligato.terms import BOOL, Sort, Term, TermStore, free_vars, substitute
from obligato.terms.smtlib import (
    Apply,
    Atom,
    Declaration,
    Script,
    SExpr,
    SList,
    read_script,
    show,
    symbol_name,
)
from obligato.terms.smtlib.scope import check_arguments


def load_system(path: str | Path) -> HornSystem:
    """The clauses in a file."""
    return parse_system(read_text(path, "strict"), str(path))


def parse_system(text: str, file: str = "<text>") -> HornSystem:
    """The clauses in a string; `file` is the name for messages."""
    return _Reader(text, file).problem()


def load(path: str | Path) -> HornCFA:
    """The clauses in a file as a CFA; refused if they are not linear."""
    return to_cfa(load_system(path))


def parse(text: str, file: str = "<text>") -> HornCFA:
    """The clauses in a string as a CFA; refused if they are not linear."""
    return to_cfa(parse_system(text, file))


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.store = TermStore.raw()
        self.relations: dict[str, Relation] = {}
        self.markers: dict[Term, Application] = {}
        self.variables: dict[Term, None] = {}  # declared by declare-var
        self.script: Script = read_script(text, file, self.store, self._function)
        self.clauses: list[Clause] = []
        self._taken: dict[Term, None] = {}  # variables of the clauses so far
        self.quantified: dict[Term, Quantified] = {}  # by the variable that stands for the formula
        # the variables of quantifiers in the formula that is read
        self.bound: dict[Term, None] = {}
        self.script.reader.quantifiers = self

    # -- relations ---------------------------------------------------------------------------------

    def _function(self, d: Declaration) -> Apply:
        if d.sort is not BOOL:
            raise Unsupported(
                f"{d.name} is an uninterpreted function", d.span, "uninterpreted function"
            )
        return self._relation(d.name, d.params, d.span)

    def _relation(self, name: str, sorts: tuple[Sort, ...], span: Span) -> Apply:
        relation = self.relations[name] = Relation(name, sorts, span)

        def apply(store: TermStore, args: list[Term]) -> Term:
            check_arguments(name, relation.sorts, args)
            marker = store.fresh(f"{name}!", BOOL)
            self.markers[marker] = Application(relation, tuple(args))
            return marker

        return apply

    def _proposition(self, name: str, span: Span) -> Term:
        """A relation without arguments: a Boolean constant is its one marker."""
        relation = self.relations[name] = Relation(name, (), span)
        marker = self.store.var(name, BOOL)
        self.markers[marker] = Application(relation, ())
        return marker

    # -- quantifiers -------------------------------------------------------------------------------

    def variable(self, name: str, sort: Sort) -> Term:
        """See `terms.smtlib.reader.Quantifiers`."""
        made = self.store.fresh(f"{name}!{len(self.clauses)}", sort)
        self.bound[made] = None
        return made

    def formula(self, universal: bool, body: Term) -> Term:
        """See `terms.smtlib.reader.Quantifiers`."""
        made = self.store.fresh("quantified!", BOOL)
        self.quantified[made] = Quantified(universal, body)
        return made

    # -- commands ----------------------------------------------------------------------------------

    def problem(self) -> HornSystem:
        """Read all clauses."""
        for d in self.script.declarations.values():
            if d.term is not None and d.sort is BOOL:
                self._proposition(d.name, d.span)
        for a in self.script.assertions:
            self._clauses_of(a.sexpr, a.span, a.term)
        queries = [c for c in self.script.commands if self._command(c) and c[0] == "query"]
        if self.script.assertions and queries:
            raise InputError(
                "a file has assertions or queries, not both",
                self.script.source.span(queries[0].pos),
            )
        if not self.script.assertions and not queries:
            what = "rules but no query" if self.clauses else "no clauses"
            raise InputError(
                f"there is nothing to solve: the file has {what}",
                Span(self.script.source.filename, 1, 1),
            )
        return HornSystem(
            self.store, self.relations, tuple(self.clauses), self.script.source.filename
        )

    def _command(self, c: SList) -> bool:
        """Carry out a command of the fixedpoint dialect."""
        span = self.script.source.span(c.pos)
        match c:
            case [Atom("declare-rel"), Atom() as name, SList() as sorts]:
                self._declare_relation(name, sorts, span)
            case [Atom("declare-var"), Atom() as name, sort]:
                self._declare_variable(name, sort)
            case [Atom("rule"), formula, *_]:
                self._clauses_of(formula, span)
            case [Atom("query"), formula, *_]:
                self._query(formula, span)
            case [Atom("declare-rel" | "declare-var" | "rule" | "query"), *_]:
                raise InputError(f"malformed {c[0]}", span)
            case _:
                return False
        return True

    def _free(self, name: Atom) -> None:
        scope = self.script.reader.scope
        if name in scope.constants or name in scope.functions:
            raise self.script.source.error(f"{symbol_name(name)} is already declared", name)

    def _declare_relation(self, name: Atom, sorts: SList, span: Span) -> None:
        self._free(name)
        scope, read_sort = self.script.reader.scope, self.script.reader.read_sort
        if sorts:
            scope.functions[name] = self._relation(
                symbol_name(name), tuple(map(read_sort, sorts)), span
            )
        else:
            scope.constants[name] = self._proposition(symbol_name(name), span)

    def _declare_variable(self, name: Atom, sort: SExpr) -> None:
        self._free(name)
        variable = self.store.fresh(symbol_name(name), self.script.reader.read_sort(sort))
        self.script.reader.scope.constants[name] = variable
        self.variables[variable] = None

    def _query(self, formula: SExpr, span: Span) -> None:
        """The named relation, or formula, must not be derivable."""
        relation = self.relations.get(symbol_name(formula)) if isinstance(formula, Atom) else None
        if relation is not None and relation.sorts:
            args = tuple(self.store.fresh(f"query!{n}", s) for n, s in enumerate(relation.sorts))
            self.clauses.append(
                Clause((Application(relation, args),), (), None, args, span, show(formula))
            )
            return
        term = self._read(formula)
        if term.sort is not BOOL:
            raise InputError(f"a query must be Bool, not {term.sort}", span)
        before = len(self.clauses)
        self._add(self.store.not_(term), span, show(formula))
        if any(c.head is not None for c in self.clauses[before:]):
            message = "a query about where a relation does not hold is not supported"
            raise Unsupported(message, span, "not Horn")

    # -- clauses -----------------------------------------------------------------------------------

    def _clauses_of(self, sexpr: SExpr, span: Span, term: Term | None = None) -> None:
        if term is None:
            term = self._read(sexpr)
        if term.sort is not BOOL:
            raise InputError(f"a clause must be Bool, not {term.sort}", span)
        self._add(term, span, show(sexpr))

    def _read(self, sexpr: SExpr) -> Term:
        self.bound = {}
        return self.script.reader.read(sexpr)

    def _add(self, term: Term, span: Span, text: str) -> None:
        for case, head in Splitter(self.markers, self.quantified, span).split(term):
            body, constraints = tuple(dict.fromkeys(case[0])), tuple(case[1])
            clause = Clause(body, constraints, head, (), span, text)
            terms = clause.terms()
            for v in free_vars(*terms):
                if v not in self.variables and v not in self.bound:
                    raise Unsupported(self._foreign(v), span, "uninterpreted constant")
            clause = replace(clause, variables=tuple(free_vars(*terms)))
            zero = by_zero(terms)
            if zero is not None:
                guessed = replace(
                    clause, constraints=(*constraints, zero), approximates="division by zero"
                )
                self.clauses.append(self._own(guessed))
                clause = replace(clause, constraints=(*constraints, self.store.not_(zero)))
            self.clauses.append(self._own(clause))

    def _foreign(self, v: Term) -> str:
        if v in self.markers or v in self.quantified:
            return (
                f"a {'relation' if v in self.markers else 'quantifier'} inside a term is not"
                " supported"
            )
        return f"{v.name} is an uninterpreted constant"

    def _own(self, c: Clause) -> Clause:
        """The clause with variables that no other clause has: in a CFA they are inputs of
        one edge.
        """
        renamed = {
            v: self.store.fresh(f"{v.name.partition('!')[0]}!{len(self.clauses)}", v.sort)
            for v in c.variables
            if v in self.variables or v in self._taken
        }
        self._taken.update(dict.fromkeys(c.variables))

        def here(a: Application) -> Application:
            return Application(a.relation, tuple(substitute(t, renamed) for t in a.args))

        if not renamed:
            return c
        constraints = tuple(substitute(t, renamed) for t in c.constraints)
        variables = tuple(renamed.get(v, v) for v in c.variables)
        head = None if c.head is None else here(c.head)
        return replace(
            c,
            body=tuple(map(here, c.body)),
            constraints=constraints,
            head=head,
            variables=variables,
        )
