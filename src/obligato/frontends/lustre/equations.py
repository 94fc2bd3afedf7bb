"""The types of all that a node says: equations, assertions, properties."""

from __future__ import annotations

from obligato.errors import InputError
from obligato.frontends.lustre.desugar import Definition
from obligato.frontends.lustre.scopes import Scope
from obligato.frontends.lustre.types import BOOL, INT, Array
from obligato.frontends.lustre.typing import expect, infer


def check_scope(scope: Scope) -> None:
    """Check the types of all equations of a node; once for each scope."""
    if scope.checked:
        return
    scope.checked = True
    for name, d in scope.body.definitions.items():
        _check_definition(scope, name, d)
    for name, initial in scope.body.initial.items():
        if initial is not None:
            _check_definition(scope, name, initial)
    for e in scope.body.calls:
        infer(scope, e)
    for a in scope.body.asserts:
        expect(scope, a.formula, BOOL)
    for c in scope.body.checks:
        expect(scope, c.formula, BOOL)
        if c.provided is not None:
            expect(scope, c.provided, BOOL)


def _check_definition(scope: Scope, name: str, d: Definition) -> None:
    t = scope.variables[name]
    for _ in d.indices:
        if not isinstance(t, Array):
            raise InputError(f"{name} is defined with more indices than its type has", d.span)
        t = t.element
    expect(scope, d.value, t, dict.fromkeys(d.indices, INT))
