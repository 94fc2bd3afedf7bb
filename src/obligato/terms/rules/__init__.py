"""Rewrite rules of the simplifying store, one function per operator:
(store, args, data) -> term, or None to keep.

Goal (DESIGN 3.1): the same literal written twice is the same object. Atoms are oriented (constants
right, Int/Real atoms in linear normal form with a positive leading coefficient), negated
comparisons are NOT of the one canonical atom, surface operators disappear. Every rule is proved by
a solver in tests/unit/test_rules.py.
"""

from __future__ import annotations

from collections.abc import Hashable

from obligato.terms.rules.arith import ARITH_RULES
from obligato.terms.rules.bitvec import BITVEC_RULES
from obligato.terms.rules.boolean import BOOLEAN_RULES
from obligato.terms.rules.floats import FLOAT_RULES
from obligato.terms.rules.misc import MISC_RULES
from obligato.terms.semantics import MEANINGS, apply
from obligato.terms.store import Rule, TermStore
from obligato.terms.term import Op, Term
from obligato.terms.typing import infer_sort


def folding(op: Op, rule: Rule | None) -> Rule:
    """Constant folding before `rule`."""

    def run(store: TermStore, args: tuple[Term, ...], data: Hashable) -> Term | None:
        for a in args:
            if a.op is not Op.CONST:
                return rule(store, args, data) if rule is not None else None
        probe = Term(op, args, data, infer_sort(op, args, data), -1, store)
        return store.const(apply(probe, [a.data for a in args]), probe.sort)

    return run


_SPECIFIC: dict[Op, Rule] = {
    **BOOLEAN_RULES,
    **ARITH_RULES,
    **BITVEC_RULES,
    **FLOAT_RULES,
    **MISC_RULES,
}
RULES: dict[Op, Rule] = {op: folding(op, _SPECIFIC.get(op)) for op in MEANINGS}
