"""Counterexamples: run by the interpreter, and shown as streams. `replay` carries the idea.

The trace of the transition system says what the program leaves open: inputs, first values, choices.
The interpreter computes everything else by itself and must see the same violation.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from obligato.errors import InternalError
from obligato.frontends.lustre.contents import Contents
from obligato.frontends.lustre.parser import parse
from obligato.frontends.lustre.scopes import World
from obligato.frontends.lustre.simulate import Impossible, Simulation, Step
from obligato.frontends.lustre.system import INLINE, MODULAR, analysed
from obligato.frontends.lustre.types import (
    Array,
    Data,
    Enum,
    Free,
    Listed,
    Machine,
    Record,
    Table,
    Tuple,
    Type,
    has_table,
)
from obligato.frontends.lustre.values import parts
from obligato.frontends.reading import nested, read_text
from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.terms.numerals import number_text

Stream = tuple[str, str, tuple[str, ...]]  # kind (input, output, local), name, value at each step
ABSTRACT = (
    "contracts stand for the bodies of calls, so the counterexample need not be a run of the"
    " program"
)
SEVERAL = (
    "several nodes are analysed, and the run need not keep to the assumptions of all of them; mark"
    " one as main"
)
LOOSE = "the counterexample gives a function two results for the same arguments"
UNDEFINED = "the counterexample reads a field that a value does not have"
TABLES = "the counterexample does not say enough about the sets and maps of the program"


class TraceOracle:
    """Answers from a complete trace of the transition system."""

    def __init__(self, trace: SystemTrace) -> None:
        self.trace = trace
        self.tables = False  # sets or maps were asked for

    def now(self, label: str, t: Type, step: int) -> Any:
        """An input at a step."""
        self.tables = self.tables or has_table(t)
        return decode(t, lambda suffix: self.trace.steps[step].inputs[label + suffix])

    def fixed(self, label: str, t: Type) -> Any:
        """A constant: a state variable that never changes; of a table perhaps rows that the steps
        tell one after the other.
        """
        self.tables = self.tables or has_table(t)
        if not has_table(t):
            return decode(t, lambda suffix: self.trace.steps[0].state[label + suffix])
        return merged(t, [decode(t, _either(label, step)) for step in self.trace.steps])

    def first(self, label: str, t: Type) -> Any:
        """What a `pre` is before there was anything: its state variables at the start."""
        self.tables = self.tables or has_table(t)
        return decode(t, lambda suffix: self.trace.steps[0].state[label + suffix])


def _either(label: str, step: SystemStep) -> Callable[[str], Any]:
    values = {**step.inputs, **step.state}
    return lambda suffix: values[label + suffix]


def merged(t: Type, values: list[Any]) -> Any:
    """One constant from what several steps tell about it."""
    inner = parts(t)
    if isinstance(t, Table):
        entries = {k: v for value in reversed(values) for k, v in value.entries.items()}
        return Contents(entries, values[0].absent)
    if inner is None or isinstance(t, Data):
        return values[0]
    return tuple([merged(pt, [v[n] for v in values]) for n, (_, pt) in enumerate(inner)])


def _rows(t: Table, get: Callable[[str], Any], suffix: str) -> Contents:
    """A table of which rows are told: keys, whether they are there, and values."""
    entries: dict[Any, Any] = {}
    others: dict[Any, Any] = {}
    n = 0
    while (here := _told(get, f"{suffix}.row{n}.in")) is not None:
        key = decode(t.key, get, f"{suffix}.row{n}.key")
        value = None if t.value is None else decode(t.value, get, f"{suffix}.row{n}.value")
        (entries if here else others).setdefault(key, value)
        n += 1
    return Contents(entries, lambda key: others[key] if key in others else default(t.value))


def _told(get: Callable[[str], Any], suffix: str) -> Any:
    try:
        return get(suffix)
    except KeyError:
        return None


def default(t: Type | None) -> Any:
    """Some value of a type."""
    assert t is not None
    if isinstance(t, Table):
        return Contents({}, lambda key: default(t.value))
    return decode(t, lambda suffix: 0)


def decode(t: Type, get: Callable[[str], Any], suffix: str = "") -> Any:
    """The interpreter's value of a type from the scalars of the transition system, which `get`
    finds by suffix.
    """
    if isinstance(t, Table):
        return _rows(t, get, suffix)
    inner = parts(t)
    if inner is None:
        value = get(suffix)
        return t.wrap(value) if isinstance(t, Machine) else value
    if not isinstance(t, Data):
        return tuple([decode(pt, get, suffix + p) for p, pt in inner])
    constructor, fields = t.constructors[get(f"{suffix}.is")]
    return (
        constructor,
        tuple([decode(ft, get, f"{suffix}.{constructor}.{f}") for f, ft in fields]),
    )


def replay(
    file: str, trace: SystemTrace, violated: str | None, contracts: str = INLINE
) -> tuple[tuple[Stream, ...], str]:
    """The streams of the node that a counterexample is about, and a doubt about it if there is one.

    Raises InternalError where the interpreter does not see a run that violates the property;
    without a property (the lasso of a temporal formula), where it does not see a run.
    """
    return nested(
        lambda: _replay(World(parse(read_text(file), file), contracts == MODULAR), trace, violated),
        file,
    )


def _replay(
    world: World, trace: SystemTrace, violated: str | None
) -> tuple[tuple[Stream, ...], str]:
    program, nodes = world.program, analysed(world)
    for name in program.constants:
        world.globals.lookup(name)
    if violated is None and len(nodes) > 1:
        return (), SEVERAL
    node = next((n for n in nodes if violated and violated.startswith(f"{n.name}.")), nodes[0])
    oracle = TraceOracle(trace)
    simulation = Simulation(world, node, oracle, f"{node.name}." if len(nodes) > 1 else "")
    try:
        steps = [simulation.step() for _ in trace.steps]
    except (Impossible, KeyError) as problem:
        if oracle.tables:
            return (), TABLES
        raise InternalError(f"the interpreter rejects the trace: {problem}") from problem
    seen = violated is None or _violated(violated, steps[-1])
    if simulation.undefined and (not seen or min(simulation.undefined) < len(steps) - 1):
        return (), UNDEFINED
    if not seen:
        if oracle.tables:
            return (), TABLES
        raise InternalError(f"the interpreter does not see a violation of {violated}")
    doubt = LOOSE if simulation.run.inconsistent else ABSTRACT if simulation.run.abstracted else ""
    return streams(simulation, steps), doubt


def _violated(name: str, step: Step) -> bool:
    """Is a property of that name false? Properties of the same name are numbered by the
    translation.
    """
    base = name.rpartition(" (")[0] if name.endswith(")") else name
    return not step.properties.get(name, step.properties.get(base, True))


def streams(simulation: Simulation, steps: list[Step]) -> tuple[Stream, ...]:
    """The inputs, outputs and locals of a node at all steps."""
    node, scope = simulation.node, simulation.scope
    kinds = (("input", node.inputs), ("output", node.outputs), ("local", node.locals))
    return tuple(
        (
            kind,
            v.name,
            tuple(shown(scope.variables[v.name], step.streams[v.name]) for step in steps),
        )
        for kind, variables in kinds
        for v in variables
    )


def _shown_table(t: Table, value: Any) -> str:
    if t.value is None:
        return "{" + ", ".join(sorted(shown(t.key, k) for k in value.entries)) + "}"
    return (
        "map["
        + "; ".join(
            sorted(f"{shown(t.key, k)} := {shown(t.value, v)}" for k, v in value.entries.items())
        )
        + "]"
    )


def shown(t: Type, value: Any) -> str:
    """A value as it is written in Lustre."""
    if value is None:
        return "?"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(t, Enum):
        return str(t.values[value])
    if isinstance(t, Free):
        return f"{t.name}#{value}"
    if isinstance(t, Record):
        return (
            "{"
            + "; ".join(f"{f} = {shown(ft, v)}" for (f, ft), v in zip(t.fields, value, strict=True))
            + "}"
        )
    if isinstance(t, Array):
        return "[" + ", ".join(shown(t.element, v) for v in value) + "]"
    if isinstance(t, Table):
        return _shown_table(t, value)
    if isinstance(t, Tuple | Listed):
        return "(" + ", ".join(shown(i, v) for i, v in zip(t.items, value, strict=True)) + ")"
    if isinstance(t, Data):
        fields = dict(t.constructors)[value[0]]
        inner = ", ".join(shown(ft, v) for (_, ft), v in zip(fields, value[1], strict=True))
        return f"{value[0]}({inner})" if fields else str(value[0])
    if isinstance(value, Fraction):
        above, below = number_text(value.numerator), number_text(value.denominator)
        return f"{above}.0" if value.denominator == 1 else f"{above}.0/{below}.0"
    return number_text(value) if isinstance(value, int) else str(value)
