"""`TermStore`: the owner of hash-consed terms (DESIGN 3.1).

`mk(op, args, data)` is the one way to build an application.  It answers a repeated request from one
dictionary look-up; a new one is sort-checked (`terms.typing`), passed through the rule of its
operator (`terms.rules`), and interned. `TermStore.raw()` has no rules: the certificate checker and
the program syntax tree use it.

There is no global store; a term of another store is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction

from obligato.errors import InternalError
from obligato.terms.compiled import Programs
from obligato.terms.float_builders import FloatBuilders
from obligato.terms.float_semantics import canonical
from obligato.terms.semantics import ArrayValue, settled
from obligato.terms.sorts import BOOL, Kind, Sort
from obligato.terms.term import Op, Term, bottom_up
from obligato.terms.typing import infer_sort

Key = tuple[Op, tuple[Term, ...], Hashable]
_LEVELS = 40  # of recursion in `rebuild`
Rule = Callable[["TermStore", tuple[Term, ...], Hashable], Term | None]


class TermStore(FloatBuilders):
    """Creates and owns terms. `rules` maps an operator to its rewrite rule;
    None as result means: keep as it is."""

    def __init__(self, rules: Mapping[Op, Rule] | None = None) -> None:
        if rules is None:
            from obligato.terms.rules import RULES  # the rules build terms, so they come last

            rules = RULES
        self.rules: Mapping[Op, Rule] = rules
        self.simplifies = bool(rules)
        self._nodes: dict[Key, Term] = {}  # every application, as it is
        # what was asked for -> what the rules made of it
        self._memo: dict[Key, Term] = {} if rules else self._nodes
        self._consts: dict[tuple[Sort, Hashable], Term] = {}
        self._vars: dict[str, Term] = {}
        self._suffix: dict[str, int] = {}  # by prefix: the last number that `fresh` has tried
        self._next_id = 0
        self._numbered: list[Term] = []  # of a store that was pickled: its terms then
        self.programs = Programs()  # for evaluation
        self.true = self.const(True, BOOL)
        self.false = self.const(False, BOOL)

    @classmethod
    def raw(cls) -> TermStore:
        """A store that keeps every term as it is written."""
        return cls(rules={})

    def __len__(self) -> int:
        return self._next_id

    def __getstate__(self) -> tuple[bool, list[tuple[Op, tuple[int, ...], Hashable, Sort]]]:
        """For pickle: whether it simplifies, and all terms in the order of their numbers,
        arguments by number."""
        terms = sorted(
            (*self._nodes.values(), *self._consts.values(), *self._vars.values()),
            key=lambda t: t.id,
        )
        return self.simplifies, [
            (t.op, tuple([a.id for a in t.args]), t.data, t.sort) for t in terms
        ]

    def __setstate__(
        self, state: tuple[bool, list[tuple[Op, tuple[int, ...], Hashable, Sort]]]
    ) -> None:
        """Ensures: the same terms with the same numbers;
        what the rules made of which request is forgotten."""
        simplifies, nodes = state
        self.__init__(None if simplifies else {})  # type: ignore[misc]
        self._numbered = [self.true, self.false]
        for op, args, data, sort in nodes[2:]:
            if op is Op.VAR:
                assert isinstance(data, str)
                term = self.var(data, sort)
            elif op is Op.CONST:
                term = self.const(data, sort)
            else:
                term = self.intern(op, tuple([self._numbered[n] for n in args]), data, sort)
            self._numbered.append(term)

    def numbered(self, number: int) -> Term:
        """The term of that number, in a store that was pickled."""
        return self._numbered[number]

    def mk(self, op: Op, args: tuple[Term, ...], data: Hashable = None) -> Term:
        """The application of `op`, simplified if this store simplifies."""
        key = (op, args, data)
        hit = self._memo.get(key)
        if hit is not None:
            return hit
        for a in args:
            if a.store is not self:
                raise InternalError(f"term {a!r} belongs to another store")
        sort = infer_sort(op, args, data)
        rule = self.rules.get(op)
        term = rule(self, args, data) if rule is not None else None
        if term is None:
            term = self.intern(op, args, data, sort)
        self._memo[key] = term
        return term

    def intern(
        self, op: Op, args: tuple[Term, ...], data: Hashable = None, sort: Sort | None = None
    ) -> Term:
        """The application exactly as given;
        used by rules, which have normalised already and may know the sort."""
        key = (op, args, data)
        term = self._nodes.get(key)
        if term is None:
            term = Term(
                op,
                args,
                data,
                infer_sort(op, args, data) if sort is None else sort,
                self._next_id,
                self,
            )
            self._nodes[key] = term
            self._next_id += 1
        return term

    def _new(self, op: Op, args: tuple[Term, ...], data: Hashable, sort: Sort) -> Term:
        term = Term(op, args, data, sort, self._next_id, self)
        self._next_id += 1
        return term

    def var(self, name: str, sort: Sort) -> Term:
        """The variable `name`; one name has one sort."""
        term = self._vars.get(name)
        if term is None:
            term = self._vars[name] = self._new(Op.VAR, (), name, sort)
        elif term.sort is not sort:
            raise InternalError(f"variable {name} has sort {term.sort}, not {sort}")
        return term

    def fresh(self, prefix: str, sort: Sort) -> Term:
        """A variable whose name is not in use yet."""
        name, n = prefix, self._suffix.get(prefix, 0)
        while name in self._vars:
            n += 1
            name = f"{prefix}!{n}"
        self._suffix[prefix] = n
        return self.var(name, sort)

    def lookup(self, name: str) -> Term | None:
        """The variable of that name, if there is one."""
        return self._vars.get(name)

    def const(self, value: Hashable, sort: Sort) -> Term:
        """The value `value` of `sort` (Python values: see terms.semantics);
        bit-vectors are reduced modulo 2^w."""
        if sort.kind is Kind.BITVEC:
            value = value & sort.mask  # type: ignore[operator]
        elif sort.kind is Kind.REAL:
            assert isinstance(value, int | Fraction)
            value = Fraction(value)
        elif sort.kind is Kind.FLOAT:
            assert isinstance(value, int)
            value = canonical(sort, value)
        elif sort.kind is Kind.ARRAY:
            assert isinstance(value, ArrayValue)
            value = settled(value, sort)
        key = (sort, value)
        term = self._consts.get(key)
        if term is None:
            term = self._consts[key] = self._new(Op.CONST, (), value, sort)
        return term

    def leaf(self, term: Term) -> Term:
        """A variable or value of another store, here."""
        return (
            self.var(term.name, term.sort)
            if term.op is Op.VAR
            else self.const(term.data, term.sort)
        )

    def import_term(self, term: Term, memo: dict[Term, Term] | None = None) -> Term:
        """The same term in this store (variables by name); `memo` may be reused between calls."""
        return rebuild(term, self, {} if memo is None else memo)


def rebuild(root: Term, store: TermStore, memo: dict[Term, Term]) -> Term:
    """Rebuild `root` bottom-up in `store`; terms already in `memo` are replaced by their image.

    The first levels recurse, which is fastest for literals;
    below them an explicit stack takes over.
    """
    return _rebuild_shallow(root, store, memo, _LEVELS)


def _rebuild_shallow(t: Term, store: TermStore, memo: dict[Term, Term], levels: int) -> Term:
    done = memo.get(t)
    if done is not None:
        return done
    if not t.args:
        done = t if t.store is store else store.leaf(t)
    elif not levels:
        return _rebuild_deep(t, store, memo)
    else:
        args = tuple([_rebuild_shallow(a, store, memo, levels - 1) for a in t.args])
        done = t if args == t.args and t.store is store else store.mk(t.op, args, t.data)
    memo[t] = done
    return done


def _rebuild_deep(root: Term, store: TermStore, memo: dict[Term, Term]) -> Term:
    for t in bottom_up(root, memo):
        args = tuple([memo[a] for a in t.args])
        if args == t.args and t.store is store:
            memo[t] = t
        else:
            memo[t] = store.mk(t.op, args, t.data) if args else store.leaf(t)
    return memo[root]
