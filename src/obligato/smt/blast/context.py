"""`BlastContext`: terms to literals, each term once, shared by all solvers of one run.

`literal(t)` is the literal of a Boolean term, `word(t)` the literals of a bit-vector term. The
table at the end names the circuit of each operator; `_needed` names the subterms it reads: a sum
reads through NEG and constant factors of its addends, which then cost a carry-in and shifts instead
of circuits of their own. Nothing recurses. Limitation: only Bool and BitVec; any other term is
refused with `Unsupported`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from obligato.errors import InternalError, Unsupported
from obligato.smt.blast import words
from obligato.smt.blast.gates import Gates
from obligato.smt.blast.words import Word
from obligato.terms import BOOL, Kind, Op, Term, TermStore

T = TypeVar("T")


class BlastContext:
    """The gates of all terms seen so far, of one store."""

    def __init__(self) -> None:
        self.gates = Gates()
        self._store: TermStore | None = None  # the store of the first term
        self.literals: dict[Term, int] = {}
        self.words: dict[Term, Word] = {}

    def literal(self, term: Term) -> int:
        """The literal of a Boolean term."""
        hit = self.literals.get(term)
        if hit is None:
            self._blast(term)
            hit = self.literals[term]
        return hit

    def word(self, term: Term) -> Word:
        """The literals of a bit-vector term, least significant first."""
        hit = self.words.get(term)
        if hit is None:
            self._blast(term)
            hit = self.words[term]
        return hit

    def _blast(self, root: Term) -> None:
        if root.store is not self._store:
            if self._store is not None:
                raise InternalError("a term of another store was given to a bit-blaster")
            self._store = root.store
        literals, words_ = self.literals, self.words
        stack = [root]
        while stack:
            t = stack[-1]
            if t in literals or t in words_:
                stack.pop()
                continue
            pending = [a for a in _needed(t) if a not in literals and a not in words_]
            if pending:
                stack.extend(pending)
                continue
            stack.pop()
            if t.sort is BOOL:
                literals[t] = _circuit(_BOOL, t)(self, t)
            else:
                words_[t] = _circuit(_WORD, t)(self, t)


def _circuit(
    table: dict[Op, Callable[[BlastContext, Term], T]], t: Term
) -> Callable[[BlastContext, Term], T]:
    circuit = table.get(t.op)
    if circuit is None or (t.sort is not BOOL and t.sort.kind is not Kind.BITVEC):
        raise Unsupported(
            f"the bit-blaster has no {t.op.name} of sort {t.sort}", construct=t.op.name
        )
    return circuit


# -- sums: which subterms they read ----------------------------------------------------------------


def _needed(t: Term) -> Sequence[Term]:
    """The subterms whose images the circuit of `t` reads."""
    if t.op in _SUMS:
        return [x for _, x in _monomials(t)[0]]
    if t.op is Op.EQ and t.args[0].sort is not BOOL and t.args[0].sort.kind is not Kind.BITVEC:
        raise Unsupported(
            f"the bit-blaster has no {t.args[0].sort}", construct=str(t.args[0].sort.kind.value)
        )
    return t.args


def _monomials(t: Term) -> tuple[list[tuple[int, Term]], int]:
    """A sum as coefficients with terms, and a constant;
    looks through NEG and constant factors of its addends."""
    if t.op is Op.BVADD:
        signed = [(1, a) for a in t.args]
    elif t.op is Op.BVSUB:
        signed = [(1, t.args[0]), (-1, t.args[1])]
    else:
        signed = [(1, t)]
    parts, offset = [], 0
    for sign, a in signed:
        if a.op is Op.CONST:
            offset += sign * _number(a.data)
        elif a.op is Op.BVNEG:
            parts.append((-sign, a.args[0]))
        elif _is_scaled(a):
            parts.append((sign * _number(a.args[0].data), a.args[1]))
        else:
            parts.append((sign, a))
    return parts, offset


def _is_scaled(t: Term) -> bool:
    return t.op is Op.BVMUL and len(t.args) == 2 and t.args[0].op is Op.CONST


def _number(data: object) -> int:
    assert isinstance(data, int)
    return data


# -- one circuit per operator ----------------------------------------------------------------------


def _sum(c: BlastContext, t: Term) -> Word:
    parts, offset = _monomials(t)
    return words.weighted_sum(c.gates, [(k, c.words[x]) for k, x in parts], offset, t.sort.width)


def _product(c: BlastContext, t: Term) -> Word:
    if _is_scaled(t):
        return _sum(c, t)
    return _folded(words.multiply)(c, t)


def _folded(circuit: Callable[[Gates, Word, Word], Word]) -> Callable[[BlastContext, Term], Word]:
    def run(c: BlastContext, t: Term) -> Word:
        acc = c.words[t.args[0]]
        for a in t.args[1:]:
            acc = circuit(c.gates, acc, c.words[a])
        return acc

    return run


def _bitwise(
    pick: Callable[[Gates], Callable[[int, int], int]],
) -> Callable[[BlastContext, Term], Word]:
    def circuit(g: Gates, a: Word, b: Word) -> Word:
        return tuple(map(pick(g), a, b))

    return _folded(circuit)


def _shift(left: bool, arithmetic: bool) -> Callable[[BlastContext, Term], Word]:
    def circuit(g: Gates, a: Word, b: Word) -> Word:
        return words.shift(g, a, b, a[-1] if arithmetic else -1, left)

    return _folded(circuit)


def _concat(c: BlastContext, t: Term) -> Word:
    return tuple([bit for a in reversed(t.args) for bit in c.words[a]])


def _extract(c: BlastContext, t: Term) -> Word:
    assert isinstance(t.data, tuple)
    hi, lo = t.data
    return c.words[t.args[0]][lo : hi + 1]


def _extend(signed: bool) -> Callable[[BlastContext, Term], Word]:
    def run(c: BlastContext, t: Term) -> Word:
        a = c.words[t.args[0]]
        return a + (a[-1] if signed else -1,) * _number(t.data)

    return run


def _ite_word(c: BlastContext, t: Term) -> Word:
    cond, a, b = t.args
    return words.select(c.gates, c.literals[cond], c.words[a], c.words[b])


def _ite_bool(c: BlastContext, t: Term) -> int:
    cond, a, b = (c.literals[x] for x in t.args)
    return c.gates.ite(cond, a, b)


def _equal(c: BlastContext, a: Term, b: Term) -> int:
    if a.sort is BOOL:
        return -c.gates.xor(c.literals[a], c.literals[b])
    return words.equal(c.gates, c.words[a], c.words[b])


def _distinct(c: BlastContext, t: Term) -> int:
    pairs = [(a, b) for i, a in enumerate(t.args) for b in t.args[i + 1 :]]
    return c.gates.all_of([-_equal(c, a, b) for a, b in pairs])


def _less(signed: bool, swap: bool, negate: bool) -> Callable[[BlastContext, Term], int]:
    def run(c: BlastContext, t: Term) -> int:
        a, b = (c.words[x] for x in t.args)
        literal = words.less(c.gates, b, a, signed) if swap else words.less(c.gates, a, b, signed)
        return -literal if negate else literal

    return run


_SUMS = frozenset((Op.BVADD, Op.BVSUB, Op.BVNEG))

_BOOL: dict[Op, Callable[[BlastContext, Term], int]] = {
    Op.VAR: lambda c, t: c.gates.input(),
    Op.CONST: lambda c, t: 1 if t.data else -1,
    Op.NOT: lambda c, t: -c.literals[t.args[0]],
    Op.AND: lambda c, t: c.gates.all_of([c.literals[a] for a in t.args]),
    Op.OR: lambda c, t: c.gates.any_of([c.literals[a] for a in t.args]),
    Op.XOR: lambda c, t: c.gates.xor(c.literals[t.args[0]], c.literals[t.args[1]]),
    Op.IMPLIES: lambda c, t: c.gates.or_(-c.literals[t.args[0]], c.literals[t.args[1]]),
    Op.EQ: lambda c, t: _equal(c, t.args[0], t.args[1]),
    Op.DISTINCT: _distinct,
    Op.ITE: _ite_bool,
    Op.BVULT: _less(False, False, False),
    Op.BVUGT: _less(False, True, False),
    Op.BVULE: _less(False, True, True),
    Op.BVUGE: _less(False, False, True),
    Op.BVSLT: _less(True, False, False),
    Op.BVSGT: _less(True, True, False),
    Op.BVSLE: _less(True, True, True),
    Op.BVSGE: _less(True, False, True),
}

_WORD: dict[Op, Callable[[BlastContext, Term], Word]] = {
    Op.VAR: lambda c, t: tuple([c.gates.input() for _ in range(t.sort.width)]),
    Op.CONST: lambda c, t: words.constant(_number(t.data), t.sort.width),
    Op.ITE: _ite_word,
    Op.BVADD: _sum,
    Op.BVSUB: _sum,
    Op.BVNEG: _sum,
    Op.BVMUL: _product,
    Op.BVUDIV: _folded(lambda g, a, b: words.divide(g, a, b)[0]),
    Op.BVUREM: _folded(lambda g, a, b: words.divide(g, a, b)[1]),
    Op.BVSDIV: _folded(words.signed_divide),
    Op.BVSREM: _folded(words.signed_remainder),
    Op.BVSMOD: _folded(words.signed_modulo),
    Op.BVNOT: lambda c, t: words.invert(c.words[t.args[0]]),
    Op.BVAND: _bitwise(lambda g: g.and_),
    Op.BVOR: _bitwise(lambda g: g.or_),
    Op.BVXOR: _bitwise(lambda g: g.xor),
    Op.BVSHL: _shift(True, False),
    Op.BVLSHR: _shift(False, False),
    Op.BVASHR: _shift(False, True),
    Op.CONCAT: _concat,
    Op.EXTRACT: _extract,
    Op.ZERO_EXT: _extend(False),
    Op.SIGN_EXT: _extend(True),
}
