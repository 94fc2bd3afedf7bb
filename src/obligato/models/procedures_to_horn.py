"""Recursive programs as Horn clauses: summaries of procedures are relations.

For a procedure p with inputs E (parameters and the globals it uses, as they are at its entry) and
outputs O (results and the globals it changes, at its exit):

    exits p (E, O)      a call of p with E may come back with O
    fails p (E)         a call of p with E may violate an assertion, in p or in what it calls
    p at l (E, X)       a call of p with E may be at location l with the values X of what is live
                        there

One clause for each block between cut points and calls, and for a call two: it comes back, or it
fails. The entry has no inputs, and its failing is false. The clauses are satisfiable iff no run
violates an assertion.

`Encoding` remembers which block each clause is, so that a derivation becomes a run (`runs`),
and a model becomes contracts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from obligato.errors import NO_SPAN
from obligato.models.blocks import cut_points, large_blocks
from obligato.models.cfa import CFA, Edge
from obligato.models.effect import BlockEffect
from obligato.models.gcl import assigned
from obligato.models.horn import Application, Clause, HornSystem, Relation
from obligato.models.importing import import_cfa
from obligato.models.procedures import CallSite, ProcedureCFA, RecursiveProgram, entry_value
from obligato.terms import Substitution, Term, TermStore, free_vars

State = dict[Term, Term]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a clause comes from: a block of a procedure with its effect and the values at its
    start, or a call."""

    procedure: str
    edge: Edge | None  # None: the entry fails, so false
    effect: BlockEffect | None
    start: Mapping[Term, Term]
    inputs: Mapping[Term, Term]  # inputs of edges as they are called in the clause
    call: CallSite | None = None
    begins: bool = False  # at the initial location of its procedure


class ProcedureRelations:
    """The relations of one procedure; variables are those of its CFA."""

    def __init__(self, p: ProcedureCFA, blocks: CFA, store: TermStore, entry: bool) -> None:
        def here(terms: object) -> tuple[Term, ...]:
            return tuple(store.import_term(t) for t in terms)  # type: ignore[attr-defined]

        self.name, self.entry, self.blocks = p.name, entry, blocks
        self.inputs = () if entry else tuple(dict.fromkeys((*here(p.parameters), *here(p.uses))))
        self.outputs = () if entry else tuple(dict.fromkeys((*here(p.results), *here(p.changes))))
        changed = {x for e in blocks.edges for x in assigned(e.command)}
        self.stable = {x: None for x in self.inputs if x not in changed}
        self.olds = {x: entry_value(x) for x in self.inputs}
        self.exits = Relation(
            f"exits {p.name}", tuple(x.sort for x in (*self.inputs, *self.outputs)), NO_SPAN
        )
        self.fails = Relation(f"fails {p.name}", tuple(x.sort for x in self.inputs), NO_SPAN)
        self.live = _live(
            blocks, {} if p.exit is None else {p.exit: dict.fromkeys(self.outputs)}, p, store
        )
        self.at = {
            n: Relation(f"{p.name} at {n}", tuple(x.sort for x in self.variables(n)), loc.span)
            for n, loc in blocks.locations.items()
            if n not in (blocks.initial, blocks.error, p.exit)
        }

    def current(self, location: int) -> list[Term]:
        """The variables whose present values a location's relation is about."""
        return [x for x in self.live.get(location, ()) if x not in self.stable]

    def variables(self, location: int) -> list[Term]:
        """The arguments of a location's relation: values at the entry, then present ones."""
        return [*self.olds.values(), *self.current(location)]


