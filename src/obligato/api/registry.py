"""The engines there are.

An engine is a package with a frozen dataclass `Options` and a function
`prove(model, options, environment)`; the model is a CFA or a transition system. An engine for
transition systems proves programs too, through `models.cfa_to_ts`. What its options are set to is
`api.settings`' business.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from obligato.errors import ConfigError

if TYPE_CHECKING:
    from obligato.engines.environment import Environment
    from obligato.models.cfa import CFA
    from obligato.models.horn import HornSystem
    from obligato.models.rank_claims import BuchiCFA
    from obligato.models.transition_system import TransitionSystem
    from obligato.results.outcome import (
        CtlResult,
        EngineResult,
        HornResult,
        LiveResult,
        RunResult,
        SystemResult,
    )


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine: what it is, where it comes from, the module that holds it, and whether it works
    on transition systems.

    `live`: it decides properties of infinite runs of transition systems, and no others;
    `branching`: of branching time, and no others;
    `ending`: of infinite runs of programs, and no others.
    `on_programs`: one for transition systems that takes programs as they are too (`prove_cfa`).
    `on_horn`: it takes Horn clauses as they are (`prove_horn`).
    `control`: it gains by the control flow that is recovered from a transition system (option
    `control=auto`).
    `trying`: it takes programs as they are read and looks for runs of them only.
    `refutes_only`: it never proves, so that what it leaves open about several properties it leaves
    open about each.
    """

    name: str
    title: str
    paper: str
    module: str
    on_systems: bool = False
    refutes_only: bool = False
    live: bool = False
    branching: bool = False
    on_programs: bool = False
    on_horn: bool = False
    control: bool = False
    ending: bool = False
    trying: bool = False

    @property
    def options(self) -> type[Any]:
        """The dataclass of the engine's options."""
        cls: type[Any] = import_module(self.module).Options
        return cls

    def _entry(self, name: str = "prove") -> Callable[..., Any]:
        """A function of the engine's module."""
        function: Callable[..., Any] = getattr(import_module(self.module), name)
        return function

    def _unfit(self, what: str, fits: Callable[[Engine], bool]) -> ConfigError:
        """The engine does not work on something; others, which it names, do."""
        names = ", ".join(e.name for e in ENGINES.values() if fits(e))
        return ConfigError(f"engine {self.name} does not work on {what}; these do: {names}")

    @property
    def prove_cfa(self) -> Callable[[CFA, Any, Environment], EngineResult]:
        """Its entry point for programs."""
        if self.on_programs:
            return self._entry("prove_cfa")
        if self.on_systems:
            from obligato.api.programs import through_system

            return through_system(self.prove_system)
        for refuses, what in (
            (self.ending, "properties of states of programs"),
            (self.trying, "Horn clauses"),
            (self.on_horn, "programs"),
        ):
            if refuses:
                raise ConfigError(f"engine {self.name} does not work on {what}")
        return self._entry()

    @property
    def prove_system(self) -> Callable[[TransitionSystem, Any, Environment], SystemResult]:
        """Its entry point for transition systems."""
        if not self.on_systems or self.live:
            what = "properties of states" if self.live else "transition systems"
            raise self._unfit(what, lambda e: e.on_systems and not e.live)
        return self._entry()

    @property
    def prove_horn(self) -> Callable[[HornSystem, Any, Environment], HornResult]:
        """Its entry point for Horn clauses."""
        if not self.on_horn:
            raise self._unfit("Horn clauses as they are", lambda e: e.on_horn)
        return self._entry("prove_horn")

    @property
    def prove_live(self) -> Callable[[TransitionSystem, Any, Environment], LiveResult]:
        """Its entry point for properties of infinite runs."""
        if self.ending:
            return self._entry("prove_live")
        if not self.live or self.branching:
            raise self._unfit(
                "properties of infinite runs", lambda e: (e.live or e.ending) and not e.branching
            )
        return self._entry()

    @property
    def prove_runs(self) -> Callable[[BuchiCFA, Any, Environment], RunResult]:
        """Its entry point for infinite runs of programs."""
        if not self.ending:
            raise self._unfit("infinite runs of programs", lambda e: e.ending)
        return self._entry()

    @property
    def prove_branching(self) -> Callable[[TransitionSystem, Any, Environment], CtlResult]:
        """Its entry point for properties of branching time."""
        if not self.branching:
            raise self._unfit("properties of branching time", lambda e: e.branching)
        return self._entry()


