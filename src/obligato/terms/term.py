"""Terms: hash-consed immutable nodes owned by one `TermStore` (DESIGN 3.1).

A term is compared and hashed by identity, which hash-consing makes the same as structural equality
within one store. `id` numbers terms in creation order: sort by it wherever an order is needed,
never iterate a set of terms.

Operators come in two groups.  *Core* operators are what the simplifying store keeps; *surface*
operators (marked) are kept only by the raw store, so that a program prints as it was written; the
simplifying store rewrites them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from enum import IntEnum, auto
from typing import TYPE_CHECKING

from obligato.terms.sorts import BOOL, Kind, Sort

if TYPE_CHECKING:
    from obligato.terms.store import TermStore


class Op(IntEnum):
    """All operators. n-ary where SMT-LIB's are;
    `data` holds indices such as (hi, lo) of EXTRACT."""

    VAR = auto()  # data: name
    CONST = auto()  # data: value (see terms.semantics)
    # Bool
    NOT = auto()
    AND = auto()
    OR = auto()
    XOR = auto()  # surface
    IMPLIES = auto()  # surface
    EQ = auto()
    DISTINCT = auto()  # surface
    ITE = auto()
    # Int, Real
    ADD = auto()
    SUB = auto()  # surface
    NEG = auto()  # surface
    MUL = auto()
    LE = auto()
    LT = auto()  # core for Real only
    GE = auto()  # surface
    GT = auto()  # surface
    IDIV = auto()  # SMT-LIB div; x div 0 = 0 here
    MOD = auto()  # SMT-LIB mod; x mod 0 = x here
    RDIV = auto()  # real division; x / 0 = 0 here
    ABS = auto()  # surface
    TO_REAL = auto()
    TO_INT = auto()  # floor
    IS_INT = auto()  # surface
    # bit-vectors
    BVADD = auto()
    BVSUB = auto()  # surface
    BVNEG = auto()
    BVMUL = auto()
    BVUDIV = auto()
    BVUREM = auto()
    BVSDIV = auto()
    BVSREM = auto()
    BVSMOD = auto()
    BVNOT = auto()
    BVAND = auto()
    BVOR = auto()
    BVXOR = auto()
    BVSHL = auto()
    BVLSHR = auto()
    BVASHR = auto()
    BVULT = auto()
    BVULE = auto()  # surface
    BVUGT = auto()  # surface
    BVUGE = auto()  # surface
    BVSLT = auto()
    BVSLE = auto()  # surface
    BVSGT = auto()  # surface
    BVSGE = auto()  # surface
    CONCAT = auto()
    EXTRACT = auto()  # data: (hi, lo)
    ZERO_EXT = auto()  # data: extra bits
    SIGN_EXT = auto()  # data: extra bits
    # arrays
    SELECT = auto()
    STORE = auto()
    CONST_ARRAY = auto()  # data: the array sort; args: (element,)
    # floating point; (rm, ...) first where SMT-LIB has it
    FP_ABS = auto()
    FP_NEG = auto()
    FP_ADD = auto()
    FP_SUB = auto()
    FP_MUL = auto()
    FP_DIV = auto()
    FP_FMA = auto()
    FP_SQRT = auto()
    FP_REM = auto()
    FP_RTI = auto()
    FP_MIN = auto()
    FP_MAX = auto()
    FP_LE = auto()
    FP_LT = auto()
    FP_GE = auto()  # surface
    FP_GT = auto()  # surface
    FP_EQ = auto()  # IEEE equality; EQ is identity
    FP_IS_NORMAL = auto()
    FP_IS_SUBNORMAL = auto()
    FP_IS_ZERO = auto()
    FP_IS_INF = auto()
    FP_IS_NAN = auto()
    FP_IS_NEG = auto()
    FP_IS_POS = auto()
    FP_FROM_BITS = auto()  # data: float sort; args: (bv,)
    FP_FROM_FP = auto()  # data: float sort; args: (rm, fp)
    FP_FROM_SBV = auto()  # data: float sort; args: (rm, bv)
    FP_FROM_UBV = auto()  # data: float sort; args: (rm, bv)
    FP_FROM_REAL = auto()  # data: float sort; args: (rm, real)
    FP_TO_SBV = auto()  # data: width; NaN, inf, out of range = 0 here
    FP_TO_UBV = auto()  # data: width; likewise
    FP_TO_REAL = auto()  # inf and NaN = 0 here
    FP_TO_BITS = auto()  # IEEE pattern, NaN canonical (no SMT-LIB name; backends encode it)


# two words to a word of the same width; sums, products and bitwise operations take more than two
BV_BINARY = (
    Op.BVSUB,
    Op.BVUDIV,
    Op.BVUREM,
    Op.BVSDIV,
    Op.BVSREM,
    Op.BVSMOD,
    Op.BVSHL,
    Op.BVLSHR,
    Op.BVASHR,
)
BV_ORDERS = (Op.BVULT, Op.BVULE, Op.BVUGT, Op.BVUGE, Op.BVSLT, Op.BVSLE, Op.BVSGT, Op.BVSGE)


class Term:
    """One node. Made only by a `TermStore`."""

    __slots__ = ("op", "args", "data", "sort", "id", "store")

    op: Op
    args: tuple[Term, ...]
    data: Hashable
    sort: Sort
    id: int
    store: TermStore

    def __init__(
        self,
        op: Op,
        args: tuple[Term, ...],
        data: Hashable,
        sort: Sort,
        ident: int,
        store: TermStore,
    ) -> None:
        self.op = op
        self.args = args
        self.data = data
        self.sort = sort
        self.id = ident
        self.store = store

    @property
    def is_var(self) -> bool:
        """Is this a variable?"""
        return self.op is Op.VAR

    @property
    def is_const(self) -> bool:
        """Is this a value?"""
        return self.op is Op.CONST

    @property
    def name(self) -> str:
        """A variable's name."""
        assert self.op is Op.VAR and isinstance(self.data, str)
        return self.data

    @property
    def width(self) -> int:
        """Width of a bit-vector term."""
        return self.sort.width

    @property
    def atom(self) -> Term:
        """A literal without its negation; any other term is its own atom."""
        return self.args[0] if self.op is Op.NOT else self

    @property
    def is_literal(self) -> bool:
        """An atom or its negation: no Boolean structure but one NOT at the top."""
        atom = self.atom
        return (
            atom.sort is BOOL
            and atom.op not in CONNECTIVES
            and not (
                atom.op is Op.ITE or (atom.op is Op.EQ and atom.args[0].sort.kind is Kind.BOOL)
            )
        )

    def __reduce__(self) -> tuple[Callable[[TermStore, int], Term], tuple[TermStore, int]]:
        """Pickled as its number in its store;
        the store is pickled once, without recursion (`TermStore.__getstate__`)."""
        return _numbered, (self.store, self.id)

    def __repr__(self) -> str:
        from obligato.terms.printer import to_smtlib

        return to_smtlib(self, max_nodes=200)


def _numbered(store: TermStore, number: int) -> Term:
    return store.numbered(number)


def bottom_up(root: Term, made: Mapping[Term, object]) -> Iterator[Term]:
    """The subterms of `root` that `made` lacks, arguments before applications. Whoever walks enters
    each of them into `made` before asking for the next; nothing recurses.
    """
    stack = [root]
    while stack:
        t = stack[-1]
        if t in made:
            stack.pop()
            continue
        pending = [a for a in t.args if a not in made]
        if pending:
            stack += pending
            continue
        stack.pop()
        yield t


CONNECTIVES = frozenset((Op.NOT, Op.AND, Op.OR, Op.XOR, Op.IMPLIES))
