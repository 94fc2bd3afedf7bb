"""The registry of input languages: a language is one package and one record."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

import obligato
from obligato.errors import ConfigError, Unsupported
from obligato.frontends import registry
from obligato.frontends.registry import LANGUAGES, InputKind, Language, find_language, language_of
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional
from obligato.reports.text import report
from obligato.results.outcome import TraceReport, Verdict
from obligato.terms import Op, Term, TermStore, bitvec, free_vars


def load(file: str | Path) -> TransitionSystem:
    """The toy language: a file holds one number, the bound of a counter that wraps at 10 and must
    stay below the bound.
    """
    store = TermStore.raw()
    x = store.var("x", bitvec(4))
    step = {
        x: store.ite(
            store.eq(x, store.bv(9, 4)), store.bv(0, 4), store.mk(Op.BVADD, (x, store.bv(1, 4)))
        )
    }
    bound = store.mk(Op.BVULT, (x, store.bv(int(Path(file).read_text(encoding="utf-8")), 4)))
    init = store.eq(x, store.bv(0, 4))
    return TransitionSystem(
        store,
        (x,),
        (),
        init,
        functional(store, step),
        (Assertion("bound", bound),),
        next=step,
        total=True,
    )


def formula(t: Term, names: dict[str, str], unsigned: frozenset[str]) -> str:
    return f"toy({', '.join(sorted(v.name for v in free_vars(t)))})"


def trace(t: TraceReport) -> list[str]:
    return [f"toy run of {len(t.steps)} states"]


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    package = ModuleType("obligato.frontends.toy")
    package.__dict__.update(load=load, formula=formula, trace=trace)
    monkeypatch.setitem(sys.modules, package.__name__, package)
    line = Language(
        "toy",
        InputKind.SYSTEM,
        (".toy",),
        "ic3",
        formula="obligato.frontends.toy:formula",
        trace="obligato.frontends.toy:trace",
    )
    monkeypatch.setattr(registry, "LANGUAGES", (*LANGUAGES, line))


@pytest.mark.usefixtures("toy")
def test_one_record_makes_a_language(tmp_path: Path) -> None:
    file = tmp_path / "counter.toy"
    file.write_text("10")
    proved = obligato.verify(file)
    assert proved.verdict is Verdict.TRUE and proved.engine == "ic3"
    assert "state: toy(x)" in report(proved)
    file.write_text("7")
    refuted = obligato.verify(file)
    assert refuted.verdict is Verdict.FALSE and "toy run of 8 states" in report(refuted)
    with pytest.raises(ConfigError, match="no property 'other'"):
        obligato.verify(file, property="other")


def test_records_are_sound() -> None:
    suffixes = [s for language in LANGUAGES for s in language.suffixes]
    assert len(suffixes) == len(set(suffixes)) and all(s.startswith(".") for s in suffixes)
    for language in LANGUAGES:
        for hook in ("formula", "trace", "write_witness", "read_witness"):
            assert callable(language.hook(hook)) == bool(getattr(language, hook))
        assert language_of(f"x{language.suffixes[0]}") is language


def test_unknown_suffix_is_refused_with_what_there_is() -> None:
    assert find_language("x.pas") is None
    with pytest.raises(Unsupported, match=r"\*\.pas; there are: \.c, "):
        language_of("x.pas")


def test_a_property_of_another_language_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "p.ivl"
    file.write_text("proc main() { }\n")
    with pytest.raises(ConfigError, match="not supported for ivl"):
        obligato.verify(file, property="memsafety")