ENGINES = {
    e.name: e
    for e in (
        Engine("ic3cfa", "IC3 on control-flow automata", "[LNNK19]", "obligato.engines.ic3cfa"),
        Engine(
            "ic3",
            "IC3 on the bits of a transition system",
            "[Bra12; EMB11]",
            "obligato.engines.ic3",
            True,
        ),
        Engine(
            "ic3bmc",
            "Boolean IC3 and bounded model checking by turns",
            "[Bra12; BCCZ99]",
            "obligato.engines.ic3bmc",
            True,
        ),
        Engine(
            "ic3arrays",
            "IC3 on watched cells of large arrays",
            "[Bra12; MG16]",
            "obligato.engines.ic3arrays",
            True,
        ),
        Engine(
            "ic3ia",
            "IC3 with implicit predicate abstraction",
            "[CGMT16]",
            "obligato.engines.ic3ia",
            True,
            control=True,
        ),
        Engine(
            "ctigar",
            "IC3 with abstraction refinement guided by counterexamples to induction",
            "[BBW14]",
            "obligato.engines.ctigar",
            True,
            control=True,
        ),
        Engine(
            "ic3qe",
            "IC3 with pre-images by approximate quantifier elimination",
            "[Tin12; CG12]",
            "obligato.engines.ic3qe",
            True,
        ),
        Engine(
            "bmc",
            "bounded model checking: of programs along the control flow; finds bugs",
            "[BCCZ99]",
            "obligato.engines.bmc",
            True,
            True,
            on_programs=True,
        ),
        Engine(
            "kinduction",
            "k-induction: of programs with k at loop heads",
            "[SSS00; DHKR11]",
            "obligato.engines.kinduction",
            True,
            on_programs=True,
        ),
        Engine(
            "fsis",
            "incremental proofs by inductive clauses, backward search where there are none",
            "[BM07; Bra12]",
            "obligato.engines.fsis",
            True,
        ),
        Engine(
            "itp",
            "interpolation-based model checking",
            "[McM03; VG09]",
            "obligato.engines.itp",
            True,
        ),
        Engine(
            "summaries",
            "IC3 for Horn clauses and recursive procedures: summaries from above and below",
            "[HB12; KGC14]",
            "obligato.engines.summaries",
            on_horn=True,
        ),
        Engine(
            "cegar",
            "lazy predicate abstraction of programs, refined by counterexamples",
            "[HJMS02; BCGKS09]",
            "obligato.engines.cegar",
        ),
        Engine(
            "treeic3",
            "Tree-IC3: IC3 along the paths of an unwinding of the program",
            "[CG12]",
            "obligato.engines.treeic3",
        ),
        Engine(
            "fair",
            "infinite runs: fair loops, and walls that no run crosses twice, by IC3",
            "[BSHZ11]",
            "obligato.engines.fair",
            True,
            live=True,
        ),
        Engine(
            "l2s",
            "infinite runs: liveness to safety, by IC3 and BMC",
            "[BAS02]",
            "obligato.engines.l2s",
            True,
            live=True,
        ),
        Engine(
            "iictl",
            "branching time: bounds of subformulas, by SAT, IC3 and FAIR",
            "[HBS12]",
            "obligato.engines.iictl",
            True,
            live=True,
            branching=True,
        ),
        Engine(
            "rank",
            "infinite runs of programs and systems: ranking functions and lassos, by IC3CFA",
            "[BMS05; CPR06]",
            "obligato.engines.rank",
            ending=True,
        ),
        Engine(
            "trials",
            "programs are run on chosen values; finds bugs, also behind long loops",
            "[GKS05]",
            "obligato.engines.trials",
            refutes_only=True,
            trying=True,
        ),
        Engine(
            "klive",
            "infinite runs: k-liveness, proves only",
            "[CS12]",
            "obligato.engines.klive",
            True,
            live=True,
        ),
    )
}


def engine(name: str) -> Engine:
    """The engine of that name."""
    if name not in ENGINES:
        raise ConfigError(f"unknown engine {name!r}; there are: {', '.join(ENGINES)}")
    return ENGINES[name]
