"""Next-state functions of a transition system that is given as a relation.

An equation x' = e of the relation gives a function; else the next value is a fresh input. What else
the relation says is a filter beside the functions: exactly the same steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from obligato.models.transition_system import TransitionSystem, functional
from obligato.models.ts_claims import SystemCertificate, SystemTrace
from obligato.terms import BOOL, Op, Substitution, Term, conjuncts, free_vars, substitute


class NextLift:
    """Maps claims back: in an instance of a certificate an input that stands for a next value
    becomes that value."""

    def __init__(self, told: Mapping[Term, Term]) -> None:
        self.told = {i.name: x for i, x in told.items()}

    def certificate(self, certificate: SystemCertificate) -> SystemCertificate:
        """The certificate with next-state values in its instances."""
        if not certificate.instances:
            return certificate
        store = certificate.invariant.store
        about = (*certificate.instances, *certificate.differences)
        put = Substitution(
            {
                v: store.var(self.told[v.name].name, v.sort)
                for ts in about
                for v in free_vars(*ts)
                if v.name in self.told
            }
        )
        return replace(
            certificate,
            instances=tuple(tuple(map(put, ts)) for ts in certificate.instances),
            differences=tuple((put(w), put(a), put(b)) for w, a, b in certificate.differences),
        )

    def trace(self, trace: SystemTrace) -> SystemTrace:
        """As it is: inputs that the system does not have say nothing."""
        return trace


def with_functions(system: TransitionSystem) -> tuple[TransitionSystem, NextLift]:
    """The system with next-state functions; as it is if it has them."""
    if system.next is not None:
        return system, NextLift({})
    inputs = list(system.inputs)
    next_, filter_ = functions(system, inputs)
    trans = functional(system.store, next_, *([] if filter_ is None else [filter_]))
    told = {e: system.primed[x] for x, e in next_.items() if e in inputs[len(system.inputs) :]}
    return replace(system, inputs=tuple(inputs), next=next_, trans=trans, total=None), NextLift(
        told
    )


def functions(system: TransitionSystem, inputs: list[Term]) -> tuple[dict[Term, Term], Term | None]:
    """Next-state functions, and what a step must satisfy beside them;
    `inputs` grows where there are no functions."""
    s = system.store
    if system.next is not None:
        next_ = dict(system.next)
        if system.trans is functional(s, next_):
            return next_, None
    else:
        told = _equations(system)
        next_ = {
            x: told[x] if x in told else s.fresh(f"next of {x.name}", x.sort) for x in system.state
        }
        inputs.extend(e for x, e in next_.items() if x not in told)
    filter_ = substitute(system.trans, {system.primed[x]: e for x, e in next_.items()})
    left = [f for f in conjuncts(filter_) if not (f.op is Op.EQ and f.args[0] is f.args[1])]
    return next_, s.and_(*left) if left else None


def _equations(system: TransitionSystem) -> dict[Term, Term]:
    """The state variables whose next value a conjunct of the relation defines over this state and
    the inputs."""
    owner, told = {y: x for x, y in system.primed.items()}, dict[Term, Term]()
    for f in conjuncts(system.trans):
        for y, e in readings(f):
            if y in owner and owner[y] not in told and not any(v in owner for v in free_vars(e)):
                told[owner[y]] = e
                break
    return told


def readings(f: Term) -> tuple[tuple[Term, Term], ...]:
    """The equations y = e that a formula is."""
    s = f.store
    if f.op is Op.EQ:
        return (f.args[0], f.args[1]), (f.args[1], f.args[0])
    if f.op is not Op.NOT:
        return ((f, s.true),)
    a = f.args[0]
    if a.op is Op.EQ and a.args[0].sort is BOOL:
        return (a.args[0], s.not_(a.args[1])), (a.args[1], s.not_(a.args[0]))
    return ((a, s.false),)
