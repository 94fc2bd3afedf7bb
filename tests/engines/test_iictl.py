"""`iictl` on random finite systems, judged by the checker and explicit labelling; claims that are
none; deliberate faults.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace

import pytest

from obligato.engines import iictl
from obligato.engines.environment import Environment
from obligato.engines.ic3.service import Path, State
from obligato.engines.ic3ts.cube import Cube
from obligato.engines.iictl.cycles import Cycles
from obligato.engines.iictl.engine import Iictl
from obligato.engines.iictl.entries import Entries
from obligato.engines.iictl.graph import Node
from obligato.engines.iictl.model import Model, Move
from obligato.engines.iictl.reach import PutOff, Reach
from obligato.engines.iictl.walks import Walks
from obligato.models import ctl
from obligato.models.ctl import Formula, atom, prepared
from obligato.models.ctl_claims import Bounds, CubeStep, Entry, Leads, Leaves, Loops, Separates
from obligato.models.properties import CtlProperty
from obligato.models.transition_system import TransitionSystem, functional
from obligato.models.ts_bits import BitSystem
from obligato.results.checking.certificate import Status
from obligato.results.checking.ctl import check_bounds
from obligato.results.checking.solving import chain
from obligato.results.outcome import CtlResult, Verdict
from obligato.smt import SolverStats
from obligato.terms import BOOL, TermStore
from tests.engines.ctl_judge import checked, objection, proved
from tests.support.ctl import holds, random_ctl_system
from tests.support.volume import parts

OPTIONS = (
    iictl.Options(),
    iictl.Options(walks=0, descents=0),
    iictl.Options(generalize=False, walks=0),
    iictl.Options(drop=False, merge=0, descents=3, budget=20),
    iictl.Options(ctg=0, drop_literals=False, walks=0, descents=0),
)


@pytest.mark.parametrize("block", parts(6, 4))
def test_random_formulas(block: int) -> None:
    for seed in range(50 * block, 50 * block + 50):
        system = random_ctl_system(seed, 2 + seed % 7)
        assert (
            objection(system, holds(system), OPTIONS[seed % len(OPTIONS)], 3 * (seed % 2)) is None
        ), seed


# -- small systems whose answers are known ---------------------------------------------------------


def switch(formula: Formula, constraint: str = "", fair: tuple[str, ...] = ()) -> TransitionSystem:
    """x is switched on by the input i and stays on; a constraint and fairness sets by name, ~
    negates.
    """
    s = TermStore.raw()
    x, i = s.var("x", BOOL), s.var("i", BOOL)
    named = {"x": x, "i": i, "~x": s.not_(x), "~i": s.not_(i)}
    next_ = {x: s.or_(x, i)}

    def here(f: Formula) -> Formula:
        return atom(named[f.op]) if f.op in named else Formula(f.op, tuple(map(here, f.args)))

    return TransitionSystem(
        s,
        (x,),
        (i,),
        s.not_(x),
        functional(s, next_),
        (CtlProperty("ctl", here(formula)),),
        (named[constraint],) if constraint else (),
        next=next_,
        fairness=tuple(named[f] for f in fair),
    )


def f(op: str, *args: Formula | str) -> Formula:
    return Formula(op, tuple(Formula(a) if isinstance(a, str) else a for a in args))


@pytest.mark.parametrize(
    ("formula", "constraint", "fair", "expected"),
    [
        (f("EF", "x"), "", (), True),
        (f("AF", "x"), "", (), False),
        (f("AF", "x"), "", ("i",), True),
        (f("AG", f("EF", "x")), "", (), True),
        (f("EG", "~x"), "", ("i",), False),
        (f("EX", "x"), "~i", (), False),
        (f("AX", "x"), "i", (), True),
        (f("EX", "true"), "x", (), False),  # no step at all: no E formula holds,
        (f("AX", "false"), "x", (), True),
        (f("AG", "x"), "x", (), True),  # every A formula does
        (f("EF", "x"), "~x", (), False),  # x is a deadlock: it counts as unreachable
        (f("EU", "~x", "x"), "", (), True),
        (f("AW", "~x", "x"), "", (), True),
        (f("AR", "x", "~x"), "", (), False),
        (
            f("AG", f("->", "i", f("AX", "x"))),
            "",
            (),
            True,
        ),  # the formula names the input: a state is (x, i)
        (f("EX", f("&", "x", "~i")), "", (), False),
        (f("->", "i", f("EX", f("&", "x", "~i"))), "", (), True),
        (f("EX", "true"), "", ("x", "~x"), False),  # no fair path
    ],
)
def test_known_answers(
    formula: Formula, constraint: str, fair: tuple[str, ...], expected: bool
) -> None:
    system = switch(formula, constraint, fair)
    assert holds(system) is expected
    assert objection(system, expected, iictl.Options()) is None


def test_statistics() -> None:
    env = Environment()
    result = proved(random_ctl_system(7, 8), iictl.Options(), 3, env)
    assert result.verdict is not Verdict.UNKNOWN and {"state_bits", "gates"} <= set(env.counters)


def far_loser() -> TransitionSystem:
    """A counter of four bits goes on with the input i and stays when it is full; y is what the input
    j is, until then. Only from where the counter is full no way leads to y.
    """
    s = TermStore.raw()
    bits = [s.var(f"n{k}", BOOL) for k in range(4)]
    y, i, j = s.var("y", BOOL), s.var("i", BOOL), s.var("j", BOOL)
    full = s.and_(*bits)
    next_ = {b: s.ite(s.and_(i, s.not_(full), *bits[:k]), s.not_(b), b) for k, b in enumerate(bits)}
    next_[y] = s.and_(j, s.not_(full))
    return TransitionSystem(
        s,
        (*bits, y),
        (i, j),
        s.and_(*(s.not_(b) for b in (*bits, y))),
        functional(s, next_),
        (CtlProperty("ctl", Formula("AG", (Formula("EF", (atom(y),)),))),),
        next=next_,
    )


def test_a_state_far_away_refutes() -> None:
    """The initial states and all near them satisfy EF y."""
    system, env = far_loser(), Environment()
    assert holds(system) is False
    assert objection(system, False, iictl.Options()) is None
    assert proved(system, iictl.Options(), 0, env).verdict is Verdict.FALSE
    assert env.counters["far_states"] == 1
    # all questions were about EF y: no path to a state without it was asked for
    assert env.counters["eu_questions"] == 1


def test_runs_to_far_states_are_runs() -> None:
    system = far_loser()
    model = Model(BitSystem(prepared(system), system.state), Environment(seed=3))
    for steps, end in Walks(model, 100).far(0, 1, -model.gate((5,))):
        states = [state for state, _ in steps] + [end]
        assert states[0] == 0 and len(set(states)) == len(states)
        for (state, move), after in zip(steps, states[1:], strict=True):
            assert model.successor(state, move) == after
        assert not end >> 5 & 1
    model.close()


def test_a_question_about_a_far_state_is_given_up() -> None:
    system = far_loser()
    model = Model(BitSystem(prepared(system), system.state), Environment())
    reach = Reach(model, iictl.Options())
    reach.begin(0)
    with pytest.raises(PutOff):
        reach.ask(model.gate((1, 2, 3, 4)), [], steps=3)
    assert isinstance(reach.ask(model.gate((1, 2, 3, 4)), []), Path)
    reach.close()
    model.close()


# -- claims that are none --------------------------------------------------------------------------


def mutants(system: TransitionSystem, claim: Bounds, rng: random.Random) -> Iterable[Bounds]:
    """Claims that differ from an accepted one; some of them are right all the same."""
    s, entries = TermStore.raw(), list(claim.entries)
    zeros = {x.name: False if x.sort is BOOL else 0 for x in system.state}
    yield replace(claim, start=zeros if claim.start is None else None)
    yield Bounds(claim.invariant, (), claim.start)
    for n in rng.sample(range(len(entries)), min(3, len(entries))):
        yield replace(claim, entries=tuple(entries[:n] + entries[n + 1 :]))
        yield replace(claim, entries=(*entries[:n], _mangled(s, entries[n]), *entries[n + 1 :]))
        yield replace(
            claim,
            entries=(_mangled(s, entries[n]), *entries),
            start=zeros if claim.start is None else None,
        )


def _mangled(s: TermStore, entry: Entry) -> Entry:
    match entry:
        case Leads():
            return replace(entry, step=CubeStep(s.true, entry.step.inputs, entry.step.follows))
        case Loops():
            return replace(
                entry, steps=(CubeStep(s.true, entry.steps[0].inputs, entry.steps[0].follows),)
            )
        case Leaves():
            return replace(entry, set=s.true)
    return replace(entry, wall=s.not_(s.import_term(entry.wall)))


def test_no_mutant_that_is_wrong_is_accepted() -> None:
    refused, rng = 0, random.Random(1)
    for seed in range(25):
        system = random_ctl_system(seed, 4)
        (p,), expected = system.branching, holds(system)
        claim = proved(system, iictl.Options(), 0).bounds
        assert claim is not None
        for mutant in mutants(system, claim, rng):
            answer = check_bounds(system, p, mutant, chain([BOOL], ("sat",), SolverStats()))
            if answer.status is Status.ACCEPTED:
                assert (mutant.start is None) is expected, seed
            refused += answer.status is Status.REFUTED
    assert refused > 50


def test_malformed_claims_are_refused() -> None:
    system = switch(f("AF", "x"), "", ("i",))
    (p,), s = system.branching, TermStore.raw()
    claim = proved(system, iictl.Options(), 0).bounds
    assert claim is not None
    x, eg = s.var("x", BOOL), Formula("EG", (Formula("!", (Formula("p0"),)),))
    step = CubeStep(x, {"i": True})
    for entry in (
        Leads(Formula("p0"), step),
        Loops(Formula("EX", (Formula("p0"),)), (step,)),
        Loops(eg, ()),
        Leaves(eg, s.var("y", BOOL)),
        Separates(eg, x, (0,)),
        Separates(eg, s.not_(x), ()),
        Leads(Formula("EX", (Formula("p7"),)), step),
        Leads(eg, CubeStep(x, {"i": 2})),
        Leaves(eg, s.true if claim.start is None else x),
    ):
        wrong = replace(claim, entries=(entry,), start={"x": True})
        assert (
            check_bounds(system, p, wrong, chain([BOOL], ("sat",), SolverStats())).status
            is Status.REFUTED
        ), entry
    for invariant in (x, s.not_(x), s.var("z", BOOL)):
        wrong = replace(claim, invariant=invariant)
        assert (
            check_bounds(system, p, wrong, chain([BOOL], ("sat",), SolverStats())).status
            is Status.REFUTED
        )


# -- deliberate faults -----------------------------------------------------------------------------


def complaints(seeds: Iterable[int], calls: int = 300) -> list[str]:
    """What is said against `iictl`, each run cancelled after so many questions; what is unknown
    then is not counted.
    """
    out = []
    for seed in seeds:
        left = [calls]

        def cancelled(left: list[int] = left) -> bool:
            left[0] -= 1
            return left[0] < 0

        system = random_ctl_system(seed, 5, 3)
        problem = objection(
            system, holds(system), iictl.Options(merge=0, walks=0, descents=0), 0, cancelled
        )
        out += [problem] if problem is not None and "not unknown" not in problem else []
    return out


def caught(found: list[str]) -> bool:
    """Did the checker or the engine itself refuse something, and nothing wrong get through?"""
    return bool(found) and not any("expected" in problem for problem in found)


def test_fault_a_lower_bound_without_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    def vacuous(self: Model, state: State, move: Move, wanted: list[int]) -> Cube:
        bits = self.bits
        kept, bits.constraints, bits.step = (bits.constraints, bits.step), [], []
        try:
            return original(self, state, move, wanted)
        finally:
            bits.constraints, bits.step = kept

    original = Model.widen
    monkeypatch.setattr(Model, "widen", vacuous)
    assert caught(complaints(range(80)))


def test_fault_the_wrong_side_of_an_invariant(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(self: Entries, node: Node, cubes: tuple[Cube, ...]) -> None:
        for cube in cubes[:1]:
            original(self, node, tuple((-x,) for x in cube))
        if not cubes:
            original(self, node, ())

    original = Entries.leave
    monkeypatch.setattr(Entries, "leave", wrong)
    assert caught(complaints(range(20)))


def test_fault_fairness_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctl, "_next", lambda fair, f: Formula("EX", (f,)))
    assert caught(complaints(range(80)))


def test_fault_walls_alone_remove_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def everything(self: Iictl, node: Node, state: State) -> bool:
        original_close = Cycles.close_in
        Cycles.close_in = lambda self, cubes: self.skeletons.closed(  # type: ignore[method-assign]
            self.model.outside([*cubes])
        )
        try:
            return original(self, node, state)
        finally:
            Cycles.close_in = original_close  # type: ignore[method-assign]

    original = Iictl._always
    monkeypatch.setattr(Iictl, "_always", everything)
    assert caught(complaints(range(120)))


def test_fault_a_path_that_leaves_the_first_part(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(self: Iictl, state: State, move: Move, wanted: list[int]) -> Cube:
        return original(self, state, move, wanted[1:])

    original = Iictl._cube
    monkeypatch.setattr(Iictl, "_cube", careless)
    assert caught(complaints(range(100)))


def test_results_come_with_what_they_claim() -> None:
    for seed in range(20):
        system = random_ctl_system(seed, 4)
        result: CtlResult = proved(system, iictl.Options(), 3)
        assert (
            checked(system, result).witness["holds"] is (result.verdict is Verdict.TRUE)
            or not system.branching
        )
