"""The options of IC3CFA: one frozen dataclass;
the command line, presets and docs are generated from it."""

from __future__ import annotations

from dataclasses import dataclass

from obligato.engines.kernel.queue import ORDER_HELP, ORDERS
from obligato.engines.options import BACKENDS, option
from obligato.errors import ConfigError
from obligato.models.blocks import MEASURES


@dataclass(frozen=True, slots=True)
class Options:
    """Everything that can be varied;
    defaults were chosen by measurement (docs/ic3cfa-evaluation.md)."""

    generalize: str = option(
        "joint",
        "how a blocked cube is generalised: none, all edges at once, edge by edge, or joint"
        " candidates",
        "[LNNK19, 5.2, Eq. 18, Cor. 3]",
        ("none", "multi", "single", "joint"),
    )
    cube_order: str = option("ascending", ORDER_HELP, "[LNNK19, 5.4; Bra12, 2.2]", ORDERS)
    reuse_obligations: bool = option(
        True, "keep obligations for the next frontier", "[LNNK19, 4.3]"
    )
    requeue: bool = option(
        True, "ask a blocked obligation again one level higher, up to the frontier", "[EMB11]"
    )
    raise_lemmas: bool = option(
        True, "put a new lemma at the highest level where it holds", "[EMB11]"
    )
    skip_obligations: bool = option(
        False,
        "block an obligation without a query once all its exact predecessors are blocked",
        "[LNNK19, 4.3]",
    )
    wep_inductivity: bool = option(
        True, "inductivity by WEP instead of a transition formula", "[LNNK19, Thm. 4]"
    )
    predecessor_cubes: bool = option(
        False,
        "answer without a query where lemmas before an edge block what leads along it "
        "into the cube, and generalise by them",
        "[LNNK19, Thm. 6, 7]",
    )
    caching: bool = option(
        False,
        "keep generalisations along an edge, for other cubes, while the lemmas hold that "
        "they rest on (upper bounds)",
        "[LNNK19, Thm. 8, Cor. 5]",
    )
    lower_bounds: bool = option(
        False,
        "keep which literals could not be dropped along an edge, and do not try them "
        "again (lower bounds)",
        "[LNNK19, Thm. 9]",
    )
    drop_assumed: bool = option(
        False, "leave out literals whose pull-backs the edge assumes", "[LNNK19, Thm. 5]"
    )
    seed_cores: bool = option(
        True, "generalisation starts from unsat cores and goes on with them", "[EMB11]"
    )
    literal_order: str = option(
        "activity",
        "literals tried first: those least active in earlier lemmas, or as they stand in the cube",
        "[Bra11]",
        ("activity", "given"),
    )
    interpolation: bool = option(False, "generalise by an interpolant", "[LNNK19, 7.3]")
    semantic_subsumption: bool = option(
        False, "ask the solver whether a cube is blocked already", "[LNNK19, 7.3]"
    )
    splitting: str = option(
        "lazy",
        "paths of a block: one per model, or all up front",
        "[LNNK19, Def. 14]",
        ("lazy", "eager"),
    )
    large_blocks: bool = option(True, "large-block encoding before the engine", "[BCGKS09]")
    block_limit: int = option(2000, "size of one large block at most", "[LNNK19, 6.2]", low=1)
    block_measure: str = option(
        "leaves",
        "the size of a block: its statements or its paths",
        "[LNNK19, 6.2]",
        tuple(MEASURES),
    )
    monolithic: bool = option(
        False, "one relation with a program counter instead of an automaton", "[LNNK19, Sect. 3]"
    )
    seed_invariants: bool = option(
        True, "start from verified invariants of the static analyses", ""
    )
    quantified: bool = option(
        True, "seeds about all cells of an array at once, with a quantifier", "[MG16]"
    )
    abstraction_models: int = option(
        8,
        "states asked for before an abstraction over predicates is given up; 0: all that it takes"
        " (AllSAT)",
        "[LNNK19, 6.1; BBW14, 3.1]",
        low=0,
    )
    predicates: int = option(
        60, "mined predicates per location that abstract blocked cubes", "[BBW14, 3.1]", low=0
    )
    ctg: int = option(0, "counterexamples to generalisation handled per literal", "[HBS13]", low=0)
    weaken_bounds: bool = option(
        False, "relax inequality literals of the joint candidate", "[HB12]"
    )
    guidance: int = option(
        20,
        "lemmas that differ in numbers only suggest a more general one: how many cubes "
        "may be blocked in trying to prove it; 0: nothing is suggested",
        "[KGSC20]",
        low=0,
    )
    concretise: bool = option(
        True,
        "where lemmas differ in the factors of integers, an obligation comes back as a part around"
        " one of its states, too",
        "[KGSC20]",
    )
    drop_rounds: int = option(1, "passes over the literals of a joint candidate", "", low=0)
    short_runs: int = option(
        300,
        "questions after which runs are followed to their end, if that is near; 0: never, and the"
        " only run is not executed",
        "[BCCZ99]",
        low=0,
    )
    only_run: bool = option(
        True, "a program that has one run only is executed before anything is searched for", ""
    )
    acceleration: bool = option(
        True,
        "rounds of a loop that only counts are taken at once where runs are followed",
        "[BFLP08; KLW13]",
    )
    rebuild_every: int = option(
        250, "queries after which a location's solver is rebuilt if loading it paid off", "", low=1
    )
    budget: int = option(
        200_000,
        "steps of the solver that one query may cost where the search can do without its answer",
        "",
        low=1,
    )
    backend: str = option("auto", "solver of the engine", "", BACKENDS)

    def validate(self) -> None:
        """Refuse combinations that are not sound or make no sense."""
        if self.skip_obligations and self.splitting == "lazy":
            raise ConfigError(
                "skip_obligations needs splitting=eager: lazily split predecessors are never known"
                " to be all"
            )
        if self.lower_bounds and not self.caching:
            raise ConfigError("lower_bounds needs caching=true")
        if self.monolithic and (self.seed_invariants or self.predicates):
            raise ConfigError(
                "monolithic needs seed_invariants=false and predicates=0, which are found per"
                " location"
            )
        if self.interpolation and self.generalize in ("none", "multi"):
            raise ConfigError("interpolation needs generalize=single or joint")
