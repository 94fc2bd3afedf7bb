"""Obligato: a model checker built around IC3, for programs and transition systems.

    >>> import obligato
    >>> outcome = obligato.verify("examples/gcd.c", timeout=60)
    >>> outcome.proved
    True

`verify` takes a path, C files, text, a model, or a builder of one (`SystemBuilder`,
`ProgramBuilder`); `start` does the same in the background. Everything is imported when it is first
used, so that importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from obligato.api.library import (
        ClaimRefused,
        Event,
        Running,
        check,
        load,
        report,
        start,
        verify,
    )
    from obligato.errors import (
        ConfigError,
        InputError,
        InternalError,
        ModelError,
        ObligatoError,
        ResourceOut,
        SolverFailure,
        Span,
        Unsupported,
    )
    from obligato.modelling.expressions import (
        Expr,
        all_of,
        any_of,
        concat,
        distinct,
        floor,
        ite,
        sdiv,
        srem,
        to_real,
    )
    from obligato.modelling.programs import ProgramBuilder
    from obligato.modelling.systems import SystemBuilder
    from obligato.modelling.types import BOOL, INT, REAL, Type, array, signed, unsigned
    from obligato.models.transition_system import TransitionSystem
    from obligato.program.syntax import Program
    from obligato.results.outcome import (
        CertificateReport,
        InvariantReport,
        Outcome,
        PropertyVerdict,
        StepReport,
        TraceReport,
        Verdict,
    )

    __version__: str

_HOMES = {
    "obligato.api.library": (
        "ClaimRefused",
        "Event",
        "Running",
        "check",
        "load",
        "report",
        "start",
        "verify",
    ),
    "obligato.errors": (
        "ConfigError",
        "InputError",
        "InternalError",
        "ModelError",
        "ObligatoError",
        "ResourceOut",
        "SolverFailure",
        "Span",
        "Unsupported",
    ),
    "obligato.modelling.expressions": (
        "Expr",
        "all_of",
        "any_of",
        "concat",
        "distinct",
        "floor",
        "ite",
        "sdiv",
        "srem",
        "to_real",
    ),
    "obligato.modelling.programs": ("ProgramBuilder",),
    "obligato.modelling.systems": ("SystemBuilder",),
    "obligato.modelling.types": ("BOOL", "INT", "REAL", "Type", "array", "signed", "unsigned"),
    "obligato.models.transition_system": ("TransitionSystem",),
    "obligato.program.syntax": ("Program",),
    "obligato.results.outcome": (
        "CertificateReport",
        "InvariantReport",
        "Outcome",
        "PropertyVerdict",
        "StepReport",
        "TraceReport",
        "Verdict",
    ),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "BOOL",
    "CertificateReport",
    "ClaimRefused",
    "ConfigError",
    "Event",
    "Expr",
    "INT",
    "InputError",
    "InternalError",
    "InvariantReport",
    "ModelError",
    "ObligatoError",
    "Outcome",
    "Program",
    "ProgramBuilder",
    "PropertyVerdict",
    "REAL",
    "ResourceOut",
    "Running",
    "SolverFailure",
    "Span",
    "StepReport",
    "SystemBuilder",
    "TraceReport",
    "TransitionSystem",
    "Type",
    "Unsupported",
    "Verdict",
    "__version__",
    "all_of",
    "any_of",
    "array",
    "check",
    "concat",
    "distinct",
    "floor",
    "ite",
    "load",
    "report",
    "sdiv",
    "signed",
    "srem",
    "start",
    "to_real",
    "unsigned",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("obligato")
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
