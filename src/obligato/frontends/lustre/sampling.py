"""Random runs of a program, on both readers: the interpreter and the transition system must agree
step by step.

`disagreement` is asked before a proof about a program is reported: nothing else that is independent
of the translation sees a system that has fewer runs than the program. It is a sample, not a proof.
Where sets or maps occur, differences count for nothing: what is read at keys that are not there is
left open in more ways than one.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from obligato.frontends.lustre.parser import parse
from obligato.frontends.lustre.replay import TraceOracle, decode
from obligato.frontends.lustre.scopes import World
from obligato.frontends.lustre.simulate import Impossible, Simulation, Step
from obligato.frontends.lustre.system import INLINE, MODULAR, analysed
from obligato.frontends.lustre.types import Table
from obligato.frontends.lustre.values import parts
from obligato.frontends.reading import nested, read_text
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.terms import Kind, Op, Sort, Term, conjuncts, evaluate, postorder

RUNS, STEPS = 3, 6
WORK = 400_000  # nodes of terms that all runs may evaluate
TRIES = 100  # of inputs that satisfy the constraints
Now = dict[Term, Any]


def disagreement(
    file: str, system: TransitionSystem, seed: int = 0, contracts: str = INLINE
) -> str:
    """What the two readers say differently about a few random runs; empty: nothing."""
    if system.next is None:
        return ""
    size = sum(
        1
        for _ in postorder(
            [*system.next.values(), *system.constraints, *(p.formula for p in system.assertions)]
        )
    )
    rng, runs = random.Random(seed), min(RUNS, WORK // (size * STEPS + 1))
    if not runs:
        return ""
    return nested(lambda: _compared(read_text(file), file, system, rng, runs, contracts), file)


def _compared(
    text: str, file: str, system: TransitionSystem, rng: random.Random, runs: int, contracts: str
) -> str:
    nodes = len(analysed(World(parse(text, file), contracts == MODULAR)))
    for _ in range(runs):
        trace, nows = random_run(system, rng, STEPS, WORK // runs)
        for n in range(nodes):
            found = differences(world_of(text, file, contracts), n, system, trace, nows)
            if found:
                return found[0]
    return ""


def world_of(text: str, file: str = "", contracts: str = INLINE) -> World:
    """A program as the second reader sees it, about which nobody has found out anything yet."""
    world = World(parse(text, file), contracts == MODULAR)
    for name in world.program.constants:
        world.globals.lookup(name)
    return world


def differences(
    world: World,
    number: int,
    system: TransitionSystem,
    trace: SystemTrace,
    nows: list[Now],
    streams: Callable[[Simulation, Step, Now, Now], list[str]] | None = None,
) -> list[str]:
    """What is different at the first step at which something is; `streams` compares more than
    scalar streams and properties.
    """
    nodes = analysed(world)
    node, prefix = nodes[number], f"{nodes[number].name}." if len(nodes) > 1 else ""
    oracle = TraceOracle(trace)
    simulation = Simulation(world, node, oracle, prefix)
    for n, now in enumerate(nows):
        try:
            step = simulation.step()
        except KeyError as missing:
            return [] if oracle.tables else [f"step {n}: the system has no {missing}"]
        except Impossible as e:
            if oracle.tables or _is_impossible(system, prefix, now):
                return []
            return [f"step {n}: only the interpreter finds a violated assumption: {e}"]
        # a property of its own says whether a field can be read; the system has some value there
        if simulation.undefined:
            return []
        memo: Now = {}
        out = _signals(simulation, system, step, now, memo) + (
            streams(simulation, step, now, memo) if streams else []
        )
        out += _properties(system, now, memo, step, prefix)
        if out:
            unknown = oracle.tables and streams is None
            return [] if unknown else [f"step {n}: {problem}" for problem in out]
    return []


def _is_impossible(system: TransitionSystem, prefix: str, now: Now) -> bool:
    """Does the system know, too, that an assumption of the node at `prefix` is violated?"""
    flag = system.source.get(prefix) if system.source else None
    return flag is not None and system.next is not None and not evaluate(system.next[flag], now)


def _signals(
    simulation: Simulation, system: TransitionSystem, step: Step, now: Now, memo: Now
) -> list[str]:
    out: list[str] = []
    for name, t in simulation.scope.variables.items():
        signal = system.signals.get(simulation.prefix + name)
        if (
            signal is None
            or name not in step.streams
            or isinstance(t, Table)
            or parts(t) is not None
        ):
            continue
        value = decode(t, lambda _, signal=signal: evaluate(signal, now, memo))  # type: ignore[misc]
        if value != step.streams[name]:
            out.append(f"{name} is {step.streams[name]} / {value}")
    return out


def _properties(
    system: TransitionSystem, now: Now, memo: Now, step: Step, prefix: str
) -> list[str]:
    """Properties of one name are numbered by the translation, and perhaps not all of them are in
    the system: what holds for the interpreter, which knows their conjunction, must hold; what does
    not is compared where the name has one property only.
    """
    out: list[str] = []
    for p in system.assertions:
        base = (
            p.name.rpartition(" (")[0]
            if p.name.endswith(")") and p.name.rpartition(" (")[2][:-1].isdigit()
            else p.name
        )
        name = p.name if p.name in step.properties else base
        # an instance that does not tick has no property for the interpreter; for the system it
        # holds
        value, found = bool(evaluate(p.formula, now, memo)), step.properties.get(name, True)
        if name.startswith(prefix) and value != found and (found or name not in step.shared):
            out.append(f"property {name} is {found} / {value}")
    return out


# -- random runs -----------------------------------------------------------------------------------


def random_value(rng: random.Random, sort: Sort) -> Any:
    """A value of a sort, small ones preferred."""
    if sort.kind is Kind.BOOL:
        return rng.random() < 0.5
    if sort.kind is Kind.BITVEC:
        return rng.choice((0, 1, rng.randrange(1 << sort.width), sort.mask))
    if sort.kind is Kind.REAL:
        return Fraction(rng.randint(-8, 8), rng.choice((1, 2, 3)))
    return rng.choice((0, 1, 2, rng.randint(-9, 9)))


def random_run(
    system: TransitionSystem, rng: random.Random, steps: int, work: int = 1 << 40
) -> tuple[SystemTrace, list[Now]]:
    """Steps up to the first for which no inputs that satisfy the constraints are found; `work`
    limits the attempts.
    """
    assert system.next is not None
    state: Now = {}
    for _ in range(200):
        state = {x: random_value(rng, x.sort) for x in system.state}
        for f in conjuncts(system.init):
            _fix(f, state)
        if evaluate(system.init, state):
            break
    else:
        return SystemTrace(()), []
    size = 1 + sum(1 for _ in postorder(system.constraints))
    tries = max(1, min(TRIES, work // (size * steps)))
    out: list[SystemStep] = []
    nows: list[Now] = []
    for _ in range(steps):
        now = _possible(system, state, rng, tries)
        if now is None:
            break
        out.append(
            SystemStep(
                {x.name: v for x, v in state.items()}, {i.name: now[i] for i in system.inputs}
            )
        )
        nows.append(now)
        memo: Now = {}
        state = {x: evaluate(e, now, memo) for x, e in system.next.items()}
    return SystemTrace(tuple(out)), nows


def _possible(system: TransitionSystem, state: Now, rng: random.Random, tries: int) -> Now | None:
    keys = {
        c.args[0]: c.args[1] for f in system.constraints for c in conjuncts(f) if _is_row_key(c)
    }
    for _ in range(tries):
        now = dict(state)
        for i in system.inputs:
            now[i] = evaluate(keys[i], now) if i in keys else random_value(rng, i.sort)
        memo: Now = {}
        if all(evaluate(c, now, memo) for c in system.constraints):
            return now
    return None


def _is_row_key(c: Term) -> bool:
    """Does a conjunct say which key a row of a set or map is about?"""
    return (
        c.op is Op.EQ
        and c.args[0].is_var
        and ".row" in c.args[0].name
        and c.args[0].name.endswith(".key")
    )


def _fix(f: Term, state: Now) -> None:
    """Take over a start value that a conjunct of the initial condition gives."""
    if f.is_var:
        state[f] = True
    elif f.op is Op.NOT and f.args[0].is_var:
        state[f.args[0]] = False
    elif f.op is Op.EQ and f.args[0].is_var:
        state[f.args[0]] = evaluate(f.args[1], {})
