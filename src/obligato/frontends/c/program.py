"""From the syntax of a file to a `Program`: collect usage, decide storage, lower every reachable
function, assemble.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from obligato.errors import Unsupported
from obligato.frontends.c import comparing, environment
from obligato.frontends.c import kinds as k
from obligato.frontends.c.atoms import NAME as ATOM
from obligato.frontends.c.calls import EXTERNAL_MEMORY, parameter_shapes
from obligato.frontends.c.context import Context
from obligato.frontends.c.initial_values import InitialValues
from obligato.frontends.c.layout_dependent import decide
from obligato.frontends.c.lowering import Lowering
from obligato.frontends.c.markers import INVARIANTS, Marker
from obligato.frontends.c.marking import segment_variable
from obligato.frontends.c.naming import Naming
from obligato.frontends.c.nodes import Declaration, Node, Tree
from obligato.frontends.c.objects import Function, Object, mark_recursive
from obligato.frontends.c.once import all_last
from obligato.frontends.c.places import SplitPlace
from obligato.frontends.c.private import Owned, summaries
from obligato.frontends.c.regions import Regions
from obligato.frontends.c.safety import LIVE, is_automatic
from obligato.frontends.c.scalars import Scalars
from obligato.frontends.c.tracking import with_ends
from obligato.frontends.c.types import IntType, PointerType, VoidType, holds_pointer
from obligato.frontends.c.usage import Usage
from obligato.frontends.c.variadic import hidden_name
from obligato.program.syntax import Assume, Havoc, Procedure, Program, Statement, Variable
from obligato.terms import RM, Op, TermStore, bitvec

CHECKED = {  # the properties, and how the user is told what was checked
    "assertions": "assertions (assert, and calls of reach_error and __VERIFIER_error)",
    "unreach-call": (
        "unreach-call (calls of reach_error and __VERIFIER_error; a failed assert only ends the"
        " run)"
    ),
    "div-by-zero": "div-by-zero (of integers)",
    "shifts": "shifts (by negative amounts, or by the width and more)",
    "no-overflow": "no-overflow (of signed integers)",
    "memsafety": "memsafety (valid-deref, valid-free)",
    "valid-memsafety": "valid-memsafety (valid-deref, valid-free, valid-memtrack)",
    "undefined": "undefined arithmetic (no-overflow, div-by-zero, shifts)",
    "ltl": "a temporal formula (a run that overflows in signed arithmetic decides nothing)",
    "termination": (
        "termination (every run ends; a failed assert and calls of error functions that are only declared end it)"
    ),
}

ABOUT_ERRORS = ("assertions", "unreach-call")


@dataclass(frozen=True, slots=True)
class Asked:
    """How a program is to be read. `observed` counts the observed expressions; `scoped`: some are
    about local variables.
    """

    property: str
    entry: str
    pure_externals: bool
    memory: str
    addresses: str
    markers: tuple[Marker, ...]
    observed: int
    scoped: bool


class WholeProgram:
    """What the steps share."""

    def __init__(self, tree: Tree, asked: Asked) -> None:
        self.tree, self.entry, width = tree, asked.entry, 8 * tree.unit.pointer_size
        self.usage = Usage(tree, asked.pure_externals)
        self.usage.trusts = asked.memory != "plain"
        self.usage.prints_texts = asked.property.endswith("memsafety")
        if asked.property not in ABOUT_ERRORS:  # a function with a body does what its body says
            self.usage.errors -= self.usage.definitions.keys()
        self.store = TermStore.raw()
        prop = asked.property
        note = f"checked: {CHECKED[prop]}; data model {'ILP32' if width == 32 else 'LP64'}"
        self.observed, self._scoped, self._preamble = (
            [f"{ATOM}{n}" for n in range(asked.observed)],
            asked.scoped,
            0,
        )
        tracked, strict = prop == "valid-memsafety", prop == "unreach-call"
        prop = {"assertions": "unreach-call", "ltl": "no-overflow"}.get(
            prop, prop.removeprefix("valid-")
        )
        self.regions = Regions(
            self.usage, self.store, width, asked.memory, prop == "memsafety", asked.addresses
        )
        self._locals: dict[Function, list[Object]] = {}
        self.context = Context(
            self.store,
            Scalars(self.store),
            tree.types,
            self.usage,
            self.regions,
            width,
            prop,
            asked.pure_externals,
        )
        self.context.tracked, self.context.only_reach_error = tracked, strict
        self.context.notes[note] = None
        self.context.markers = asked.markers
        if any(m.kind not in INVARIANTS for m in asked.markers):
            segment = segment_variable(self.store)
            self.context.globals[segment.name] = segment

    def build(self) -> Program:
        """The whole program."""
        self._decide_storage()
        procedures = {f.name: self._procedure(f) for f in list(self.usage.functions.values())}
        first, needed = InitialValues(self.context, self.tree, self.entry).declare()
        if self.context.tracked and LIVE in self.context.globals:
            procedures = with_ends(procedures, self.context, self.entry)
        main = procedures[self.entry]
        procedures[self.entry] = replace(
            main, body=(*first, *main.body), locals=(*main.locals, *needed)
        )
        if self.usage.called_externals and not self.context.pure_externals:
            procedures[EXTERNAL_MEMORY] = self._external_memory()
        compared = any(name in procedures for name in comparing.NAMES)
        noticed = (
            summaries(procedures, self._owned())
            if compared or not self.context.sequencing.is_empty
            else {}
        )
        self.context.sequencing.check(noticed)
        procedures |= comparing.limited(procedures, noticed, self.store)
        self._note_volatile()
        context = self.context
        places = Naming(self.tree.lib, context).places(self.usage.everything(), procedures)
        return Program(
            self.store,
            (),
            tuple(context.globals.values()),
            procedures,
            self.entry,
            self.tree.unit.source.file,
            tuple(context.notes),
            places,
            len(first) + self._preamble,
        )

    def _note_volatile(self) -> None:
        """Say what is assumed about volatile objects, if the program reads any."""
        if self.usage.volatile is not None:
            at = self.usage.volatile.span
            place = f"first read at {at.line}:{at.column}"
            self.context.notes[
                f"volatile objects change only where the program changes them ({place})"
            ] = None

    def _decide_storage(self) -> None:
        """Collect how the program uses its objects, and decide where each of them is kept."""
        for name in self.observed:
            self.usage.function(name)
        self.usage.run(self.entry)
        mark_recursive(self.usage.functions)
        if self.usage.rounds:
            mode = self.store.var(self.regions.unique("rounding$mode"), RM)
            self.context.globals[mode.name] = Variable(mode.name, RM, self.context.scalars.nearest)
            self.context.scalars.rounding = mode
        self.regions.assign()
        decide(self.usage)
        slots = [
            slot
            for o in self.usage.everything()
            if o.kind == "arguments"
            for slot in o.slots.values()
        ]
        self.context.sequencing.exempt.update(
            {v.name: None for slot in slots for v in slot.variables}
        )
        automatic = [o for o in self._dynamic() if is_automatic(o)]
        self.context.ends = not all_last(self.usage, automatic)
        dies = self.context.ends if self.regions.once else bool(automatic)
        self.context.releases = self.usage.frees or dies
        if self.regions.guards:
            self._refuse_unknown()
        for o in self.usage.objects.values():
            if o.owner is not None and o.kind == "local" and o.region is None:
                self._locals.setdefault(o.owner, []).append(o)

    def _dynamic(self, f: Function | None = None) -> list[Object]:
        """The variables (of a function) and allocation sites whose addresses are not constant."""
        return [
            o
            for o in self.usage.everything()
            if o.region is not None and o.address is None and f in (None, o.owner)
        ]

    def _refuse_unknown(self) -> None:
        """A pointer that another file defines may be valid or not."""
        for o in self.usage.objects.values():
            if not o.has_body and "std" not in o.name and holds_pointer(o.type):
                assert o.node is not None
                raise Unsupported(
                    f"whether the pointers in external variable {o.name} are valid is not known",
                    o.node.span,
                    "memory safety of external variables",
                )

    # -- functions

    def _procedure(self, f: Function) -> Procedure:
        low = Lowering(self.context, f, self.entry)
        low.code.span = f.node.span
        low.code.has_labels = _has_labels(f)
        if self.regions.guards:
            for o in self._dynamic(f):
                if o.kind != "heap" or (o.automatic and f.name != self.entry):
                    low.declarations.prepare(o)
        parameters = self._parameters(low, f)
        for d in f.parameters:
            low.code.scope = self.context.scopes.declare(low.code.scope, d.node)
        results = self._results(low, f)
        if f.name == self.entry:
            self._entry_assumptions(low, f)
        before = len(low.code.out)
        low.statements.statement(f.body)
        if f.name == self.entry:
            self._preamble = max(before, low.statements.declared) if self._scoped else before
        # its end returns 0 [C11, 5.1.2.2.3]
        if f.name == "main" and low.statements.result is not None:
            low.allocations.zero(low.memory.object_place(low.statements.result))
        low.declarations.leave(0)
        low.tracking.at_return()
        for o in self._locals.get(f, ()):
            for slot in o.slots.values():
                low.code.locals.update({v.name: Variable(v.name, v.sort) for v in slot.variables})
        declared = dict.fromkeys(v.name for v in (*parameters, *results))
        local = tuple(v for v in low.code.locals.values() if v.name not in declared)
        return Procedure(
            f.name, tuple(parameters), tuple(results), local, tuple(low.code.out), f.node.span
        )

    def _parameters(self, low: Lowering, f: Function) -> list[Variable]:
        """Parameters; those that pointers reach are copied into memory."""
        found = []
        for d in f.parameters:
            o = self.usage.object(d)
            target = o
            if o.region is not None:
                target = Object(d.name, d.type, "parameter", -1, f)
                base = self.regions.unique(f"{f.name}::{d.name or 'unnamed'}")
                for s in parameter_shapes(d.type):
                    target.slots[s.way] = s.slot(
                        self.store.var(*v) for v in s.variables(base, bitvec(self.context.width))
                    )
                if o.address is None:
                    o.base = o.base or low.code.local(
                        f"{o.name}$address", bitvec(self.context.width)
                    )
                    low.declarations.scopes[0].append(o)
                    low.code.assign(
                        o.base,
                        low.allocations.allocate(o, low.code.address(o.type.size), zero=False),
                    )
                low.aggregates.copy_or_store(
                    low.memory.object_place(o), SplitPlace(target, (), None, d.type)
                )
            found += [
                Variable(v.name, v.sort, span=d.node.span)
                for s in target.slots.values()
                for v in s.variables
            ]
        for d in f.parameters:
            low.declarations.measure_targets(d.node)
        if self.usage.is_variadic(f.type):
            found.append(Variable(hidden_name(f), bitvec(self.context.width), span=f.node.span))
        return found

    def _results(self, low: Lowering, f: Function) -> list[Variable]:
        t = f.type.result
        if isinstance(t, VoidType):
            return []
        o = Object("result", t, "local", -1, f)
        low.aggregates.declare_slots(o, self.regions.unique(f"{f.name}::result"))
        low.statements.result = o
        return [low.code.locals.pop(v.name) for s in o.slots.values() for v in s.variables]

    def _entry_assumptions(self, low: Lowering, f: Function) -> None:
        # This one first: of the reasons why a run decides nothing the first one is told.
        if any(_mentions(f.body, d) for d in f.parameters[1:]):
            argv = low.code.local("argv", bitvec(self.context.width))
            low.code.emit(
                Havoc((argv,), "what the arguments of the program are (argv)", low.code.span)
            )
        if f.parameters and isinstance(f.parameters[0].type, IntType) and f.name == "main":
            argc = low.memory.load(low.memory.object_place(self.usage.object(f.parameters[0])))
            low.code.emit(
                Assume(
                    self.store.mk(Op.BVSGE, (argc, self.store.bv(0, argc.sort.width))),
                    low.code.span,
                )
            )
            if not self.observed and _mentions(f.body, f.parameters[0]):
                environment.count_arguments(low.code, argc)
        environment.begin(low.code, low.memory, f, list(self.usage.objects.values()))

    def _owned(self) -> Owned:
        """The variables and compound literals in memory that each call of a function has anew;
        pointers and numbers.
        """
        owned = Owned()
        for o in self.usage.everything():
            for slot in o.slots.values():
                kind = (
                    owned.pointers
                    if isinstance(slot.type, PointerType) and slot.count is None
                    else owned.numbers
                )
                kind.update(dict.fromkeys(v.name for v in slot.variables))
            if (
                o.kind not in ("local", "parameter", "literal")
                or o.owner is None
                or o.owner.recursive
            ):
                continue
            owned.variables.update(
                {v: o.owner.name for slot in o.slots.values() for v in slot.variables}
            )
            if o.address is not None and not o.slots:
                owned.addresses.setdefault(o.owner.name, []).append(
                    (o.address, o.address + max(o.type.size, 0))
                )
        return owned

    def _external_memory(self) -> Procedure:
        """What an undefined function may change: all memory of unknown reach and all globals with
        external linkage.
        """
        unknown = [r.number for r in self.regions.by_class.values() if r.unknown]
        targets = [a for (number, _), a in self.context.region_arrays.items() if number in unknown]
        for d, o in self.usage.objects.items():
            if d.is_global and d.storage != 3 and not (o.is_constant and o.has_body):
                targets += [v for s in o.slots.values() for v in s.variables]
                if o.region is not None and not o.slots:
                    targets += [
                        a
                        for (number, _), a in self.context.region_arrays.items()
                        if number == o.region.number
                    ]
        body: tuple[Statement, ...] = ()
        if targets:
            body = (
                Havoc(tuple(dict.fromkeys(targets)), "memory reachable by undefined functions"),
            )
        return Procedure(EXTERNAL_MEMORY, (), (), (), body)


def _mentions(body: Node, d: Declaration) -> bool:
    stack = [body]
    while stack:
        n = stack.pop()
        if n.kind == k.DECL_REF and n.reference is d:
            return True
        stack.extend(n.operands)
    return False


def _has_labels(f: Function) -> bool:
    stack = [f.body]
    while stack:
        n = stack.pop()
        if n.kind == k.LABEL:
            return True
        stack.extend(n.operands)
    return False
