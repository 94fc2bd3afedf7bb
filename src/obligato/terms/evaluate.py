"""Evaluation of terms under an assignment of their variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from obligato.terms.semantics import Value, apply, default_value
from obligato.terms.term import Op, Term


def evaluate(root: Term, assignment: Mapping[Term, Value], memo: dict[Term, Any] | None = None) -> Any:
    """The value of `root`; variables without a value take their sort's default.

    `memo` may be reused for one assignment. Only the chosen branch of an ite is evaluated.
    """
    done: dict[Term, Any] = {} if memo is None else memo
    stack = [root]
    while stack:
        t = stack[-1]
        if t in done:
            stack.pop()
            continue
        if not t.args:
            done[t] = t.data if t.op is Op.CONST else _variable(t, assignment)
            stack.pop()
            continue
        if t.op is Op.ITE:
            _step_ite(t, stack, done)
            continue
        pending = [a for a in t.args if a not in done]
        if pending:
            stack.extend(pending)
            continue
        stack.pop()
        done[t] = apply(t, [done[a] for a in t.args])
    return done[root]


def _variable(t: Term, assignment: Mapping[Term, Value]) -> Value:
    value = assignment.get(t)
    return default_value(t.sort) if value is None else value


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
