"""The portfolio: who wins, whose turn it is, and what becomes of members that fail. The work of the
members is made up here.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from itertools import pairwise
from math import inf
from pathlib import Path
from time import monotonic, process_time
from types import SimpleNamespace
from typing import Any, cast

import pytest

from obligato import verify
from obligato.api.features import of_system
from obligato.api.member import SETTLE_S, Member, rank
from obligato.api.members import BLOCK, Features, helped, members_for, named_members, own_settings
from obligato.api.pipeline import Run
from obligato.api.portfolio import run_portfolio
from obligato.api.registry import ENGINES
from obligato.api.request import Request
from obligato.api.supervisor import Channel, Child
from obligato.errors import ConfigError, InputError, InternalError, Span
from obligato.frontends.aiger import load as load_aiger
from obligato.frontends.btor2.reader import load as load_btor2
from obligato.processes import allowed_cpu_s, descendants, useful_cores
from obligato.results.outcome import Outcome, PropertyVerdict, Verdict, summary

Works = dict[str, Callable[[Request, Any], Outcome]]
FOREVER = 1 << 60


def said(request: Request, *verdicts: PropertyVerdict) -> Outcome:
    return summary(request.file, "p", verdicts, engine=request.engine)


def true(request: Request, report: Any) -> Outcome:
    return said(request, PropertyVerdict("p", Verdict.TRUE))


def false(request: Request, report: Any) -> Outcome:
    return said(request, PropertyVerdict("p", Verdict.FALSE))


def unknown(request: Request, report: Any) -> Outcome:
    return said(request, PropertyVerdict("p", Verdict.UNKNOWN, "incomplete: nothing found"))


def spins(request: Request, report: Any) -> Outcome:
    for _ in range(FOREVER):
        pass
    raise AssertionError


def dies(request: Request, report: Any) -> Outcome:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def fails(request: Request, report: Any) -> Outcome:
    raise InternalError("on purpose")


def refuses(request: Request, report: Any) -> Outcome:
    raise InputError("no good", Span(request.file, 3, 1))


def played(works: Works, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, **limits: Any) -> Any:
    """The answer of a portfolio whose members work like this; nobody is left behind."""
    monkeypatch.chdir(tmp_path)
    given = {
        "engine": ",".join(works),
        "timeout": 60.0,
        **{k: v for k, v in limits.items() if k not in ("cores", "on_report")},
    }
    request = Request("made-up.vmt", property="p", **given)

    def work(own: Request, report: Any) -> Outcome:
        return works[own.engine](own, report)

    others = {k: limits[k] for k in ("cores", "on_report") if k in limits}
    # a process that multiprocessing keeps since another test
    before = set(descendants(os.getpid()))
    answer = run_portfolio(request, work, **{"cores": 2, **others})
    assert set(descendants(os.getpid())) <= before
    return answer


def test_the_first_answer_wins_and_the_others_are_ended(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    outcome = played({"ic3": spins, "bmc": false}, monkeypatch, tmp_path).outcome
    assert outcome.verdict is Verdict.FALSE and outcome.engine == "ic3,bmc"
    portfolio = outcome.stats["portfolio"]
    assert portfolio["winner"] == "bmc" and [m["ended"] for m in portfolio["members"]] == [
        "running",
        "done",
    ]


def half(request: Request, report: Any) -> Outcome:
    """A verdict about one property of two, and a reason about the other."""
    return said(
        request,
        PropertyVerdict("p", Verdict.FALSE),
        PropertyVerdict("q", Verdict.UNKNOWN, "incomplete: too hard"),
    )


def test_each_property_has_the_reasons_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    outcome = played({"ic3": half, "bmc": half}, monkeypatch, tmp_path).outcome
    assert [v.verdict for v in outcome.verdicts] == [Verdict.FALSE, Verdict.UNKNOWN]
    assert outcome.verdicts[1].reason == "incomplete: ic3, bmc: too hard"


def test_on_one_core_everybody_gets_a_turn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("obligato.api.portfolio.HEAD_START_S", 0.1)
    monkeypatch.setattr("obligato.api.portfolio.TURN_S", 0.05)
    works: Works = {"ic3": spins, "ic3ia": spins, "bmc": true}
    outcome = played(works, monkeypatch, tmp_path, cores=1).outcome
    assert outcome.verdict is Verdict.TRUE
    assert outcome.stats["portfolio"]["schedule"] == ["ic3", "ic3ia", "bmc"]


def in_turns(ask: int) -> Callable[[Request, Any], Outcome]:
    """A member that answers after so many turns."""

    def work(request: Request, report: Channel) -> Outcome:
        for _ in range(ask):
            report.turn()
        return true(request, report)

    return work


def test_counted_turns_are_the_same_in_every_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    works: Works = {"ic3": in_turns(5), "ic3ia": in_turns(3), "bmc": in_turns(9)}
    runs = [
        played(works, monkeypatch, tmp_path, settings={"deterministic": "true"}).outcome
        for _ in range(2)
    ]
    schedules = [run.stats["portfolio"]["schedule"] for run in runs]
    assert schedules[0] == schedules[1] == [*["ic3", "ic3ia", "bmc"] * 3, "ic3", "ic3ia"]
    assert [run.stats["portfolio"]["winner"] for run in runs] == ["ic3ia"] * 2


def test_a_member_that_dies_is_started_once_more(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    outcome = played({"ic3": dies, "bmc": unknown}, monkeypatch, tmp_path).outcome
    assert outcome.verdict is Verdict.UNKNOWN and "nothing found" in outcome.reason
    assert [
        note for note in outcome.notes if note.startswith("ic3 died: killed by SIGKILL")
    ] == list(outcome.notes)
    assert len(outcome.notes) == 2


def out_of_time(request: Request, report: Any) -> Outcome:
    """A member whose processor time is limited from outside (`ulimit -t`), and used up."""
    os.kill(os.getpid(), signal.SIGXCPU)
    raise AssertionError


@pytest.mark.parametrize(
    ("other", "verdict", "reason"),
    [
        (true, Verdict.TRUE, None),
        (unknown, Verdict.UNKNOWN, "incomplete: ic3: timeout; bmc: nothing found"),
        (out_of_time, Verdict.UNKNOWN, "timeout"),
    ],
)
def test_a_member_whose_processor_time_is_used_up_ends(
    other: Callable[[Request, Any], Outcome],
    verdict: Verdict,
    reason: str | None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    outcome = played({"ic3": out_of_time, "bmc": other}, monkeypatch, tmp_path, cores=1).outcome
    assert (outcome.verdict, outcome.reason, outcome.notes) == (verdict, reason, ())
    assert outcome.stats["portfolio"]["members"][0]["ended"] == "timeout"


def test_a_member_that_fails_inside_is_reported_and_no_verdict(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    outcome = played({"ic3": fails, "bmc": true}, monkeypatch, tmp_path, cores=1).outcome
    assert outcome.verdict is Verdict.TRUE and any(
        "ic3 failed: on purpose" in note for note in outcome.notes
    )
    answer = played({"ic3": fails, "bmc": fails}, monkeypatch, tmp_path)
    assert answer.outcome is None and answer.problem == "internal" and Path(answer.bundle).is_dir()


def first_of_two(
    verdict: Verdict, then: Callable[[Request, Any], Outcome]
) -> Callable[[Request, Any], Outcome]:
    """A member that decides the property p of two and goes on."""

    def work(request: Request, report: Any) -> Outcome:
        report("request", {"property": "p,q", "properties": ["p", "q"]})
        report("verdict", PropertyVerdict("p", verdict))
        return then(request, report)

    return work


def other_of_two(request: Request, report: Any) -> Outcome:
    return said(
        request,
        PropertyVerdict("p", Verdict.UNKNOWN, "timeout"),
        PropertyVerdict("q", Verdict.FALSE),
    )


def test_properties_may_be_decided_by_different_members(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    works: Works = {"ic3": first_of_two(Verdict.TRUE, unknown_both), "bmc": other_of_two}
    outcome = played(works, monkeypatch, tmp_path, cores=1).outcome
    assert {v.property: v.verdict for v in outcome.verdicts} == {
        "p": Verdict.TRUE,
        "q": Verdict.FALSE,
    }


def unknown_both(request: Request, report: Any) -> Outcome:
    return said(request, *(PropertyVerdict(name, Verdict.UNKNOWN, "timeout") for name in "pq"))


def test_members_that_contradict_each_other_are_an_internal_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    works: Works = {
        "ic3": first_of_two(Verdict.TRUE, unknown_both),
        "bmc": first_of_two(Verdict.FALSE, unknown_both),
    }
    answer = played(works, monkeypatch, tmp_path, cores=1)
    assert (
        answer.outcome is None
        and answer.problem == "internal"
        and "another engine says true" in answer.message
    )


def test_what_is_refused_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    answer = played({"ic3": refuses, "bmc": spins}, monkeypatch, tmp_path, cores=1)
    assert answer.problem == "refused" and answer.span.line == 3


def remarks_and_dies(request: Request, report: Any) -> Outcome:
    report("request", {"notes": ("read in this way",)})
    return dies(request, report)


def test_remarks_survive_those_who_made_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    outcome = played({"ic3": remarks_and_dies, "bmc": dies}, monkeypatch, tmp_path).outcome
    assert outcome.verdict is Verdict.UNKNOWN and outcome.notes[0] == "read in this way"


def test_limits_are_kept_for_all_together(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    outcome = played({"ic3": spins, "bmc": spins}, monkeypatch, tmp_path, timeout=0.2).outcome
    assert outcome.verdict is Verdict.UNKNOWN and outcome.reason == "timeout"


def hoards(request: Request, report: Any) -> Outcome:
    Path("hoarder").write_text(str(os.getpid()))
    return spins(request, report)


def outlives(request: Request, report: Any) -> Outcome:
    """A member that answers when the one that hoards is gone."""
    while not (Path("hoarder").exists() and (pid := Path("hoarder").read_text())):
        pass
    while Path(f"/proc/{pid}").exists():
        pass
    return true(request, report)


def test_where_memory_is_short_the_largest_member_goes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def sampled(child: Child) -> float:
        return (
            900.0
            if child.name == "ic3" and Path("hoarder").exists() and Path("hoarder").read_text()
            else 10.0
        )

    monkeypatch.setattr(Child, "sample", sampled)
    outcome = played({"ic3": hoards, "bmc": outlives}, monkeypatch, tmp_path, memory=300).outcome
    assert outcome.verdict is Verdict.TRUE and outcome.stats["portfolio"]["winner"] == "bmc"
    assert outcome.stats["portfolio"]["members"][0]["ended"] == "memory"


def best(features: Features) -> str:
    """The engine that begins on inputs with these features."""
    return next(iter(members_for(features)))


def test_members_are_chosen_by_features() -> None:
    assert best(Features("program")) == best(Features("clauses")) == "ic3cfa"
    assert best(Features("system", bits=True)) == "ic3bmc"
    assert "ic3ia" not in members_for(Features("system", bits=True, booleans=True))
    assert best(Features("system")) == "ic3ia"
    assert best(Features("temporal", bits=True)) == "fair" and not members_for(Features("mixed"))
    for kind in ("program", "clauses", "system", "temporal", "branching", "mixed"):
        weights = members_for(Features(kind))
        assert all(name in ENGINES for name in weights)
        assert not weights or weights[best(Features(kind))] == max(weights.values())
    assert best(Features("system", bits=True, steps=9.0)) == "ic3ia"
    assert "ic3bmc" in members_for(Features("system", bits=True), "ic3ia")


def test_a_system_without_words_is_recognised(tmp_path: Path) -> None:
    (tmp_path / "latch.aag").write_text("aag 1 0 1 0 0 1\n2 2\n2\n")
    (tmp_path / "word.btor2").write_text(
        "1 sort bitvec 4\n2 state 1\n3 sort bitvec 1\n4 redand 3 2\n5 bad 4\n"
    )
    assert of_system(load_aiger(tmp_path / "latch.aag")).booleans
    assert not of_system(load_btor2(tmp_path / "word.btor2")).booleans


def test_named_members_and_their_settings() -> None:
    assert named_members("ic3, bmc,ic3") == ("ic3", "bmc") and named_members("auto") == ()
    with pytest.raises(ConfigError, match="unknown engine 'ic4'"):
        named_members("ic3,ic4")
    shared = frozenset(["reduction"])
    settings = {"reduction": "1", "bmc.depth": "3"}
    assert own_settings("bmc", ("bmc", "ic3"), settings, shared) == {"reduction": "1", "depth": "3"}
    assert own_settings("ic3", ("bmc", "ic3"), settings, shared) == {"reduction": "1"}
    with pytest.raises(ConfigError, match=r"ENGINE\.depth=value"):
        own_settings("bmc", ("bmc",), {"depth": "3"}, shared)


def test_presets_and_logs_need_one_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for given in ({"preset": "A"}, {"log": "x"}):
        answer = played({"ic3": true, "bmc": true}, monkeypatch, tmp_path, **given)
        assert answer.problem == "usage" and "one engine" in answer.message


def test_what_the_first_member_prefers(tmp_path: Path) -> None:
    file = tmp_path / "x.smv"
    file.write_text(
        "MODULE main\nVAR x : boolean;\nASSIGN init(x) := FALSE; next(x) := !x;\n"
        "INVARSPEC x | !x\nLTLSPEC G F x\nCTLSPEC AG EF x\n"
    )
    outcome = verify(file, "auto", timeout=60.0)
    assert [v.verdict for v in outcome.verdicts] == [Verdict.TRUE] * 3
    outcome = verify(file, "auto", timeout=60.0, property="ltl: G F x")
    assert (
        outcome.verdict is Verdict.TRUE
        and outcome.stats["portfolio"]["members"][0]["engine"] == "fair"
    )


def test_a_real_input(tmp_path: Path) -> None:
    file = tmp_path / "x.ivl"
    file.write_text(
        "proc main() { var x: int; x := 0; while (x < 10) { x := x + 1; } assert x == 10; }\n"
    )
    outcome = verify(file, "auto", timeout=60.0)
    assert outcome.verdict is Verdict.TRUE and outcome.certificate is not None
    assert outcome.stats["portfolio"]["winner"] in members_for(Features("program"))


def test_by_default_others_may_help_unless_something_belongs_to_one_engine() -> None:
    for settings in ({}, {"reduction": "1", "bmc.bound": "3"}, {"deterministic": "true"}):
        assert helped(Request("x.c", settings=settings)).asks_several()
    for given in (
        {"engine": "bmc"},
        {"preset": "A"},
        {"log": "x"},
        {"debug": True},
        {"settings": {"generalize": "none"}},
    ):
        assert not helped(Request("x.c", **given)).asks_several()
    assert not Request("x.c").asks_several() and Request("x.c", "auto").asks_several()


def test_the_first_member_begins_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("obligato.api.portfolio.HEAD_START_S", 0.2)
    monkeypatch.chdir(tmp_path)

    def work(own: Request, report: Any) -> Outcome:
        if own.engine:
            return true(own, report)
        report("request", {"engine": "ic3ia"})
        report("features", Features("system"))
        return spins(own, report)

    answer = run_portfolio(
        Request("made-up.vmt", property="p", timeout=60.0, several=True), work, cores=4
    )
    assert answer.outcome is not None
    told = answer.outcome.stats["portfolio"]
    assert told["schedule"][0] == "ic3ia" and told["members"][0]["cpu_s"] >= 0.2
    assert (
        answer.outcome.engine == told["winner"]
        and told["winner"] in list(members_for(Features("system")))[1:]
    )


def test_no_member_starts_when_the_time_is_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def ends(request: Request, report: Any) -> Outcome:
        deadline = monotonic() + (request.timeout or 0.0)
        while monotonic() < deadline:
            pass
        return said(request, PropertyVerdict("p", Verdict.UNKNOWN, "timeout"))

    monkeypatch.setattr("obligato.api.portfolio.HEAD_SHARE", 10.0)
    outcome = played(
        {"ic3": ends, "bmc": true}, monkeypatch, tmp_path, cores=1, timeout=0.3
    ).outcome
    assert outcome.reason == "timeout" and outcome.stats["portfolio"]["schedule"] == ["ic3"]


def scheduled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cores: int | None
) -> tuple[list[str], dict[str, float]]:
    """The turns of members that never answer, of which the first has three times the weight, and
    what processor time each has had.
    """
    monkeypatch.setattr("obligato.api.portfolio.HEAD_START_S", 0.3)
    monkeypatch.setattr("obligato.api.portfolio.TURN_S", 0.1)
    monkeypatch.setattr(
        "obligato.api.portfolio.members_for", lambda *_: {"ic3ia": 3.0, "bmc": 1.0, "itp": 1.0}
    )
    monkeypatch.chdir(tmp_path)

    def work(own: Request, report: Any) -> Outcome:
        if not own.engine:
            report("features", Features("system"))
        return spins(own, report)

    request = Request("made-up.vmt", property="p", timeout=5.0, several=True)
    outcome = run_portfolio(request, work, cores=cores).outcome
    assert outcome is not None and outcome.reason == "timeout"
    told = outcome.stats["portfolio"]
    return told["schedule"], {m["engine"]: m["cpu_s"] for m in told["members"]}


def test_time_is_given_by_weight(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    schedule, _ = scheduled(monkeypatch, tmp_path, 1)
    assert schedule[:4] == ["ic3ia", "bmc", "itp", "ic3ia"]
    assert all(a != b for a, b in pairwise(schedule))
    used = [{"cpu_s": 0.0} for _ in range(3)]
    members = [
        Member("", weight, cast(Child, SimpleNamespace(usage=usage)))
        for weight, usage in zip((3.0, 1.0, 1.0), used, strict=True)
    ]
    for _ in range(50):
        min(members, key=rank).child.usage["cpu_s"] += 1.0  # type: ignore[union-attr]
    assert [m.cpu_s for m in members] == [30.0, 10.0, 10.0]


def test_on_several_cores_the_first_member_is_never_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    schedule, used = scheduled(monkeypatch, tmp_path, 2)
    assert schedule.count("ic3ia") == 1 and {"bmc", "itp"} <= set(schedule)
    assert used["ic3ia"] >= max(used.values())


def test_where_processor_time_is_limited_one_core_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda _: (60, 61))
    assert useful_cores() == 1 and allowed_cpu_s() == 60.0
    monkeypatch.setattr("resource.getrlimit", lambda _: (-1, -1))
    assert useful_cores() == len(os.sched_getaffinity(0)) and allowed_cpu_s() == inf


def test_what_is_known_later_chooses_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("obligato.api.portfolio.HEAD_START_S", 0.2)
    monkeypatch.chdir(tmp_path)

    def work(own: Request, report: Any) -> Outcome:
        if own.engine:
            return unknown(own, report)
        report("request", {"engine": "ic3ia"})
        report("features", Features("system", bits=True))
        report("features", Features("system", bits=True, steps=9.0))
        deadline = monotonic() + 1.0
        while monotonic() < deadline:
            pass
        return unknown(own, report)

    request = Request("made-up.vmt", property="p", timeout=60.0, several=True)
    outcome = run_portfolio(request, work, cores=1).outcome
    assert outcome is not None
    told = outcome.stats["portfolio"]["members"]
    assert [m["engine"] for m in told] == list(members_for(Features("system", steps=9.0)))


def test_control_flow_is_a_feature(tmp_path: Path) -> None:
    turns = " ".join(
        f"(and (= l {n}) (= l1 {(n + 1) % 8}) (= x1 (+ x {n // 7})))" for n in range(8)
    )
    file = tmp_path / "ring.vmt"
    file.write_text(
        "(declare-fun l () Int)(declare-fun l1 () Int)(declare-fun x () Int)"
        "(declare-fun x1 () Int)(define-fun .l () Int (! l :next l1))"
        "(define-fun .x () Int (! x :next x1))"
        "(define-fun .init () Bool (! (and (= l 0) (= x 0)) :init true))"
        f"(define-fun .trans () Bool (! (or {turns}) :trans true))"
        "(define-fun .p () Bool (! (>= x 0) :invar-property 0))"
    )
    told: list[Features] = []
    Run(
        Request(str(file), timeout=60.0),
        lambda kind, data: told.append(data) if kind == "features" else None,
    ).outcome()
    assert [f.steps >= BLOCK for f in told] == [False, True]
    assert members_for(told[0]) != members_for(told[1])


def test_who_has_a_claim_may_check_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("obligato.api.portfolio.HEAD_START_S", 0.1)
    monkeypatch.setattr("obligato.api.portfolio.TURN_S", 0.1)

    def checks_long(request: Request, report: Any) -> Outcome:
        report("stage", "check")
        while process_time() < 1.0:
            pass
        return true(request, report)

    works: Works = {"ic3": spins, "bmc": checks_long, "ic3ia": spins}
    outcome = played(works, monkeypatch, tmp_path, cores=1).outcome
    assert outcome.stats["portfolio"]["schedule"] == ["ic3", "bmc"]


def test_a_check_without_end_has_no_more_than_its_share() -> None:
    member = Member("bmc", child=SimpleNamespace(usage={"cpu_s": 2.0}))  # type: ignore[arg-type]
    member.enters("check")
    assert member.settling
    member.child.usage["cpu_s"] = 3.0 + 2 * 2.0 + SETTLE_S  # type: ignore[union-attr]
    assert not member.settling and member.had == 2.0 + 3.0
    member.enters("bmc")
    assert member.had == member.cpu_s == 12.0
    member.enters("lift")
    member.enters("check")
    assert member.settling and member.found_at == 12.0
