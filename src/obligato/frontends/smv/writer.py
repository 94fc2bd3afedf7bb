"""Writes a transition system as SMV: Booleans, words, and nuXmv's arrays of words, integers and
reals.

Inputs become variables without a next value, since INVAR may not speak about IVAR; so constraints
are INVAR. Only for formulas of CTL that name no input they are IVAR, as the state of such a formula
is the state alone, and constraints about them TRANS: the same infinite runs (`_as_steps`).
Next-state functions become assignments, a relation TRANS. What is used often is a definition. Names
that SMV does not have are quoted, as nuXmv reads them. Justice becomes the formula of LTL that it
stands for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction

from obligato.errors import Unsupported
from obligato.frontends.smv.tokens import KEYWORDS
from obligato.models.ctl import FAIR, names_input
from obligato.models.ltl import Formula
from obligato.models.properties import Assertion, CtlProperty, Justice, Property, formulas_of
from obligato.models.transition_system import TransitionSystem, functional
from obligato.terms import BOOL, ArrayValue, Kind, Op, Sort, Term, conjuncts, free_vars, postorder
from obligato.terms.numerals import int_text

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_$#-]*\Z")
_INFIX = {
    Op.AND: "&",
    Op.OR: "|",
    Op.XOR: "xor",
    Op.IMPLIES: "->",
    Op.EQ: "=",
    Op.ADD: "+",
    Op.SUB: "-",
    Op.MUL: "*",
    Op.LE: "<=",
    Op.LT: "<",
    Op.GE: ">=",
    Op.GT: ">",
    Op.RDIV: "/",
    Op.BVADD: "+",
    Op.BVSUB: "-",
    Op.BVMUL: "*",
    Op.BVUDIV: "/",
    Op.BVUREM: "mod",
    Op.BVAND: "&",
    Op.BVOR: "|",
    Op.BVXOR: "xor",
    Op.BVSHL: "<<",
    Op.BVLSHR: ">>",
    Op.BVULT: "<",
    Op.BVULE: "<=",
    Op.BVUGT: ">",
    Op.BVUGE: ">=",
    Op.CONCAT: "::",
}
_SIGNED = {Op.BVSLT: "<", Op.BVSLE: "<=", Op.BVSGT: ">", Op.BVSGE: ">="}
_RESIGNED = {Op.BVSDIV: "/", Op.BVSREM: "mod"}
_PREFIX = {Op.NOT: "!", Op.BVNOT: "!", Op.NEG: "-", Op.BVNEG: "-"}
_FORMS = {  # what SMV has no operator for
    "R": "({a} V {b})",
    "W": "({b} V ({a} | {b}))",
    "AU": "A [{a} U {b}]",
    "EU": "E [{a} U {b}]",
    "AW": "!(E [!{b} U (!{a} & !{b})])",
    "EW": "(E [{a} U {b}] | EG {a})",
    "AR": "!(E [!{a} U !{b}])",
    "ER": "(E [{b} U ({a} & {b})] | EG {b})",
}
MAX_INLINE = 60  # characters of a subterm that is used often but needs no definition


def smv_text(system: TransitionSystem) -> str:
    """The system in SMV."""
    return "\n".join(_Writer(system).lines()) + "\n"


class _Writer:
    def __init__(self, system: TransitionSystem) -> None:
        self.system = system
        self.names: dict[Term, str] = {}
        self.texts: dict[Term, str] = {}
        self.defines: list[str] = []
        taken: set[str] = set()
        self.uses = Counter(a for t in postorder(self._roots()) for a in t.args)
        self.steps = self._as_steps()
        self.free = self._free()
        for x in (*system.state, *system.inputs):
            if x not in self.free:
                self.names[x] = _spelled(x.name, taken)
        for x, y in system.primed.items():
            self.texts[y] = f"next({self.names[x]})"
        self.prefix = "t"
        while any(name.strip('"').startswith(self.prefix) for name in taken):
            self.prefix += "_"

    def _roots(self) -> list[Term]:
        s = self.system
        pairs = [t for pair in s.compassion for t in pair]
        return [
            s.init,
            s.trans,
            *(s.next or {}).values(),
            *s.constraints,
            *s.fairness,
            *pairs,
            *(t for p in s.properties for t in formulas_of(p)),
        ]

    def _as_steps(self) -> bool:
        """Are inputs chosen by a step, or part of the state? Formulas of CTL decide; others mean
        the same both ways.
        """
        system = self.system
        named = [names_input(system, p.formula) for p in system.branching]
        if not system.inputs or all(named):
            return False
        if any(named) or system.assertions:
            reason = (
                "formulas of CTL about states alone need a file of their own: name one property"
            )
            raise Unsupported(reason, construct="inputs")
        return True

    def _free(self) -> set[Term]:
        """The inputs that are the next value of one variable and nothing else: SMV says nothing
        about it instead.
        """
        if self.system.branching and not self.steps:
            return set()  # they are part of the state of the formula
        values = Counter((self.system.next or {}).values())
        formulas = {t for t in self._roots() if t.sort is BOOL and t not in values}
        return {
            i
            for i in self.system.inputs
            if values[i] == 1 and self.uses[i] == 1 and i not in formulas
        }

    def lines(self) -> Iterator[str]:
        """The text; definitions stand before their uses."""
        body = [*self._behaviour(), *self._specifications()]
        yield "MODULE main"
        inputs = self.system.inputs if self.steps else ()
        for section, variables in (
            ("VAR", [x for x in self.names if x not in inputs]),
            ("IVAR", inputs),
        ):
            declared = [
                f"  {self.names[x]} : {_type(x.sort)};" for x in variables if x in self.names
            ]
            yield from [section, *declared] if declared else []
        if self.defines:
            yield "DEFINE"
        yield from self.defines
        yield from body

    def _behaviour(self) -> Iterator[str]:
        s = self.system
        yield from self._all("INIT", conjuncts(s.init))
        about = {f: self.steps and any(v in s.inputs for v in free_vars(f)) for f in s.constraints}
        yield from self._all("INVAR", [f for f in s.constraints if not about[f]])
        yield from self._all("TRANS", [f for f in s.constraints if about[f]])
        if s.next is not None and s.trans is functional(s.store, s.next):
            told = {x: e for x, e in s.next.items() if e not in self.free}
            if told:
                yield "ASSIGN"
            yield from (f"  next({self.names[x]}) := {self.text(e)};" for x, e in told.items())
        else:
            yield from self._all(
                "TRANS",
                [f for f in conjuncts(s.trans) if not (f.op is Op.EQ and f.args[1] in self.free)],
            )
        yield from self._all("FAIRNESS", s.fairness)
        yield from (f"COMPASSION ({self.text(a)}, {self.text(b)});" for a, b in s.compassion)

    def _all(self, section: str, formulas: Iterable[Term]) -> Iterator[str]:
        yield from (
            f"{section} {self.text(f)};" for f in formulas if f is not self.system.store.true
        )

    def _specifications(self) -> Iterator[str]:
        for p in self.system.properties:
            shown = self.system.display.get(p.name, p.name)
            name = f"NAME {shown} := " if _NAME.match(shown) and shown not in KEYWORDS else ""
            yield f"{self._kind(p)} {name}{self._claim(p)};"

    @staticmethod
    def _kind(p: Property) -> str:
        return (
            "INVARSPEC"
            if isinstance(p, Assertion)
            else "CTLSPEC"
            if isinstance(p, CtlProperty)
            else "LTLSPEC"
        )

    def _claim(self, p: Property) -> str:
        match p:
            case Assertion():
                return self.text(p.formula)
            case Justice():
                return "!(" + (" & ".join(f"G F {self.text(t)}" for t in p.sets) or "TRUE") + ")"
        f = p.formula
        # as the reader says again
        asked_of_fair_starts = isinstance(p, CtlProperty) and f.op == "->" and f.args[0] == FAIR
        return self._formula(f.args[1] if asked_of_fair_starts else f)

    def _formula(self, f: Formula) -> str:
        if f.atom is not None:
            return f"({self.text(f.atom)})"
        parts = [self._formula(a) for a in f.args]
        if f.op in ("true", "false"):
            return f.op.upper()
        if len(parts) == 1:
            return f"({f.op} {parts[0]})"
        form = _FORMS.get(f.op, "({a} {op} {b})")
        return form.format(a=parts[0], b=parts[1], op=f.op)

    # -- terms -------------------------------------------------------------------------------------

    def text(self, root: Term) -> str:
        """A term; what is used often gets a definition."""
        for t in postorder((root,)):
            if t in self.texts:
                continue
            text = self._text(t)
            if t.args and self.uses[t] > 1 and len(text) > MAX_INLINE:
                name = f"{self.prefix}{len(self.defines)}"
                self.defines.append(f"  {name} := {text};")
                text = name
            self.texts[t] = text
        return self.texts[root]

    def _text(self, t: Term) -> str:
        args, op = [self.texts[a] for a in t.args], t.op
        if op is Op.VAR:
            return self.names[t]
        if op is Op.CONST:
            return self._constant(t)
        if op in _PREFIX:
            return f"({_PREFIX[op]}{args[0]})"
        if op in _INFIX:
            return "(" + f" {_INFIX[op]} ".join(args) + ")"
        if op in _SIGNED:
            return f"(signed({args[0]}) {_SIGNED[op]} signed({args[1]}))"
        if op in _RESIGNED:
            return f"unsigned(signed({args[0]}) {_RESIGNED[op]} signed({args[1]}))"
        return self._other(t, args)

    def _other(self, t: Term, args: list[str]) -> str:
        match t.op:
            case Op.ITE:
                return f"({args[0]} ? {args[1]} : {args[2]})"
            case Op.DISTINCT:
                return (
                    "("
                    + " & ".join(f"{a} != {b}" for n, a in enumerate(args) for b in args[n + 1 :])
                    + ")"
                )
            case Op.BVASHR:
                return f"unsigned(signed({args[0]}) >> {args[1]})"
            case Op.BVSMOD:
                return self._modulo(t, args)
            case Op.EXTRACT:
                assert isinstance(t.data, tuple)
                return f"{args[0]}[{t.data[0]}:{t.data[1]}]"
            case Op.ZERO_EXT:
                return f"extend({args[0]}, {t.data})"
            case Op.SIGN_EXT:
                return f"unsigned(extend(signed({args[0]}), {t.data}))"
            case Op.SELECT:
                return f"READ({args[0]}, {args[1]})"
            case Op.STORE:
                return f"WRITE({args[0]}, {args[1]}, {args[2]})"
            case Op.CONST_ARRAY:
                return self._array(t.sort, args[0])
        raise Unsupported(f"SMV has no {t.op.name}", construct=t.op.name)

    def _modulo(self, t: Term, args: list[str]) -> str:
        """The remainder with the sign of the divisor."""
        a, b = args
        rest, top = f"unsigned(signed({a}) mod signed({b}))", t.sort.width - 1
        return (
            f"({rest} = 0ud{top + 1}_0 | ({rest})[{top}:{top}] = ({b})[{top}:{top}] ? {rest} :"
            f" {rest} + {b})"
        )

    def _constant(self, t: Term) -> str:
        value = t.data
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if t.sort.kind is Kind.BITVEC:
            assert isinstance(value, int)
            return f"0ud{t.sort.width}_{int_text(value)}"
        if isinstance(value, int | Fraction):
            return _number(value)
        if not isinstance(value, ArrayValue):
            raise Unsupported(f"SMV has no sort {t.sort}", construct=str(t.sort.kind.value))
        store, sort = t.store, t.sort
        text = self._array(sort, self.text(store.const(value.default, sort.element)))
        for i, v in value.entries.items():
            text = (
                f"WRITE({text}, {self.text(store.const(i, sort.index))},"
                f" {self.text(store.const(v, sort.element))})"
            )
        return text

    def _array(self, sort: Sort, element: str) -> str:
        like = next((name for x, name in self.names.items() if x.sort is sort), None)
        if like is None:
            raise Unsupported(
                "SMV has no constant arrays of a type that no variable has",
                construct="constant array",
            )
        return f"CONSTARRAY(typeof({like}), {element})"


def _number(value: int | Fraction) -> str:
    if isinstance(value, int):
        return int_text(value) if value >= 0 else f"(-{int_text(-value)})"
    text = f"f'{int_text(abs(value.numerator))}/{int_text(value.denominator)}"
    return text if value >= 0 else f"(-{text})"


def _spelled(name: str, taken: set[str]) -> str:
    """A name as SMV has it, quoted if need be; different ones stay different."""
    base = re.sub(r'["\s]', "_", name) or "_"
    found, n = base, 0
    while found in taken:
        n += 1
        found = f"{base}#{n}"
    taken.add(found)
    return found if _NAME.match(found) and found not in KEYWORDS else f'"{found}"'


def _type(sort: Sort) -> str:
    match sort.kind:
        case Kind.BITVEC:
            return f"word[{sort.width}]"
        case Kind.INT | Kind.REAL:
            return "integer" if sort.kind is Kind.INT else "real"
        case Kind.ARRAY if sort.index.kind in (Kind.BITVEC, Kind.INT):
            return f"array {_type(sort.index)} of {_type(sort.element)}"
    if sort is BOOL:
        return "boolean"
    raise Unsupported(f"SMV has no sort {sort}", construct=str(sort.kind.value))
