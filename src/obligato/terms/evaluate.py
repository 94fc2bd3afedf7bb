"""Evaluation of terms under an assignment of their variables.

Literals are small and evaluated by the thousand: what has been evaluated a few times runs as a
program (terms.compiled). For the rest the first levels recurse, which is what Python does fastest;
below `_LEVELS` an explicit stack takes over, since terms may be tens of thousands of levels deep.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from obligato.terms.semantics import MEANINGS, Value, default_value
from obligato.terms.term import Op, Term

_LEVELS = 40
_CONST, _ITE, _AND, _OR = Op.CONST, Op.ITE, Op.AND, Op.OR


def evaluate(
    root: Term, assignment: Mapping[Term, Value], memo: dict[Term, Any] | None = None
) -> Any:
    """The value of `root`; variables without a value take their sort's default.

    `memo` may be reused for one assignment. Only the chosen branch of an ite is evaluated, and of a
    conjunction or disjunction (near the root) what comes before the first argument that decides it.
    """
    if memo is None:
        program = root.store.programs.get(root)
        return (
            _shallow(root, assignment, {}, _LEVELS) if program is None else program(assignment.get)
        )
    value = memo.get(root)
    if value is None:
        program = root.store.programs.get(root)
        if program is None:
            return _shallow(root, assignment, memo, _LEVELS)
        value = memo[root] = program(assignment.get)
    return value


def _shallow(t: Term, assignment: Mapping[Term, Value], done: dict[Term, Any], levels: int) -> Any:
    value = done.get(t)
    if value is not None:
        return value
    args = t.args
    if not args:
        return t.data if t.op is _CONST else _variable(t, assignment)
    if not levels:
        return _evaluate_by_stack(t, assignment, done)
    if t.op is _ITE:
        branch = args[1] if _shallow(args[0], assignment, done, levels - 1) else args[2]
        value = _shallow(branch, assignment, done, levels - 1)
    elif t.op is _AND or t.op is _OR:
        decides = t.op is _OR
        value = not decides
        for a in args:
            if _shallow(a, assignment, done, levels - 1) is decides:
                value = decides
                break
    elif len(args) == 2:
        left = _shallow(args[0], assignment, done, levels - 1)
        value = MEANINGS[t.op](t)(left, _shallow(args[1], assignment, done, levels - 1))
    else:
        value = MEANINGS[t.op](t)(*[_shallow(a, assignment, done, levels - 1) for a in args])
    done[t] = value
    return value


def _variable(t: Term, assignment: Mapping[Term, Value]) -> Value:
    value = assignment.get(t)
    return default_value(t.sort) if value is None else value


def _evaluate_by_stack(root: Term, assignment: Mapping[Term, Value], done: dict[Term, Any]) -> Any:
    stack = [root]
    while stack:
        t = stack[-1]
        if t in done:
            stack.pop()
            continue
        if not t.args:
            done[t] = t.data if t.op is _CONST else _variable(t, assignment)
            stack.pop()
            continue
        if t.op is _ITE:
            _step_ite(t, stack, done)
            continue
        pending = [a for a in t.args if a not in done]
        if pending:
            stack.extend(pending)
            continue
        stack.pop()
        done[t] = MEANINGS[t.op](t)(*[done[a] for a in t.args])
    return done[root]


def _step_ite(t: Term, stack: list[Term], done: dict[Term, Any]) -> None:
    cond, then, other = t.args
    if cond not in done:
        stack.append(cond)
        return
    branch = then if done[cond] else other
    if branch not in done:
        stack.append(branch)
        return
    stack.pop()
    done[t] = done[branch]