def _live(
    blocks: CFA, ends: Mapping[int, dict[Term, None]], p: ProcedureCFA, store: TermStore
) -> dict[int, dict[Term, None]]:
    """The variables that are read before they are assigned, by location."""
    read: dict[int, tuple[dict[Term, None], dict[Term, None]]] = {}
    known = dict.fromkeys(blocks.variables)
    for e in blocks.edges:
        effect = BlockEffect(store, e.command, f"live!{e.id}!")
        terms = [*effect.guard, *effect.pull.mapping.values()]
        if e.id in p.calls:
            site = p.calls[e.id]
            terms += [store.import_term(t) for t in site.arguments]
        read[e.id] = (
            {x: None for x in free_vars(*terms) if x in known},
            dict.fromkeys(effect.pull.mapping),
        )
    live: dict[int, dict[Term, None]] = {n: dict(ends.get(n, {})) for n in blocks.locations}
    uses = {
        e.id: dict.fromkeys(store.import_term(g) for g in blocks_uses)
        for e, blocks_uses in _called(p, blocks)
    }
    changed = True
    while changed:
        changed = False
        for e in reversed(blocks.edges):
            reads, writes = read[e.id]
            new = {
                **reads,
                **uses.get(e.id, {}),
                **{x: None for x in live[e.target] if x not in writes},
            }
            before = len(live[e.source])
            live[e.source].update(new)
            changed = changed or len(live[e.source]) > before
    return {n: {x: None for x in blocks.variables if x in live[n]} for n in live}


def _called(p: ProcedureCFA, blocks: CFA) -> Iterator[tuple[Edge, Mapping[Term, None]]]:
    """Call edges, each with the globals that the callee uses."""
    for e in blocks.edges:
        if e.id in p.calls:
            yield e, p.used_by_callee[p.calls[e.id].callee]


@dataclass(frozen=True, eq=False)
class Encoding:
    """The clauses, the origin of each, and the relations by procedure."""

    system: HornSystem
    origins: tuple[Origin, ...]
    relations: dict[str, ProcedureRelations]
    program: RecursiveProgram


def encode(program: RecursiveProgram, store: TermStore) -> Encoding:
    """The clauses of a program, in `store`, which simplifies."""
    return _Encoder(program, store).run()


