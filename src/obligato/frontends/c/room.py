"""Is there an address left for an allocation?

Addresses are not used again. As long as no allocation has died, all of them are in use: a run that
needs more than there are needs more memory than there is, and allocation never fails, so there is
no such run. That is assumed where the addresses that an allocation takes are about those that it
fills (`Regions.counts_memory`). Elsewhere, and as soon as something was freed, it is a bound of the
model: an assertion of class `limit`. So it is for allocations that a program asks for by a constant
of which few fill memory: there every compiled run goes on, with a null pointer.

Where lost memory is looked for, a run may not stop before that is counted (`endings.py`), so that
an allocation does not fit is a limit there, too. A loop that can be left by a choice of inputs goes
on only while there is memory to spare (`spare`).
"""

from __future__ import annotations

from obligato.frontends.c.code import Code
from obligato.frontends.c.context import Context
from obligato.program.syntax import LIMIT, Assume, Variable
from obligato.terms import BOOL, Op, Term, evaluate, free_vars

SOME_FREED = "released$some"
NONE_LEFT = "the memory model has no address left"
SPARED = 16  # the part of memory that is left where a loop need not go on
FEW = 64  # fewer allocations of one size than that fill memory with large ones


def some_freed(code: Code) -> Term:
    """The variable that tells whether an allocation was freed."""
    code.context.globals.setdefault(SOME_FREED, Variable(SOME_FREED, BOOL, code.store.false))
    return code.store.var(SOME_FREED, BOOL)


def fills_memory(code: Code) -> bool:
    """Do allocations live to the end unless they are freed, and take no more addresses than they
    fill?
    """
    return code.regions.counts_memory and not code.context.ends


def spare(context: Context) -> Term:
    """The formula that says that more than a sixteenth of memory is left, or an allocation was
    freed; `true` where an allocation that does not fit was a limit anyway.

    The functions of the program are lowered before."""
    s, regions = context.store, context.regions
    heap = next((r for r in regions.by_class.values() if r.heap is not None), None)
    if heap is None or heap.heap is None or not regions.counts_memory or regions.once:
        return s.true
    first, end = heap.heap_range
    most = s.bv(end - (end - first) // SPARED, heap.heap.width)
    freed = s.var(SOME_FREED, BOOL) if SOME_FREED in context.globals else s.false
    return s.or_(freed, s.mk(Op.BVULT, (heap.heap, most)))


def is_large(size: Term) -> bool:
    """Is an allocation of a constant size that fills memory with few others?"""
    return not free_vars(size) and int(evaluate(size, {})) > (1 << size.sort.width) // FEW


def take(code: Code, fits: Term, size: Term) -> None:
    """An allocation is made that fits, or else there is no such run, or a limit."""
    if not fills_memory(code) or code.context.tracked or is_large(size):
        code.require(fits, NONE_LEFT, LIMIT)
        return
    if code.context.usage.frees:
        code.require(code.either_of([fits, code.negated(some_freed(code))]), NONE_LEFT, LIMIT)
    code.emit(Assume(fits, code.span))
