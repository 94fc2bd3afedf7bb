"""Writes a transition system as BTOR2 [NPWB18]: constants, inputs, states, `init`, operators,
`next`, `constraint`, `bad`, `fair`, `justice`.

Booleans and words of one bit are both `bitvec 1`. What the format cannot say is rewritten first
(`frontends.functional`). `_OPERATORS` names the operator for each of ours; those with many operands
are written as a chain. Limitation: Booleans, bit-vectors and arrays of them only.
"""

from __future__ import annotations

from obligato.errors import Unsupported
from obligato.frontends.functional import circuit, justices, with_justice_only
from obligato.models.transition_system import TransitionSystem
from obligato.terms import BOOL, ArrayValue, Kind, Op, Sort, Term, postorder
from obligato.terms.numerals import int_text

_OPERATORS = {
    Op.NOT: "not",
    Op.AND: "and",
    Op.OR: "or",
    Op.XOR: "xor",
    Op.IMPLIES: "implies",
    Op.EQ: "eq",
    Op.ITE: "ite",
    Op.BVADD: "add",
    Op.BVSUB: "sub",
    Op.BVNEG: "neg",
    Op.BVMUL: "mul",
    Op.BVUDIV: "udiv",
    Op.BVUREM: "urem",
    Op.BVSDIV: "sdiv",
    Op.BVSREM: "srem",
    Op.BVSMOD: "smod",
    Op.BVNOT: "not",
    Op.BVAND: "and",
    Op.BVOR: "or",
    Op.BVXOR: "xor",
    Op.BVSHL: "sll",
    Op.BVLSHR: "srl",
    Op.BVASHR: "sra",
    Op.BVULT: "ult",
    Op.BVULE: "ulte",
    Op.BVUGT: "ugt",
    Op.BVUGE: "ugte",
    Op.BVSLT: "slt",
    Op.BVSLE: "slte",
    Op.BVSGT: "sgt",
    Op.BVSGE: "sgte",
    Op.CONCAT: "concat",
    Op.SELECT: "read",
    Op.STORE: "write",
}
_CHAINED = frozenset(
    (Op.AND, Op.OR, Op.XOR, Op.BVADD, Op.BVMUL, Op.BVAND, Op.BVOR, Op.BVXOR, Op.CONCAT)
)


def btor2_text(system: TransitionSystem) -> str:
    """The system in BTOR2."""
    return "\n".join(_Writer().write(with_justice_only(system))) + "\n"


class _Writer:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.sorts: dict[object, int] = {}
        self.nodes: dict[Term, int] = {}
        self.count = 0

    def _line(self, text: str) -> int:
        self.count += 1
        self.lines.append(f"{self.count} {text}")
        return self.count

    def write(self, system: TransitionSystem) -> list[str]:
        """All lines of the file."""
        c = circuit(system)
        values = {x: self._initial(value) for x, value in c.start.items()}
        for i in c.inputs:
            self.nodes[i] = self._line(f"input {self._sort(i.sort)} {_symbol(i.name)}")
        for x in c.next:
            self.nodes[x] = self._line(f"state {self._sort(x.sort)} {_symbol(x.name)}")
        for x, value in values.items():
            self._line(f"init {self._sort(x.sort)} {self.nodes[x]} {value}")
        for x, e in c.next.items():
            self._line(f"next {self._sort(x.sort)} {self.nodes[x]} {self._node(e)}")
        for f in c.constraints:
            self._line(f"constraint {self._node(f)}")
        for p in system.assertions:
            violated = p.formula.args[0] if p.formula.op is Op.NOT else system.store.not_(p.formula)
            self._line(f"bad {self._node(violated)} {_symbol(system.display.get(p.name, p.name))}")
        for f in system.fairness:
            self._line(f"fair {self._node(f)}")
        for j in justices(system):
            sets = "".join(f" {self._node(f)}" for f in j.sets)
            self._line(f"justice {len(j.sets)}{sets} {_symbol(system.display.get(j.name, j.name))}")
        return self.lines

    def _sort(self, sort: Sort) -> int:
        key: object = 1 if sort is BOOL else sort.width if sort.kind is Kind.BITVEC else sort
        if key not in self.sorts:
            if sort.kind is Kind.ARRAY:
                parts = self._sort(sort.index), self._sort(sort.element)
                self.sorts[key] = self._line(f"sort array {parts[0]} {parts[1]}")
            elif isinstance(key, int):
                self.sorts[key] = self._line(f"sort bitvec {key}")
            else:
                raise Unsupported(f"BTOR2 has no sort {sort}", construct=str(sort.kind.value))
        return self.sorts[key]

    def _initial(self, value: Term) -> int:
        """A start value: an array that holds the same everywhere is given by its element."""
        if value.sort.kind is not Kind.ARRAY:
            return self._node(value)
        if value.op is Op.CONST_ARRAY:
            return self._node(value.args[0])
        assert isinstance(value.data, ArrayValue)
        if value.data.entries:
            raise Unsupported(
                "BTOR2 has no constant arrays with entries", construct="constant array"
            )
        return self._node(value.store.const(value.data.default, value.sort.element))

    def _node(self, root: Term) -> int:
        for t in postorder((root,)):
            if t not in self.nodes:
                self.nodes[t] = self._write(t)
        return self.nodes[root]

    def _write(self, t: Term) -> int:
        if t.sort.kind is Kind.ARRAY and not t.args:
            raise Unsupported("BTOR2 has no constant arrays", construct="constant array")
        sort, args = self._sort(t.sort), [self.nodes[a] for a in t.args]
        if t.op is Op.CONST:
            assert isinstance(t.data, int)
            return self._line(f"constd {sort} {int_text(t.data)}")
        if t.op is Op.EXTRACT:
            assert isinstance(t.data, tuple)
            return self._line(f"slice {sort} {args[0]} {t.data[0]} {t.data[1]}")
        if t.op in (Op.ZERO_EXT, Op.SIGN_EXT):
            return self._line(
                f"{'uext' if t.op is Op.ZERO_EXT else 'sext'} {sort} {args[0]} {t.data}"
            )
        if t.op is Op.DISTINCT:
            return self._distinct(args, sort)
        if t.op not in _OPERATORS:
            raise Unsupported(f"BTOR2 has no {t.op.name}", construct=t.op.name)
        if t.op in _CHAINED:
            return self._chain(t, args)
        return self._line(f"{_OPERATORS[t.op]} {sort} {' '.join(map(str, args))}")

    def _chain(self, t: Term, args: list[int]) -> int:
        name, acc = _OPERATORS[t.op], args[0]
        width = 1 if t.sort is BOOL else t.args[0].sort.width
        for a, arg in zip(args[1:], t.args[1:], strict=True):
            width += arg.sort.width if t.op is Op.CONCAT else 0
            sort = self._sort(t.sort) if t.op is not Op.CONCAT else self._width(width)
            acc = self._line(f"{name} {sort} {acc} {a}")
        return acc

    def _width(self, bits: int) -> int:
        if bits not in self.sorts:
            self.sorts[bits] = self._line(f"sort bitvec {bits}")
        return self.sorts[bits]

    def _distinct(self, args: list[int], sort: int) -> int:
        pairs = [
            self._line(f"neq {sort} {a} {b}") for i, a in enumerate(args) for b in args[i + 1 :]
        ]
        acc = pairs[0]
        for p in pairs[1:]:
            acc = self._line(f"and {sort} {acc} {p}")
        return acc


def _symbol(name: str) -> str:
    """A name without white space or comment signs."""
    return "".join("_" if c.isspace() or c == ";" else c for c in name)