class _Encoder:
    def __init__(self, program: RecursiveProgram, store: TermStore) -> None:
        self.program, self.store = program, store
        self.relations = {
            p.name: ProcedureRelations(p, _blocks(p, store), store, p is program.entry)
            for p in program.all()
        }
        self.clauses: list[Clause] = []
        self.origins: list[Origin] = []
        self.kept: list[str] = []

    def run(self) -> Encoding:
        """Make the clauses of all procedures."""
        for p in self.program.all():
            r = self.relations[p.name]
            for e in r.blocks.edges:
                if e.id in p.calls:
                    self._call(r, e, p.calls[e.id], p)
                else:
                    self._block(r, e, p)
            cuts = cut_points(replace(r.blocks, keep=()))
            self.kept += [r.at[n].name for n in cuts if n in r.at]
            if not r.entry:
                self.kept += [r.exits.name, r.fails.name]
        found = {
            x.name: x
            for r in self.relations.values()
            for x in (*r.at.values(), *(() if r.entry else (r.exits, r.fails)))
        }
        system = HornSystem(
            self.store, found, tuple(self.clauses), self.program.source.file, frozenset(self.kept)
        )
        return Encoding(system, tuple(self.origins), self.relations, self.program)

    def _start(
        self, r: ProcedureRelations, location: int
    ) -> tuple[list[Application], State, State]:
        """The atom of a location, the values of the variables there,
        and those at the procedure's entry."""
        n = len(self.clauses)
        olds = {x: self.store.fresh(f"{x.name}@entry!{n}", x.sort) for x in r.inputs}
        state = {x: self.store.fresh(f"{x.name}!{n}", x.sort) for x in r.blocks.variables}
        begins = location == r.blocks.initial
        state.update({x: olds[x] for x in (r.inputs if begins else r.stable)})
        if begins:
            return [], state, olds
        return (
            [
                Application(
                    r.at[location], (*olds.values(), *(state[x] for x in r.current(location)))
                )
            ],
            state,
            olds,
        )

    def _fresh(self, terms: Mapping[Term, None]) -> dict[Term, Term]:
        return {v: self.store.fresh(f"{v.name}!{len(self.clauses)}", v.sort) for v in terms}

    def _head(
        self, r: ProcedureRelations, p: ProcedureCFA, target: int, state: State, olds: State
    ) -> Application | None:
        if target == r.blocks.error:
            return None if r.entry else Application(r.fails, tuple(olds.values()))
        if target == p.exit:
            return Application(r.exits, (*olds.values(), *(state[x] for x in r.outputs)))
        return Application(r.at[target], (*olds.values(), *(state[x] for x in r.current(target))))

    def _block(self, r: ProcedureRelations, e: Edge, p: ProcedureCFA) -> None:
        if r.entry and e.target == p.exit:
            return
        effect = BlockEffect(self.store, e.command, f"choose!{e.id}!{r.name}!")
        body, state, olds = self._start(r, e.source)
        hidden = effect.variables()
        inputs = self._fresh({v: None for v in hidden if v not in state})
        here = Substitution({**state, **inputs})
        after = {**state, **{x: here(t) for x, t in effect.pull.mapping.items()}}
        head = self._head(r, p, e.target, after, olds)
        origin = Origin(r.name, e, effect, state, inputs, begins=not body)
        self._add(body, [here(g) for g in effect.guard], head, e, origin)

    def _call(self, r: ProcedureRelations, e: Edge, site: CallSite, p: ProcedureCFA) -> None:
        callee = self.relations[site.callee]
        for back in (True, False):
            if back and r.entry and e.target == p.exit:
                continue
            body, state, olds = self._start(r, e.source)
            here = Substitution(state)
            formals = self.program.procedures[site.callee].parameters
            given = dict(zip(formals, site.arguments, strict=True))
            passed = {
                self.store.import_term(x): here(self.store.import_term(t)) for x, t in given.items()
            }
            args = [passed.get(x, state.get(x)) for x in callee.inputs]
            origin = Origin(r.name, e, None, state, {}, site, begins=not body)
            if back:
                out = {
                    x: self.store.fresh(f"{x.name}!out{len(self.clauses)}", x.sort)
                    for x in callee.outputs
                }
                body.append(Application(callee.exits, (*args, *out.values())))  # type: ignore[arg-type]
                called = self.program.procedures[site.callee]
                # perhaps the caller's own: it calls itself
                results = [self.store.import_term(x) for x in called.results]
                after = {
                    **state,
                    **{x: out[x] for x in map(self.store.import_term, called.changes)},
                }
                after |= {
                    self.store.import_term(x): out[y]
                    for x, y in zip(site.results, results, strict=True)
                }
                head = self._head(r, p, e.target, after, olds)
            else:
                body.append(Application(callee.fails, tuple(args)))  # type: ignore[arg-type]
                head = self._head(r, p, r.blocks.error, state, olds)
            self._add(body, [], head, e, origin)

    def _add(
        self,
        body: list[Application],
        guard: list[Term],
        head: Application | None,
        e: Edge,
        origin: Origin,
    ) -> None:
        clause = Clause(tuple(body), tuple(guard), head, (), e.span, e.text)
        names = dict.fromkeys(
            [*free_vars(*clause.terms()), *origin.start.values(), *origin.inputs.values()]
        )
        self.clauses.append(replace(clause, variables=tuple(names)))
        self.origins.append(origin)


def _blocks(p: ProcedureCFA, store: TermStore) -> CFA:
    """Large blocks between cut points and calls;
    the edges of calls keep their numbers, others get new ones."""
    cfa = import_cfa(p.cfa, store)
    ends = {loc: None for e in cfa.edges if e.id in p.calls for loc in (e.source, e.target)}
    plain = replace(cfa, edges=tuple(e for e in cfa.edges if e.id not in p.calls), keep=tuple(ends))
    calls = [e for e in cfa.edges if e.id in p.calls]
    reached = replace(plain, edges=(*plain.edges, *(replace(e, command=e.command) for e in calls)))
    cuts = cut_points(reached)
    keep = [*cuts, *([] if p.exit is None else [p.exit])]
    return _joined(replace(reached, keep=tuple(keep)), p)


def _joined(cfa: CFA, p: ProcedureCFA) -> CFA:
    blocks = large_blocks(cfa)
    by_ends = {(e.source, e.target): e for e in cfa.edges if e.id in p.calls}
    edges, most = [], max((e.id for e in cfa.edges), default=0) + 1
    for e in blocks.edges:
        call = by_ends.get((e.source, e.target))
        edges.append(call if call is not None else replace(e, id=most + e.id))
    return replace(blocks, edges=tuple(edges))
