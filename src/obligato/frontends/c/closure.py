"""All that a program reaches: the first pass over C, worked off until nothing changes.

`run` walks what was seen for the first time (entities.py, usage.py). When nothing is left to walk,
calls through pointers are connected with the functions they may reach, and memory that is seen
under different types is marked.
"""

from __future__ import annotations

from obligato.errors import Span, Unsupported
from obligato.frontends.c import kinds as k
from obligato.frontends.c.callees import fits
from obligato.frontends.c.entities import Entities
from obligato.frontends.c.function_copies import copy_functions
from obligato.frontends.c.keys import pointer_keys
from obligato.frontends.c.objects import Object
from obligato.frontends.c.types import (
    PointerType,
    conflicting_targets,
    holds_pointer,
    overlaps,
    punned,
)

MAX_NAMED = 12  # functions that a message names
STREAMS = ("stdin", "stdout", "stderr")


class Closure(Entities):
    """The fixpoint over what a program reaches."""

    def run(self, entry: str) -> None:
        """Collect everything reachable from the entry function."""
        if entry not in self.definitions:
            known = (
                f"; there are: {', '.join(list(self.definitions)[:MAX_NAMED])}"
                if self.definitions
                else ""
            )
            start = Span(self.tree.unit.source.file, 1, 1)
            raise Unsupported(f"there is no function {entry}{known}", start, "no entry function")
        copy_functions(self.tree, self.definitions, entry)
        self.entry = self.function(entry)
        while True:
            while self._worklist:
                self._worklist.pop()()
            changed = self._resolve_indirect() or (
                self.give_up_containers()
                | self._merge_punned()
                | self._merge_guessed()
                | self._reached_by_externals()
            )
            if not (changed or self._see_stretches()):
                break
        self._refuse_callbacks()

    def _merge_punned(self) -> bool:
        """Where types are punned, integers may carry pointers: what the contents point to becomes
        unknown.  A pointer that is read under another type than it was written shows its target
        under both.
        """
        changed = self._merge_copied()
        for o in self.everything():
            if self.is_punned(o.location):
                changed |= self.points.unify(self.points.pointee(o.location), self.unknown)
            for targets in conflicting_targets(self.views_of(o)):
                changed |= self.points.collapse(self.points.pointee(o.location))
                changed |= self.see_all(self.points.pointee(o.location), targets)
        return changed | self._collapse_views()

    def _merge_copied(self) -> bool:
        """A copy between memory of different types makes both bytes; memory of no type has the
        types of what is copied there, or from there.
        """
        changed = False
        for d, s, common in self.copies:
            if common is not None and self.has_part(d, common) and self.has_part(s, common):
                continue
            both = list(dict.fromkeys(t for c in (d, s) for t in self.views(c)))
            if both and (punned(both) or self.is_untyped(d) or self.is_untyped(s)):
                for c in (d, s):
                    changed |= any(t not in self.points.facts(c) for t in both)
                    for t in both:
                        self.points.attach(c, t)
        return changed

    def _merge_guessed(self) -> bool:
        """A pointer of unknown origin that is compared with another one may be found to point to
        the same object.
        """
        changed = False
        for classes in self.compared:
            if len(classes) == 2 and any(map(self.is_strange, classes)):
                changed |= self.points.unify(*classes)
        return changed

    def is_strange(self, c: int) -> bool:
        """May pointers of this class point to memory that is no object of the program?"""
        return self.points.find(c) == self.points.find(self.unknown) or not any(
            isinstance(o, Object) for o in self.points.facts(c)
        )

    def _collapse_views(self) -> bool:
        """Where memory is seen under several types, or by unions, or where pointers go from one
        pointer to the next, the type of a pointer does not tell which one it is.
        """
        changed = False
        for c in list(self.points.classes()):
            views = self.views(c)
            several = len(views) > 1 and not self.is_apart(c)
            if any(map(holds_pointer, views)) and (several or any(map(overlaps, views))):
                changed |= self.points.collapse(self.points.pointee(c))
        for c, t in self.strides:  # a step from pointer to pointer may lead to another member
            if isinstance(t, PointerType) and any(len(pointer_keys(v)) > 1 for v in self.views(c)):
                changed |= self.points.collapse(self.points.pointee(c))
        return changed

    def _see_stretches(self) -> bool:
        """A stretch of memory of a type is a view of its own only where no object has parts of that
        type: no cast made the pointer to it, or the cast has attached its type, so that it points
        to such a part.
        """
        return any(
            self.see_all(location, [t])
            for location, t in self.stretches
            if not self.has_part(location, t)
        )

    def _reached_by_externals(self) -> bool:
        """Undefined functions see globals with external linkage: they may follow and change the
        pointers there, and make any pointer that they reach point to such a global. So may the
        initialisers of undefined variables.
        """
        if self.pure_externals or not (self.called_externals or self._has_pointers_of_others()):
            return False
        before = len(self.objects)
        for nodes in self.global_nodes.values():  # also those that only they use
            if any(self.tree.initialiser(n) is not None for n in nodes):
                self.object(self.tree.declaration(nodes[0].cursor))
        changed = len(self.objects) > before
        unknown = self.points.find(self.unknown)
        followed = any(self.points.find(c) == unknown for c in self.dereferenced)
        for d, o in self.objects.items():
            if not d.is_global or d.storage == k.SC_STATIC:
                continue
            if o.is_constant and o.has_body and not followed:
                changed |= self._reached_from_constant(o)
                continue
            changed |= self.points.unify(self.points.pointee(o.location), self.unknown)
            if followed or o.address_taken:
                o.address_taken = True
                changed |= self.points.unify(o.location, self.unknown)
        return changed

    def _reached_from_constant(self, start: Object) -> bool:
        """Undefined functions may follow the pointers in a constant, but not change them; nor other
        constants that they come to.
        """
        changed, seen, stack = False, dict[int, None](), [start.location]
        while stack:
            c = self.points.find(stack.pop())
            if c in seen:
                continue
            seen[c] = None
            for target in self.points.targets(c):
                objects = [o for o in self.points.facts(target) if isinstance(o, Object)]
                if all(o.is_constant for o in objects):
                    stack.append(target)
                else:
                    changed |= self.points.unify(target, self.unknown)
        return changed

    def _has_pointers_of_others(self) -> bool:
        """Is there a variable with pointers that another file defines, but for the streams of the
        library?
        """
        return any(
            not o.has_body and o.name not in STREAMS and holds_pointer(o.type)
            for o in self.objects.values()
        )

    def _refuse_callbacks(self) -> None:
        """An undefined function that gets hold of a function of the program may call it, with any
        arguments.
        """
        unknown = self.points.find(self.unknown)
        for name, n in () if self.pure_externals else self.called_externals.items():
            for o in self.function_objects.values():
                if o.name in self.definitions and self.points.find(o.location) == unknown:
                    raise Unsupported(
                        f"undefined function {name} may call {o.name}", n.span, "callback"
                    )

    def _resolve_indirect(self) -> bool:
        """Connect calls through pointers with the functions they may reach; did that add
        anything?
        """
        changed = False
        for call in self.indirect_calls:
            for o in self.points.facts(call.target):
                if (
                    not isinstance(o, Object)
                    or o.kind != "function"
                    or o.name not in self.definitions
                ):
                    continue
                f = self.function(o.name)
                if not fits(f, call.called, [t for _, t in call.arguments], call.result[1]):
                    continue
                call.caller.calls[f.name] = None
                changed |= self._connect(f, call.arguments)
                if call.rest is not None:
                    changed |= self.points.unify(f.arguments, call.rest)
                changed |= self._pass(call.result, f.result_class, f.type.result)
        return changed or bool(self._worklist)
