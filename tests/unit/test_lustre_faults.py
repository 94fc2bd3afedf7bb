"""Deliberate faults in the translation of Lustre: the comparison with the interpreter on random
programs finds each of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import obligato
from obligato.errors import InternalError
from obligato.frontends.lustre import tables, translate
from obligato.frontends.lustre.builder import Ticks
from obligato.frontends.lustre.calls import Calls
from obligato.frontends.lustre.instances import Place
from obligato.frontends.lustre.structures import Structures
from obligato.frontends.lustre.translate import Translator
from obligato.results.outcome import Verdict
from obligato.terms import Op
from tests.support.lustre import Generator
from tests.support.lustre_runs import differences

Patch = pytest.MonkeyPatch
PROGRAMS = 600


def _clocks_are_ignored(patch: Patch) -> None:
    patch.setattr(Ticks, "updated", lambda self, x, value: value)


def _restarts_are_ignored(patch: Patch) -> None:
    sub = Ticks.sub
    patch.setattr(Ticks, "sub", lambda self, active, reset, name: sub(self, active, None, name))


def _condact_does_not_hold(patch: Patch) -> None:
    patch.setattr(Calls, "_held", lambda self, e, outputs, place: outputs)


def _branches_share_the_clock(patch: Patch) -> None:
    patch.setattr(Translator, "_branch", lambda self, e, place, active, which: place)


def _division_of_machine_integers_is_unsigned(patch: Patch) -> None:
    patch.setitem(translate._MACHINE, "div", (Op.BVUDIV, Op.BVUDIV))


def _right_shifts_are_logical(patch: Patch) -> None:
    patch.setitem(translate._MACHINE, "rsh", (Op.BVLSHR, Op.BVLSHR))


def _all_is_guarded(patch: Patch) -> None:
    patch.setattr(
        Translator,
        "_unguarded",
        lambda self, e, cells, place: (
            self.store.const(_zero(cells), cells.sort) if not isinstance(cells, tuple) else cells
        ),
    )


def _zero(cell: Any) -> Any:
    return False if cell.sort.kind.value == "Bool" else 0


def _later_arms_come_first(patch: Patch) -> None:
    tests = Structures._tests

    def wrong(self: Structures, e: Any, t: Any, value: Any) -> Any:
        return list(reversed(tests(self, e, t, value)))

    patch.setattr(Structures, "_tests", wrong)


def _properties_of_instances_ignore_their_clock(patch: Patch) -> None:
    patch.setattr(Ticks, "guard", lambda self, formula: formula)


def _updates_are_ignored(patch: Patch) -> None:
    patch.setattr(Structures, "_update", lambda self, e, place: self.evaluate(e.arg, _plain(place)))


def _unions_are_intersections(patch: Patch) -> None:
    combined = tables.Combined.__init__
    patch.setattr(
        tables.Combined,
        "__init__",
        lambda self, op, a, b: combined(self, "*" if op == "+" else op, a, b),
    )


def _equal_keys_have_different_rows(patch: Patch) -> None:
    patch.setattr(tables.Unknown, "_agree", lambda self, a, b: None)


def _earlier_entries_come_first(patch: Patch) -> None:
    built = tables.Built.__init__
    patch.setattr(
        tables.Built,
        "__init__",
        lambda self, u, t, entries, *more: built(self, u, t, entries[::-1], *more),
    )


def _sets_are_equal_without_instances(patch: Patch) -> None:
    patch.setattr(tables.Universe, "finish", lambda self: None)


def _plain(place: Place) -> Place:
    return replace(place, sign=0)


FAULTS: list[Callable[[Patch], None]] = [
    _clocks_are_ignored,
    _restarts_are_ignored,
    _condact_does_not_hold,
    _branches_share_the_clock,
    _division_of_machine_integers_is_unsigned,
    _right_shifts_are_logical,
    _all_is_guarded,
    _later_arms_come_first,
    _properties_of_instances_ignore_their_clock,
    _updates_are_ignored,
    _unions_are_intersections,
    _equal_keys_have_different_rows,
    _earlier_entries_come_first,
    _sets_are_equal_without_instances,
]


# what the generator shows in one of hundreds of programs only
RARE = (_equal_keys_have_different_rows, _division_of_machine_integers_is_unsigned)


@pytest.mark.parametrize(
    "fault",
    [pytest.param(f, marks=pytest.mark.slow) if f in RARE else f for f in FAULTS],
    ids=lambda f: f.__name__.strip("_"),
)
def test_the_comparison_finds_it(fault: Callable[[Patch], None], monkeypatch: Patch) -> None:
    fault(monkeypatch)
    for seed in range(PROGRAMS):
        rng = random.Random(seed)
        try:
            found = differences(Generator(rng).program(), rng)
        except (KeyError, IndexError, AssertionError, InternalError):
            return  # the run cannot even be told
        if found:
            return
    pytest.fail(f"no difference on {PROGRAMS} programs")


def test_a_proof_about_a_wrong_system_is_not_reported(monkeypatch: Patch, tmp_path: Path) -> None:
    """The readers are compared on a few random runs before a proof counts."""
    file = tmp_path / "program.lus"
    file.write_text(
        "node top (x: int8) returns (y: int8); let y = x rsh (uint8 1); check y >= (int8 0); tel\n"
    )
    assert obligato.verify(file, isolated=False).verdict is Verdict.FALSE
    _right_shifts_are_logical(monkeypatch)
    with pytest.raises(InternalError, match="the readers of the program disagree"):
        obligato.verify(file, isolated=False)


def test_a_field_that_a_value_does_not_have_ends_the_comparison(tmp_path: Path) -> None:
    file = tmp_path / "program.lus"
    file.write_text(
        "datatype D = A (a: int) | B;\n"
        'node top (d: D; x: int) returns (y: int); let y = d.a; check "p" x = x; tel\n'
    )
    found = obligato.verify(file, isolated=False)
    assert sorted(v.verdict.value for v in found.verdicts) == ["false", "true"]


def test_properties_of_one_name_are_compared_as_far_as_they_are_in_the_system(
    tmp_path: Path,
) -> None:
    file = tmp_path / "program.lus"
    file.write_text(
        'node top (x: int) returns (y: int); let y = x; check "p" y > 3; check "p" y = x; tel\n'
    )
    found = obligato.verify(file, isolated=False)
    assert [v.verdict for v in found.verdicts] == [Verdict.FALSE, Verdict.TRUE]
