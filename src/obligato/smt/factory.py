"""Which solver for which theory, and the one place that knows all backends (DESIGN 3.4, 3.5).

Engines: our bit-blaster for Booleans and bit-vectors, z3 for integers and reals, bitwuzla for
floating point and arrays over bit-vectors, z3 for mixtures. Checkers: bitwuzla where it knows the
sorts, else cvc5, so that they differ from what the engine used. `solver_factory` carries it: the
solvers it makes share one translation, as the solvers of one run should.

    make = solver_factory([bitvec(32)], stats=stats); solver = make()

A backend's name is ``sat`` (MiniSat, which leaves hard queries to CaDiCaL; alone they are
``sat-minisat22``, ``sat-glucose4``, ``sat-cadical153``), ``z3``, ``bitwuzla``, ``cvc5``, or
``pipe:COMMAND LINE`` for any SMT-LIB 2 solver.

Limitation: an unknown or missing backend is a `ConfigError`, not a silent replacement.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal

from obligato.errors import ConfigError
from obligato.smt.encoder import FLOATS
from obligato.smt.querylog import QueryLog
from obligato.smt.solver import Solver, SolverStats
from obligato.terms import Kind, Sort, Term, postorder

Make = Callable[[], Solver]
Used = Mapping[str, None] | tuple[str, ...]  # names of backends
Purpose = Literal["engine", "check"]

_BITS = frozenset((Kind.BOOL, Kind.BITVEC))
_WORDS = _BITS | {Kind.FLOAT, Kind.RM, Kind.ARRAY}
_ALL = frozenset(Kind)


@dataclass(frozen=True, slots=True)
class Backend:
    """One solver: the package it comes in, the kinds of sorts it knows, and `make` by name,
    statistics and seed.

    `engine` and `check` rank it as an engine's and as a checker's solver of choice, the lowest
    first; None: never by itself.
    """

    package: str
    kinds: frozenset[Kind]
    make: Callable[[str, SolverStats | None, int], Make]
    engine: int | None
    check: int | None


def kinds_of(sorts: Iterable[Sort | Kind]) -> frozenset[Kind]:
    """The kinds that occur in `sorts`, those inside arrays and Bool included."""
    kinds = {Kind.BOOL}
    todo = list(sorts)
    while todo:
        s = todo.pop()
        if isinstance(s, Kind):
            kinds.add(s)
            continue
        kinds.add(s.kind)
        if s.kind is Kind.ARRAY:
            todo += [s.index, s.element]
    return frozenset(kinds)


def sorts_in(*terms: Term) -> list[Sort]:
    """The sorts of all subterms."""
    return list(dict.fromkeys(t.sort for t in postorder(terms)))


def kinds_in(*terms: Term) -> frozenset[Kind]:
    """The kinds of all subterms."""
    return kinds_of(sorts_in(*terms))


def supports(backend: str, sorts: Iterable[Sort | Kind]) -> bool:
    """Does the backend (sat, z3, bitwuzla, cvc5) know all `sorts`? z3 knows every float format, the
    others some.
    """
    sorts = list(sorts)
    floats = [s for s in sorts if isinstance(s, Sort) and s.kind is Kind.FLOAT]
    return kinds_of(sorts) <= BACKENDS[backend].kinds and (
        backend not in FLOATS or all(s in FLOATS[backend] for s in floats)
    )


def available_backends() -> list[str]:
    """The installed backends by name."""
    return [name for name, backend in BACKENDS.items() if find_spec(backend.package) is not None]


def default_backend(sorts: Iterable[Sort | Kind], purpose: Purpose = "engine") -> str:
    """The backend of choice for formulas over `sorts`."""
    sorts = list(sorts)
    return next(name for name in _ranked(purpose) if supports(name, sorts))


def _ranked(purpose: Purpose) -> list[str]:
    """The backends of choice for a purpose, best first."""
    ranks = {name: b.check if purpose == "check" else b.engine for name, b in BACKENDS.items()}
    return sorted(
        (name for name, rank in ranks.items() if rank is not None),
        key=lambda name: ranks[name] or 0,
    )


def family(backend: str) -> str:
    """The backend without its variant: sat for sat-minisat22, z3 for pipe:/usr/bin/z3."""
    return backend.removeprefix("pipe:").rpartition("/")[2].partition("-")[0]


def checker_chain(sorts: Iterable[Sort | Kind], used: Used = ()) -> list[str]:
    """The backends a checker may ask, best first; those that the engine `used` come last."""
    sorts, own = list(sorts), {family(name) for name in used}
    installed = available_backends()
    usable = [name for name in _ranked("check") if name in installed and supports(name, sorts)]
    # its budget does not hold there: 10 s for 0.2
    late = "cvc5" if {Kind.ARRAY, Kind.BITVEC} <= kinds_of(sorts) else None
    return sorted(usable, key=lambda name: (name in own, name == late))


def solver_factory(
    sorts: Iterable[Sort | Kind],
    purpose: Purpose = "engine",
    prefer: str | None = None,
    *,
    stats: SolverStats | None = None,
    seed: int = 0,
    log: QueryLog | None = None,
) -> Make:
    """A maker of solvers that share one translation, `stats` and `log`; `prefer` names a backend
    instead of the default.
    """
    make = _maker(list(sorts), purpose, prefer, stats, seed)
    return make if log is None else lambda: log.wrap(make())


def _maker(
    sorts: list[Sort | Kind],
    purpose: Purpose,
    prefer: str | None,
    stats: SolverStats | None,
    seed: int,
) -> Make:
    name = prefer if prefer is not None else default_backend(sorts, purpose)
    base = "sat" if name.startswith("sat-") else name
    if name.startswith("pipe:"):
        command = shlex.split(name.removeprefix("pipe:"))
        if not command:
            raise ConfigError("the solver pipe: needs a command line")
        return _pipe(command, stats)
    if base not in BACKENDS:
        raise ConfigError(
            f"unknown solver {name!r}; there are {', '.join(BACKENDS)} and pipe:COMMAND"
        )
    if not supports(base, sorts):
        raise ConfigError(
            f"the solver {name} does not know all of the sorts {', '.join(map(str, sorts))}"
        )
    if base not in available_backends():
        raise ConfigError(f"the solver {name} is not installed")
    make = BACKENDS[base].make(name, stats, seed)
    return (
        _ranged(make, stats)
        if purpose == "engine" and prefer is None and Kind.FLOAT in kinds_of(sorts)
        else make
    )


def make_solver(
    sorts: Iterable[Sort | Kind],
    purpose: Purpose = "engine",
    prefer: str | None = None,
    *,
    stats: SolverStats | None = None,
    seed: int = 0,
    log: QueryLog | None = None,
) -> Solver:
    """One solver with a translation of its own; see `solver_factory`."""
    return solver_factory(sorts, purpose, prefer, stats=stats, seed=seed, log=log)()


# A backend is imported when it is first used: together they cost half a second.


def _sat(name: str, stats: SolverStats | None, seed: int) -> Make:
    from obligato.smt.blast import BlastContext
    from obligato.smt.escalation import EscalatingSolver
    from obligato.smt.sat_backend import DEFAULT_ENGINE, HARD_ENGINE, PATIENCE, SatSolver

    context = BlastContext()
    if name != "sat":
        return lambda: SatSolver(stats, engine=name.removeprefix("sat-"), context=context)
    return lambda: EscalatingSolver(
        SatSolver(engine=DEFAULT_ENGINE, context=context),
        lambda: SatSolver(engine=HARD_ENGINE, context=context),
        PATIENCE,
        name=name,
        stats=stats,
    )


def _z3(name: str, stats: SolverStats | None, seed: int) -> Make:
    from obligato.smt.z3_backend import Z3Solver
    from obligato.smt.z3_context import Z3Context

    context = Z3Context()
    return lambda: Z3Solver(context, stats, seed)


def polynomial_solver(stats: SolverStats | None = None) -> Solver:
    """A solver for equations between polynomials of words, with a translation of its own."""
    from obligato.smt.z3_polynomials import Z3Polynomials

    return Z3Polynomials(None, stats)


def word_solver(stats: SolverStats | None = None) -> Solver:
    """A solver for arrays of words that writes reads out and asks our bit-blaster; it only ever
    says unsat.
    """
    from obligato.smt.without_arrays import WithoutArrays

    return WithoutArrays(make_solver([Kind.BITVEC], "check", "sat"), stats)


def _bitwuzla(name: str, stats: SolverStats | None, seed: int) -> Make:
    from obligato.smt.bitwuzla_backend import BitwuzlaEncoder, BitwuzlaSolver

    encoder = BitwuzlaEncoder()
    return lambda: BitwuzlaSolver(encoder, stats, seed)


def _cvc5(name: str, stats: SolverStats | None, seed: int) -> Make:
    from obligato.smt.cvc5_backend import Cvc5Encoder, Cvc5Solver

    encoder = Cvc5Encoder()
    return lambda: Cvc5Solver(encoder, stats, seed)


def real_solver(stats: SolverStats | None = None, credit: list[int] | None = None) -> Solver:
    """A solver for floats that asks z3 about reals; it only ever says unsat."""
    from obligato.smt.reals import RealSolver

    return RealSolver(lambda: make_solver([Kind.REAL], "check", "z3"), stats, credit)


def _ranged(make: Make, stats: SolverStats | None) -> Make:
    """Reals first and then ranges, as long as they are worth it; what they leave open goes to the
    solver that `make` makes.
    """
    from obligato.smt import reals
    from obligato.smt.ranges import CREDIT, PATIENCE, BoundedSolver, RangeSolver

    credit, real_credit = [CREDIT], [reals.CREDIT]

    def ranged() -> Solver:
        return BoundedSolver(RangeSolver(credit=credit), make, PATIENCE, stats)

    if "z3" not in available_backends():
        return ranged
    return lambda: BoundedSolver(real_solver(credit=real_credit), ranged, reals.PATIENCE, stats)


def _pipe(command: list[str], stats: SolverStats | None) -> Make:
    from obligato.smt.pipe import PipeSolver

    return lambda: PipeSolver(command, stats)


BACKENDS = {
    "sat": Backend("pysat", _BITS, _sat, engine=0, check=3),
    "z3": Backend("z3", _ALL, _z3, engine=2, check=2),
    "bitwuzla": Backend("bitwuzla", _WORDS, _bitwuzla, engine=1, check=0),
    "cvc5": Backend("cvc5", _ALL, _cvc5, engine=None, check=1),
}
