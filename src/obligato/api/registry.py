"""The engines there are, their options and their presets.

An engine is a package with a frozen dataclass `Options` and a function
`prove(model, options, environment)`; the model is a CFA or a transition system. An engine for
transition systems proves programs too, through `models.cfa_to_ts`. Each option is a field whose
metadata say what it does, which values it takes and where it comes from; `--set`, TOML presets and
the lists that the command line prints are all read from there. Presets are named sets of options
(`engines.presets`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from obligato.engines.options import option
from obligato.engines.presets import Preset, packaged_presets, read_presets
from obligato.errors import ConfigError
from obligato.frontends.preprocessing import HEADERS

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

    @property
    def prove_cfa(self) -> Callable[[CFA, Any, Environment], EngineResult]:
        """Its entry point for programs."""
        function: Callable[[CFA, Any, Environment], EngineResult]
        if self.on_programs:
            function = import_module(self.module).prove_cfa
            return function
        if self.on_systems:
            from obligato.api.programs import through_system

            return through_system(self.prove_system)
        if self.on_horn or self.ending or self.trying:
            what = (
                "properties of states of programs"
                if self.ending
                else "Horn clauses"
                if self.trying
                else "programs"
            )
            raise ConfigError(f"engine {self.name} does not work on {what}")
        function = import_module(self.module).prove
        return function

    @property
    def prove_system(self) -> Callable[[TransitionSystem, Any, Environment], SystemResult]:
        """Its entry point for transition systems."""
        if not self.on_systems or self.live:
            names = ", ".join(e.name for e in ENGINES.values() if e.on_systems and not e.live)
            what = "properties of states" if self.live else "transition systems"
            raise ConfigError(f"engine {self.name} does not work on {what}; these do: {names}")
        function: Callable[[TransitionSystem, Any, Environment], SystemResult] = import_module(
            self.module
        ).prove
        return function

    @property
    def prove_horn(self) -> Callable[[HornSystem, Any, Environment], HornResult]:
        """Its entry point for Horn clauses."""
        if not self.on_horn:
            names = ", ".join(e.name for e in ENGINES.values() if e.on_horn)
            raise ConfigError(
                f"engine {self.name} does not work on Horn clauses as they are; these do: {names}"
            )
        function: Callable[[HornSystem, Any, Environment], HornResult] = import_module(
            self.module
        ).prove_horn
        return function

    @property
    def prove_live(self) -> Callable[[TransitionSystem, Any, Environment], LiveResult]:
        """Its entry point for properties of infinite runs."""
        if self.ending:
            found: Callable[[TransitionSystem, Any, Environment], LiveResult] = import_module(
                self.module
            ).prove_live
            return found
        if not self.live or self.branching:
            names = ", ".join(
                e.name for e in ENGINES.values() if (e.live or e.ending) and not e.branching
            )
            raise ConfigError(
                f"engine {self.name} does not work on properties of infinite runs; these do:"
                f" {names}"
            )
        function: Callable[[TransitionSystem, Any, Environment], LiveResult] = import_module(
            self.module
        ).prove
        return function

    @property
    def prove_runs(self) -> Callable[[BuchiCFA, Any, Environment], RunResult]:
        """Its entry point for infinite runs of programs."""
        if not self.ending:
            names = ", ".join(e.name for e in ENGINES.values() if e.ending)
            raise ConfigError(
                f"engine {self.name} does not work on infinite runs of programs; these do: {names}"
            )
        function: Callable[[BuchiCFA, Any, Environment], RunResult] = import_module(
            self.module
        ).prove
        return function

    @property
    def prove_branching(self) -> Callable[[TransitionSystem, Any, Environment], CtlResult]:
        """Its entry point for properties of branching time."""
        if not self.branching:
            names = ", ".join(e.name for e in ENGINES.values() if e.branching)
            raise ConfigError(
                f"engine {self.name} does not work on properties of branching time; these do:"
                f" {names}"
            )
        function: Callable[[TransitionSystem, Any, Environment], CtlResult] = import_module(
            self.module
        ).prove
        return function


@dataclass(frozen=True, slots=True)
class PipelineOptions:
    """What can be varied before any engine."""

    reduction: int = option(
        3,
        "how far the program is reduced first: 0 not at all, 1 exact on paths, 2 with slicing, 3"
        " cutting loops too",
        "[LNNK19, 6.2]",
        (0, 1, 2, 3),
    )
    externals: str = option(
        "havoc",
        "an undefined C function changes all it may reach, or (the SV-COMP convention) only returns"
        " some value",
        "",
        ("havoc", "pure"),
    )
    memory: str = option(
        "auto",
        "memory model of C: chosen per object (auto; plain: no cast of a pointer is trusted),"
        " typed regions, or bytes",
        "[LNNK19, 6.1]",
        ("auto", "plain", "regions", "bytes"),
    )
    addresses: str = option(
        "any",
        "a verdict holds wherever objects of C lie in memory; or each has pages of its own: to"
        " refute only",
        "",
        ("any", "apart"),
    )
    headers: str = option(
        "auto",
        "C: standard headers of our own, the system's, or the system's where we lack one",
        "",
        HEADERS,
    )
    contracts: str = option(
        "inline",
        "Lustre: main nodes with the bodies of what they call; or all nodes, where contracts stand"
        " for the bodies of calls",
        "",
        ("inline", "modular"),
    )
    unfold: int = option(
        0,
        "recursive calls are inlined, at most so deep, and if they may nest deeper there is no"
        " proof; 0: not inlined",
        "",
        low=0,
    )
    next: str = option(
        "refused",
        "the operator X of formulas about C programs: refused, because what is next depends on how"
        " a program is written, or about the next edge of its control-flow automaton",
        "",
        ("refused", "edge"),
    )
    control: str = option(
        "auto",
        "a transition system as it is, or along the control flow that it codes in variables,"
        " wherever that is found or (auto) where it pays",
        "[BCGKS09]",
        ("auto", "none", "recovered"),
    )


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
            "infinite runs: skeletons and walls, by IC3",
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


def presets() -> Iterator[Preset]:
    """All presets that come with the engines."""
    for name in ENGINES:
        yield from packaged_presets(name).values()


def find_preset(name: str, engine_name: str) -> Preset:
    """A preset by its name, or by the path of a TOML file: FILE.toml with one preset, or
    FILE.toml:NAME.
    """
    path, dot, chosen = name.rpartition(".toml")
    known = read_preset_file(Path(f"{path}.toml")) if dot else packaged_presets(engine_name)
    wanted = (
        (chosen.removeprefix(":") or (next(iter(known)) if len(known) == 1 else ""))
        if dot
        else name
    )
    if wanted not in known:
        raise ConfigError(
            f"engine {engine_name} has no preset {name!r}; there are: {', '.join(known) or 'none'}"
        )
    return known[wanted]


def read_preset_file(file: Path) -> dict[str, Preset]:
    """The presets in a file of the user, by name."""
    try:
        return read_presets(file.read_text(encoding="utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as problem:
        raise ConfigError(f"presets {file}: {problem}") from problem


def make_options(
    chosen: Engine, preset: Preset | None, settings: Mapping[str, Any]
) -> tuple[Any, PipelineOptions]:
    """The engine's and the pipeline's options: defaults, overridden by the preset, overridden by
    `settings`.

    Texts are converted to the type of the option.
    """
    if preset is not None and preset.engine != chosen.name:
        raise ConfigError(
            f"preset {preset.name} belongs to engine {preset.engine}, not {chosen.name}"
        )
    wanted = {**(preset.options if preset else {}), **settings}
    classes: tuple[type[Any], ...] = (chosen.options, PipelineOptions)
    known = [f.name for cls in classes for f in fields(cls)]
    for key in wanted:
        if key not in known:
            raise ConfigError(
                f"engine {chosen.name} has no option {key!r}; there are: {', '.join(known)}"
            )
    options, pipeline = (_fill(cls, wanted) for cls in classes)
    if hasattr(options, "validate"):
        options.validate()
    return options, pipeline


def _fill(cls: type[Any], wanted: Mapping[str, Any]) -> Any:
    kinds = get_type_hints(cls)
    return cls(
        **{
            f.name: convert(f, kinds[f.name], wanted[f.name])
            for f in fields(cls)
            if f.name in wanted
        }
    )


def convert(option: Field[Any], kind: Any, value: Any) -> Any:
    """`value`, possibly a text, as a value of the option's type and within its range."""
    made = _typed(option.name, kind, value)
    allowed, low = option.metadata.get("values"), option.metadata.get("low")
    if allowed and not any(_allows(known, made) for known in allowed):
        raise ConfigError(f"{option.name} is one of {', '.join(map(str, allowed))}, not {value}")
    if low is not None and made < low:
        raise ConfigError(f"{option.name} must be at least {low}, not {value}")
    return made


def _allows(known: Any, made: Any) -> bool:
    """A known value allows itself; one that ends in a colon, such as pipe:, every text that goes on
    after it.
    """
    if isinstance(known, str) and known.endswith(":"):
        return str(made).startswith(known) and str(made).removeprefix(known).strip() != ""
    return bool(made == known)


_TRUTH = {
    "true": True,
    "on": True,
    "1": True,
    "yes": True,
    "false": False,
    "off": False,
    "0": False,
    "no": False,
}


def _typed(name: str, kind: Any, value: Any) -> Any:
    if kind is bool:
        made = value if isinstance(value, bool) else _TRUTH.get(str(value).lower())
        if made is None:
            raise ConfigError(f"{name} is true or false, not {value}")
        return made
    if kind not in (int, float, str):
        raise ConfigError(f"{name} cannot be set from outside")
    if isinstance(value, bool):
        raise ConfigError(f"{name} is a {kind.__name__}, not {value}")
    try:
        return kind(value)
    except ValueError as problem:
        raise ConfigError(f"{name} is a {kind.__name__}, not {value}") from problem
