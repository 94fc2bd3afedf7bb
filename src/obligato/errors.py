"""The error tree of Obligato: small, typed, and never swallowed.

Every refusal of input carries a `Span`, so that the command line can print ``file:line:column:
error: ...`` with the source line and a caret.  A solver's `unknown` is a value, not an exception;
these are for everything else.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Span:
    """A place in an input file; line and column count from 1, 0 means unknown. Where known,
    `function` is the one it is in, and `scope` the innermost part of the input with names of its
    own: in C what is visible behind a declaration (`PlaceNames.scopes`), in IVL a procedure, in
    Lustre a use of a node, in SMV and Verilog an instance of a module; other formats have none.
    Both are for reports only: places are the same if file, line and column are.
    """

    file: str = ""
    line: int = 0
    column: int = 0
    function: str = field(default="", compare=False)
    scope: str = field(default="", compare=False)

    def __str__(self) -> str:
        place = f":{self.line}:{self.column}" if self.line else ""
        return f"{self.file or '<input>'}{place}"


NO_SPAN = Span()


class ObligatoError(Exception):
    """Root of all errors raised on purpose."""


class InputError(ObligatoError):
    """The input is malformed: a parse error, a wrong sort, an unknown symbol."""

    def __init__(self, message: str, span: Span = NO_SPAN, code: str = "input") -> None:
        super().__init__(f"{span}: error: {message}")
        self.message = message
        self.span = span
        self.code = code


class Unsupported(InputError):
    """The input is well formed but uses a construct that is not modelled; `construct` names it for
    statistics.
    """

    def __init__(self, message: str, span: Span = NO_SPAN, construct: str = "unsupported") -> None:
        super().__init__(message, span, code="unsupported")
        self.construct = construct


class ConfigError(ObligatoError):
    """An unknown option, a value out of range, a combination that is not sound."""


class ModelError(ObligatoError, TypeError):
    """A model that is built in Python makes no sense: types that do not fit, a name used twice, no
    property.
    """


class SolverFailure(ObligatoError):
    """A solver broke its contract (crashed, spoke nonsense); never used for a plain `unknown`."""


class ResourceOut(ObligatoError):
    """A counted budget, the time limit or the memory limit is used up; `resource` says which."""

    def __init__(self, resource: str, message: str = "") -> None:
        super().__init__(message or resource)
        self.resource = resource


class InternalError(ObligatoError):
    """Our own defect: a sort error inside, a rejected certificate, a trace that does not replay."""
