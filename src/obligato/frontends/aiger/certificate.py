"""A proof as a circuit: a combinational AIGER with one output, which is constantly false if and
only if the invariant proves.

The inputs are the bits of a state and of the inputs; the output is true where the state is initial
and not in the invariant, or in the invariant with a bad property or with a next state outside of
it. Any tool that decides circuits can repeat the check:

    abc -c "read_aiger certificate.aig; strash; sat"          (UNSATISFIABLE)
"""

from __future__ import annotations

from obligato.frontends.aiger.writer import aiger_bytes
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem
from obligato.terms import Kind, Term, substitute


def has_circuit(system: TransitionSystem) -> bool:
    """Is it made of bits, with next-state functions?"""
    words = all(x.sort.kind in (Kind.BOOL, Kind.BITVEC) for x in (*system.state, *system.inputs))
    return words and system.next is not None and bool(system.assertions)


def certificate_bytes(system: TransitionSystem, invariant: Term) -> bytes:
    """The circuit that checks an inductive invariant of a system. Requires:
    `has_circuit(system)`.
    """
    assert system.next is not None
    store = system.store
    inside = store.import_term(invariant)
    holds = store.and_(*(p.formula for p in system.assertions))
    after = substitute(inside, dict(system.next))
    wrong = store.or_(
        store.and_(system.init, store.not_(inside)),
        store.and_(inside, *system.constraints, store.not_(holds)),
        store.and_(inside, *system.constraints, store.not_(after)),
    )
    proof = Assertion("certificate", store.not_(wrong))
    miter = TransitionSystem(
        store,
        (),
        (*system.state, *system.inputs),
        store.true,
        store.true,
        (proof,),
        next={},
        total=True,
    )
    return _with_output(aiger_bytes(miter))


def _with_output(circuit: bytes) -> bytes:
    """The circuit in the first version of the format, which every tool reads: the bad state is its
    output.
    """
    head, _, rest = circuit.partition(b"\n")
    kind, maximum, inputs, latches, outputs, ands, bad, constraints = head.split()
    assert (latches, outputs, bad, constraints) == (b"0", b"0", b"1", b"0")
    return (
        b" ".join([kind, maximum, inputs, latches, bad, ands])
        + b"\n"
        + rest.replace(b"\nb0 ", b"\no0 ")
    )
