"""Is there an address left for a block of dynamic memory?

Addresses are not used again.  As long as no block has died, all of them are in use: a run that
needs more than there are needs more memory than there is, and allocation never fails, so there is
no such run.  That is assumed where the addresses that a block takes are about those that it fills
(`Regions.counts_memory`).  Elsewhere, and as soon as something was freed, it is a bound of the
model: an assertion of class `limit`.  So it is for blocks that a program asks for by a constant of
which few fill memory: there every compiled run goes on, with a null pointer.
"""

from __future__ import annotations

from obligato.frontends.c.code import Code
from obligato.program.syntax import LIMIT, Assume, Variable
from obligato.terms import BOOL, Term, evaluate, free_vars

SOME_FREED = "released$some"
NONE_LEFT = "the memory model has no address left"
FEW = 64  # fewer blocks of one size than that fill memory with large ones


def some_freed(code: Code) -> Term:
    """The variable that tells whether a block was freed."""
    code.context.globals.setdefault(SOME_FREED, Variable(SOME_FREED, BOOL, code.store.false))
    return code.store.var(SOME_FREED, BOOL)


def fills_memory(code: Code) -> bool:
    """Do blocks live to the end unless they are freed, and take no more addresses than they
    fill?
    """
    return code.regions.counts_memory and not code.context.ends


def is_large(size: Term) -> bool:
    """Is a block of a constant size that fills memory with few others?"""
    return not free_vars(size) and int(evaluate(size, {})) > (1 << size.sort.width) // FEW


def take(code: Code, fits: Term, size: Term) -> None:
    """A block is allocated that fits, or else there is no such run, or a limit."""
    if not fills_memory(code) or is_large(size):
        code.require(fits, NONE_LEFT, LIMIT)
        return
    if code.context.usage.frees:
        code.require(code.either_of([fits, code.negated(some_freed(code))]), NONE_LEFT, LIMIT)
    code.emit(Assume(fits, code.span))
