"""k-induction on programs [SSS00; DHKR11]: no error within k blocks, and none at the end of any k
blocks.

Blocks lead from one loop head to the next, so k counts rounds of loops. Base: the runs from the
initial location (`bmc.runs`), as in bounded model checking; when they have all come to their end
that is a proof, too. Step: the runs of k blocks from any state at any location, in which only the
invariants hold that the static analyses found and Houdini kept (`preparation`), at every location
on the way. `_KInduction.prove` carries the idea.

The certificate is the invariants and k: they are inductive by themselves, and with them the absence
of errors is k-inductive.

Limitation: k is one number for all loops, so a nested loop with many rounds needs a large k for the
outer one. The question of the step has a budget and is asked for fewer and fewer k: what holds for
one k holds for larger ones. After one that the budget does not suffice for, k is doubled first.
"""

from __future__ import annotations

from dataclasses import replace

from obligato.engines.bmc.runs import Runs
from obligato.engines.environment import Environment
from obligato.engines.inductive_part import kept_along
from obligato.engines.kinduction.options import Options
from obligato.engines.preparation import Prepared, in_blocks, with_seeds
from obligato.errors import ResourceOut
from obligato.models.cfa import CFA
from obligato.models.claims import Certificate, conjoined
from obligato.results.outcome import EngineResult, Verdict
from obligato.smt import UNKNOWN, UNSAT

EVERY = 8  # up to here each k is tried, then those that are an eighth larger than the one before
BUDGET = {"z3": 3_000_000}  # of one question of the step, in the solver's unit
AGAIN = 8  # the largest k that is tried again when there are new invariants
CONFLICTS = 5_000  # where the solver counts conflicts or the like


def prove_cfa(cfa: CFA, options: Options, env: Environment) -> EngineResult:
    """Run k-induction on a program."""
    start = with_seeds(cfa, in_blocks(cfa, env, quantified=options.quantified), options, env)
    base = Runs(start.blocks, start.make, env, start.seeds)
    step = Runs(start.blocks, start.make, env, start.known, anywhere=True)
    run = _KInduction(start, options, env, base, step)
    try:
        if env.exchange is not None:
            env.exchange.tell(start.seeds, env)
        return run.prove()
    except ResourceOut as out:
        return EngineResult(Verdict.UNKNOWN, reason=out.resource)
    finally:
        base.solver.close()
        run.step.solver.close()


class _KInduction:
    def __init__(
        self, start: Prepared, options: Options, env: Environment, base: Runs, step: Runs
    ) -> None:
        self.start, self.options, self.env = start, options, env
        self.base, self.step = base, step
        self.next = 1  # the smallest k that the step is tried for

    def prove(self) -> EngineResult:
        """Raise k until the base fails or comes to an end, or the step holds."""
        while True:
            exhausted = self.base.exhausted()
            if exhausted is not None:
                return EngineResult(Verdict.TRUE, certificate=exhausted)
            if self.base.depth == self.options.bound:
                return EngineResult(
                    Verdict.UNKNOWN, reason=f"not k-inductive for any k up to {self.options.bound}"
                )
            if self.env.cancelled():
                raise ResourceOut("cancelled")
            less = self._share()
            if less is not None:
                return self._proved(less)
            self.env.counters["bound"] = self.base.depth + 1
            self.env.event("bound", k=self.base.depth + 1)
            trace = self.base.violation()
            if trace is not None:
                return EngineResult(Verdict.FALSE, trace=trace)
            if self.base.frontier and self.base.depth >= self.next and self._holds(self.base.depth):
                return self._proved(self.base.depth)

    def _share(self) -> int | None:
        """Assume what the other engines have found and is inductive here, too: the step begins
        anew with it. One of the first k for which it holds now, if there is one.
        """
        start, exchange = self.start, self.env.exchange
        heard = {} if exchange is None else exchange.hear(self.env)
        found = kept_along(start.blocks, heard, start.seeds, self.env) if heard else {}
        self.env.count("facts_kept", sum(map(len, found.values())))
        if not found:
            return None
        seeds = {
            loc: [*start.seeds.get(loc, ()), *found.get(loc, ())] for loc in start.blocks.inner
        }
        self.start = replace(start, seeds=seeds)
        self.step.solver.close()
        self.step = Runs(start.blocks, start.make, self.env, self.start.known, anywhere=True)
        least = range(1, min(self.base.depth, AGAIN) + 1)
        return next((k for k in least if self._holds(k)), None)

    def _holds(self, k: int) -> bool:
        """Is there no error after k blocks from any state in which the invariants hold?"""
        error = None
        while self.step.depth < k:
            error = self.step.extend()
        budget = BUDGET.get(self.step.solver.capabilities.name, CONFLICTS)
        # any state and T ... T along k blocks into the error: unsat - k-inductive; sat, unknown -
        # not shown   (heuristic)
        answer = UNSAT if error is None else self.step.error(error, budget)
        self.next = 2 * k if answer is UNKNOWN else k + 1 + max(0, k - EVERY) // EVERY
        return answer is UNSAT

    def _proved(self, k: int) -> EngineResult:
        certificate = Certificate(conjoined(self.start.blocks, self.start.seeds), k)
        return self.start.closed(EngineResult(Verdict.TRUE, certificate=certificate))
