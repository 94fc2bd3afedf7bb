"""The transition system of a file. `load` and `parse` read it; `analysed` says which nodes are
analysed.

All main nodes, or if none is marked all nodes that no other node calls, are analysed with the
properties of all instances. Where there are several, each has its own inputs, and what one assumes
does not constrain the others.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path

from obligato.errors import NO_SPAN, InputError, Span, Unsupported
from obligato.frontends.lustre import syntax as s
from obligato.frontends.lustre.builder import Builder, Ticks
from obligato.frontends.lustre.calls import Calls
from obligato.frontends.lustre.equations import check_scope
from obligato.frontends.lustre.instances import Instance, Thunk
from obligato.frontends.lustre.merging import choose_starts, classes
from obligato.frontends.lustre.parser import parse as parse_program
from obligato.frontends.lustre.refinements import restriction
from obligato.frontends.lustre.scopes import Scope, World
from obligato.frontends.lustre.tables import snapshot
from obligato.frontends.lustre.types import BOOL as LUSTRE_BOOL
from obligato.frontends.lustre.types import Free, Machine
from obligato.frontends.lustre.typing import expect
from obligato.frontends.lustre.values import Value, mapped
from obligato.frontends.reading import nested, read_text
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional
from obligato.terms import BOOL, Substitution, Term, TermStore

INLINE, MODULAR = "inline", "modular"
NOTHING_CLAIMED = "nothing is claimed"


@dataclass(frozen=True, slots=True)
class LustreModel:
    """A file's program and system; `streams` are those of the (first) node that is analysed, by
    name.
    """

    world: World
    system: TransitionSystem
    streams: dict[str, Value]


def load(file: str | Path, contracts: str = INLINE) -> TransitionSystem:
    """The transition system in a file, in a store that does not simplify; `contracts`: see
    `read`. Its `source` tells, by prefixes of nodes, what is true as long as their assumptions are.
    """
    return read(read_text(file), str(file), contracts).system


def read(text: str, file: str = "<text>", contracts: str = INLINE) -> LustreModel:
    """The model that a text describes: `inline`, main nodes with the bodies of what they call;
    `modular`, all nodes, where a contract stands for the body of a call.
    """
    return nested(
        lambda: _Reader(World(parse_program(text, file), contracts == MODULAR)).model(), file
    )


def analysed(world: World) -> list[s.Node]:
    """The nodes that are analysed."""
    program = world.program
    nodes = [n for n in program.nodes.values() if not n.imported]
    if world.modular:
        return nodes
    main = [n for n in nodes if n.main]
    if main:
        return main
    called: set[str] = set()
    for d in (
        *program.nodes.values(),
        *program.contracts.values(),
        *program.types.values(),
        *program.constants.values(),
    ):
        called |= _called(d)
    return [n for n in nodes if n.name not in called] or nodes[-1:]


def _called(d: s.Declared) -> set[str]:
    out: set[str] = set()
    todo: list[object] = [d]
    while todo:
        x = todo.pop()
        if isinstance(x, s.Call):
            out.add(x.name)
        if hasattr(x, "__dataclass_fields__") and not isinstance(x, Span):
            todo.extend(getattr(x, f.name) for f in fields(x))  # type: ignore[arg-type]
        elif isinstance(x, tuple):
            todo.extend(x)
    return out


def top_scope(world: World, node: s.Node) -> Scope:
    """The scope of a node that is analysed: of its type parameters nothing is known."""
    return world.scope(node, tuple([Free(p) for p in node.params]), {})


class _Reader:
    def __init__(self, world: World) -> None:
        self.world, self.program = world, world.program
        self.builder = Builder()
        self.calls = Calls(self.world, self.builder)
        self.possible: dict[str, Term] = {}  # by prefix

    def model(self) -> LustreModel:
        """Translate all analysed nodes."""
        nodes = analysed(self.world)
        if not nodes:
            raise InputError("there is no node to analyse", Span(self.program.file, 1, 1))
        self._constants()
        tops = [self._top(n, len(nodes) > 1) for n in nodes]
        self.calls.assumed_sizes(self.calls.constants)
        values = {name: snapshot(tops[0].value(name)) for name in tops[0].scope.variables}
        self.builder.universe.finish()
        system, put = self._system()
        streams = {name: mapped(value, put) for name, value in values.items()}
        possible = {prefix: put(x) for prefix, x in self.possible.items()}
        named = replace(_named(system, tops, put), source=possible)
        return LustreModel(self.world, named, streams)

    def _constants(self) -> None:
        """Global constants keep to their types."""
        scope = self.world.globals
        for name in self.program.constants:
            scope.lookup(name)
        check_scope(scope)
        for name, v in list(scope.declared.items()):
            formula = restriction(scope, v)
            self.calls.constant(name)
            if formula is not None:
                expect(scope, formula, LUSTRE_BOOL)
                defined = name in scope.body.definitions
                value = self.calls.formula(
                    formula, replace(self.calls.constants.place, sign=1 if defined else -1)
                )
                if defined:
                    self.builder.prove(f"type of {name}", value, v.span)
                else:
                    self.builder.constrain(value)
        self.builder.run()

    def _top(self, node: s.Node, several: bool) -> Instance:
        scope = top_scope(self.world, node)
        b, prefix = self.builder, f"{node.name}." if several else ""
        before, done = len(b.constraints), len(b.properties)
        inputs: dict[str, Thunk] = {}
        for v in node.inputs:
            t = scope.variables[v.name]
            value = b.frozen(prefix + v.name, t) if v.const else b.free(prefix + v.name, t)
            inputs[v.name] = lambda value=value: value  # type: ignore[misc]
        ticks = Ticks(b, None, None, prefix)
        ticks.share(self.calls.base)
        top = Instance(self.calls, scope, ticks, prefix, inputs)
        self.calls.start(top, top=True)
        b.run()
        if several and len(b.constraints) > before:
            self._apart(prefix, before, done)
        return top

    def _apart(self, prefix: str, before: int, done: int) -> None:
        """The constraints of one node of several concern its own properties only."""
        b, st = self.builder, self.builder.store
        own = list(b.constraints)[before:]
        for c in own:
            del b.constraints[c]
        x = self.possible[prefix] = b.state(f"{prefix}possible", BOOL, f"{prefix}possible", st.true)
        now = st.and_(x, *own)
        b.cells[x].next = now
        for name, f in list(b.properties)[done:]:
            b.prove(name, st.implies(now, f), b.properties.pop((name, f)))

    def _system(self) -> tuple[TransitionSystem, Substitution]:
        b, st = self.builder, self.builder.store
        leader = classes(b.cells)
        put = Substitution({x: y for x, y in leader.items() if x is not y})
        next_: dict[Term, Term] = {}
        start = [put(f) for f in b.start]
        chosen = choose_starts(b.cells, self.calls.base.first_or_none)
        for x, cell in b.cells.items():
            if leader[x] is x:
                assert cell.next is not None
                next_[x] = put(cell.next)
                start += _start(st, x, cell.start or chosen.get(x))
        if not b.properties:
            b.prove(NOTHING_CLAIMED, st.true, NO_SPAN)
            b.notes[
                "there are no properties: types, clocks and definitions were checked, nothing else"
            ] = None
        properties, names = [], dict[str, int]()
        for (name, formula), span in b.properties.items():
            names[name] = names.get(name, 0) + 1
            shown = name if names[name] == 1 else f"{name} ({names[name]})"
            properties.append(Assertion(shown, put(formula), span))
        rests = self._rests([p.name for p in properties])
        system = TransitionSystem(
            st,
            tuple(next_),
            tuple(b.inputs),
            st.and_(*start),
            functional(st, next_),
            tuple(properties),
            constraints=tuple(put(c) for c in (*b.ranges, *b.constraints)),
            next=next_,
            total=True,
            display=dict(b.display),
            notes=tuple(b.notes),
            rests=rests,
        )
        return system, put

    def _rests(self, properties: list[str]) -> dict[str, tuple[str, ...]]:
        """For each property of a node with contracts instead of bodies: the properties of the nodes
        that they belong to.
        """
        rests, nodes = self.builder.rests, self.program.nodes
        for name in rests:
            reached: dict[str, None] = {}
            todo = [*rests[name]]
            while todo:
                reached[todo[-1]] = None
                todo += [n for n in rests.get(todo.pop(), ()) if n not in reached]
            if name in reached:
                raise Unsupported(f"{name} calls itself", nodes[name].span, "recursion")
        if self.world.assumed:
            sizes = ", ".join(f"{name} = {n}" for name, n in self.world.assumed.items())
            note = (
                f"arrays of symbolic size are analysed with {sizes} only: properties are refuted,"
                " not proved"
            )
            self.builder.notes[note] = None
            return dict.fromkeys(properties, (f"arrays of other sizes than {sizes}",))
        own = {name: [p for p in properties if p.startswith(f"{name}.")] for name in nodes} | {
            "": properties
        }
        return {
            p: tuple([q for n in rests[name] for q in own[n]]) for name in rests for p in own[name]
        }


def _named(system: TransitionSystem, tops: list[Instance], put: Substitution) -> TransitionSystem:
    """The system with the scalar streams of the analysed nodes by the names that temporal formulas
    use.
    """
    found: dict[str, Term] = {}
    signed: set[str] = set()
    for top in tops:
        for name, t in top.scope.variables.items():
            value = top.value(name)
            if isinstance(value, Term):
                found[top.prefix + name] = put(value)
                signed |= {top.prefix + name} if isinstance(t, Machine) and t.signed else set()
    return replace(system, signals=found, signed=frozenset(signed))


def _start(st: TermStore, x: Term, value: Term | None) -> list[Term]:
    if value is None:
        return []
    return [st.eq(x, value) if x.sort is not BOOL else x if value is st.true else st.not_(x)]
