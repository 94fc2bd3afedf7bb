"""Mangled certificates, traces and witnesses: `obligato check` must never accept a wrong one.

    python tests/fuzz/claims_run.py [--count 3000] [--seed N] [--only CASE]

A claim about a random small system is made by an engine, or made up; its JSON (or witness) is
mutated and read by the code behind `obligato check`. Reading refuses it, or the checker judges it.
What the checker accepts is checked by exploration: an accepted certificate is about a safe system,
and with k = 1 is accepted exactly if it is inductive, state by state; an accepted trace is a run
that violates a property.

Every third case edits one field of a whole outcome that `verify` wrote (`Edited`): its property, a
value, a displayed text. What `check` then says must be true of the property that the claim names,
and what it shows must be what the claim displays. Exit status 1 if there is a complaint.
"""

from __future__ import annotations

import argparse
import collections
import json
import random
import sys
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from obligato.api import verify
from obligato.api.describe_system import describe_system_certificate, describe_system_trace
from obligato.api.pipeline import Rejected
from obligato.api.recheck import read_outcome, recheck
from obligato.api.request import ClaimRefused, Request
from obligato.api.system_recheck import read_certificate, read_trace
from obligato.engines import bmc, ic3, kinduction
from obligato.engines.environment import Environment
from obligato.errors import InputError
from obligato.frontends import aiger, btor2
from obligato.frontends.registry import language_of
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemCertificate, SystemTrace
from obligato.models.ts_reduce import reduce_system, sorts_of
from obligato.reports.json_report import json_text, to_dict
from obligato.results.checking.certificate import CertificateCheck, Status
from obligato.results.checking.run import SystemTraceCheck, check_system_trace
from obligato.results.checking.solving import Link, chain
from obligato.results.checking.system import check_system_certificate
from obligato.results.outcome import Outcome, Verdict
from obligato.smt import SolverStats
from obligato.terms import BOOL, free_vars
from tests.fuzz.progress import Guard, arguments, finish
from tests.support.mutations import mutated
from tests.support.oracle import Machine, explore
from tests.support.systems import RandomTerms, random_system
from tests.support.windows import Windows

SECONDS = 60
Tally = collections.Counter[str]


class Claims:
    """Claims about one system."""

    def __init__(self, case: int, folder: Path, tally: Tally) -> None:
        self.rng, self.tally, self.file = random.Random(case), tally, folder / "claim.json"
        self.system = random_system(case, max_bits=5, rich=True)
        self.depth = explore(self.system).depth
        self.generator = RandomTerms(case, rich=True)
        self.generator.store = self.system.store

    def objections(self) -> list[str]:
        """What speaks against the checker."""
        if self.depth is not None and self.rng.random() < 0.5:
            return self._witness(self.rng.choice(("btor2", "aig")))
        certificate = self.depth is None or self.rng.random() < 0.5
        data = self._certificate() if certificate else self._trace(self.system)
        text = json.dumps({"schema": 1, "certificate" if certificate else "trace": data})
        self.file.write_text(
            mutated(self.rng, text) if self.rng.random() < 0.7 else text, encoding="utf-8"
        )
        try:
            read = read_outcome(str(self.file))
            if read.get("certificate"):
                return self._judge(read_certificate(self.system, read["certificate"], "claim"))
            return self._confirm(self.system, read_trace(self.system, read.get("trace"), "claim"))
        except (InputError, Rejected):
            return self._count("refused by the reader")

    def _count(self, what: str) -> list[str]:
        self.tally[what] += 1
        return []

    # -- claims ------------------------------------------------------------------------------------

    def _certificate(self) -> dict[str, Any]:
        """An engine's, or any formula over the state."""
        small = reduce_system(self.system, 3)[0]
        induced = kinduction.prove(small, kinduction.Options(bound=6), Environment())
        result = (
            ic3.prove(small, ic3.Options(), Environment()) if self.rng.random() < 0.5 else induced
        )
        made = SystemCertificate(
            self.generator.formula(list(self.system.state), self.rng.choice((0, 1, 2)))
        )
        certificate = (
            made if result.certificate is None or self.rng.random() < 0.4 else result.certificate
        )
        if self.rng.random() < 0.4:
            both = [*self.system.state, *self.system.primed.values()]
            certificate = replace(
                certificate, relation=self.generator.formula(both, self.rng.choice((0, 1, 2)))
            )
        data = asdict(
            describe_system_certificate(
                self.system,
                "f",
                language_of("f.vmt"),
                certificate,
                CertificateCheck(Status.ACCEPTED),
            )
        )
        if certificate is not induced.certificate or self.rng.random() < 0.5:
            data["k"] = self.rng.choice((1, 1, 1, 2, 3))
            data["distinct"] = (
                [x.name for x in self.system.state if self.rng.random() < 0.5]
                if self.rng.random() < 0.3
                else []
            )
        return data

    def _trace(self, system: TransitionSystem) -> dict[str, Any]:
        checked = self._violation(system)
        assert checked.trace is not None
        return asdict(describe_system_trace(system, "f", checked.trace, checked.violated))

    def _violation(self, system: TransitionSystem) -> SystemTraceCheck:
        trace = bmc.prove(reduce_system(system, 3)[0], bmc.Options(bound=60), Environment()).trace
        assert trace is not None
        return check_system_trace(system, trace, _links(system))

    def _witness(self, kind: str) -> list[str]:
        if kind == "btor2":
            words = btor2.read(btor2.btor2_text(self.system))
            found = self._violation(words.system)
            assert found.trace is not None
            system, text = words.system, btor2.witness_text(words, found.trace, found.violated)
        else:
            bits = aiger.read(aiger.aiger_bytes(self.system))
            found = self._violation(bits.system)
            assert found.trace is not None
            system, text = bits.system, aiger.witness_text(bits, found.trace, found.violated)
        text = mutated(self.rng, text) if self.rng.random() < 0.9 else text
        try:
            trace = (
                btor2.read_witness(words, text)
                if kind == "btor2"
                else aiger.read_witness(bits, text)
            )
        except InputError:
            return self._count(f"{kind} witness refused by the reader")
        return self._confirm(system, trace)

    # -- judging -----------------------------------------------------------------------------------

    def _judge(self, certificate: SystemCertificate) -> list[str]:
        if certificate.k > 30:
            return self._count("certificates with a large k, not checked here")
        status = check_system_certificate(self.system, certificate, _links(self.system)).status
        self.tally[f"certificates {status.name.lower()}"] += 1
        if status is Status.ACCEPTED and self.depth is not None:
            return [
                f"a certificate was accepted, but there is a violation after {self.depth} steps:"
                f" {certificate}"
            ]
        plain = (
            1 <= certificate.k <= 4 and not certificate.distinct and status is not Status.UNKNOWN
        )
        if plain and _well_formed(self.system, certificate):
            self.tally["certificates compared state by state"] += 1
            if Windows(self.system, certificate).inductive() is not (status is Status.ACCEPTED):
                return [f"inductive or not, the checker says {status.name}: {certificate}"]
        return []

    def _confirm(self, system: TransitionSystem, trace: SystemTrace) -> list[str]:
        check = check_system_trace(system, trace, _links(system))
        self.tally[f"traces {check.status.name.lower()}"] += 1
        if check.trace is not None and not Machine(system).violated_by(check.trace):
            return [f"a wrong trace was confirmed: {check.trace}"]
        return []


class Edited:
    """A whole outcome with one field changed."""

    def __init__(self, case: int, folder: Path, tally: Tally) -> None:
        self.rng, self.tally = random.Random(case), tally
        self.file, self.claim = folder / "system.btor2", folder / "edited.json"
        self.file.write_text(
            btor2.btor2_text(random_system(case, max_bits=5, rich=True)), encoding="utf-8"
        )
        self.system = btor2.load(self.file)

    def objections(self) -> list[str]:
        """What speaks against `check`."""
        names = [p.name for p in self.system.properties]
        asked = self.rng.choice([*names, ""])
        outcome = verify(self.file, property=asked or None, timeout=20, isolated=False)
        data = json.loads(json_text(to_dict(outcome)))
        if not (data.get("certificate") or data.get("trace") or data.get("properties")):
            return self._count("nothing to edit")
        before = json.dumps(data)
        place = self._edit(data, names)
        self.claim.write_text(json.dumps(data), encoding="utf-8")
        try:
            found = recheck(
                Request(str(self.file), timeout=20), lambda kind, told: None, str(self.claim)
            )
        except (InputError, ClaimRefused):
            same = json.dumps(data) == before
            return (
                [f"{place}: a right claim was refused"] if same else self._count("edited: refused")
            )
        return self._judge(found, data, place)

    def _count(self, what: str) -> list[str]:
        self.tally[what] += 1
        return []

    def _edit(self, data: dict[str, Any], names: list[str]) -> str:
        """Change one leaf below the claim, or the property."""
        if self.rng.random() < 0.2:
            data["property"] = self.rng.choice(names)
            return "property"
        node: Any = data
        key: Any = self.rng.choice(
            [k for k in ("certificate", "trace", "properties", "verdict") if data.get(k)]
        )
        path = [str(key)]
        while isinstance(node[key], dict | list) and node[key]:
            node = node[key]
            key = self.rng.choice(list(node) if isinstance(node, dict) else range(len(node)))
            path.append(str(key))
        node[key] = self._other(node[key])
        return ".".join(path)

    def _other(self, value: Any) -> Any:
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            return value + self.rng.choice((-1, 1, 2, 32, -40))
        return (
            mutated(self.rng, value[:400])
            if isinstance(value, str)
            else self.rng.choice((0, "x", True, {}))
        )

    def _judge(self, found: Outcome, data: dict[str, Any], place: str) -> list[str]:
        out = []
        for v in found.verdicts or (found,):
            if v.verdict is Verdict.UNKNOWN:
                continue
            shown = self.system.display
            asked = [
                p
                for p in self.system.properties
                if v.property in (p.name, shown.get(p.name), "unreach-call")
            ]
            depth = explore(replace(self.system, properties=tuple(asked))).depth
            self.tally[f"edited: {v.verdict.value}"] += 1
            if (depth is None) is not (v.verdict is Verdict.TRUE):
                out.append(
                    f"{place}: {v.property} is said to be {v.verdict.value}, its depth is {depth}"
                )
        again = to_dict(found)
        for key in ("verdict", "trace"):
            if "properties" not in data and _displayed(data[key]) != _displayed(again[key]):
                out.append(f"{place}: accepted, but {key} displays something else")
        return out


def _displayed(value: Any) -> Any:
    """What a person sees of a trace or a verdict and nothing is judged by."""
    if not isinstance(value, dict):
        return value
    steps = [{k: s.get(k) for k in ("line", "statement")} for s in value["steps"]]
    return value["start"], steps


def _well_formed(system: TransitionSystem, certificate: SystemCertificate) -> bool:
    sorts = {x.name: x.sort for x in system.state}
    both = sorts | {y.name: y.sort for y in system.primed.values()}
    relation = certificate.relation or certificate.invariant
    return (
        certificate.invariant.sort is BOOL
        and all(sorts.get(v.name) is v.sort for v in free_vars(certificate.invariant))
        and relation.sort is BOOL
        and all(both.get(v.name) is v.sort for v in free_vars(relation))
    )


def _links(system: TransitionSystem) -> list[Link]:
    return chain(sorts_of(system), ("sat",), SolverStats())


def main() -> int:
    """All cases."""
    o = arguments(argparse.ArgumentParser(), count=3000)
    tally: Tally = collections.Counter()
    guard = Guard(SECONDS, memory=4 << 30)
    with tempfile.TemporaryDirectory() as folder:
        for case in guard.cases(o):
            with guard.case(case):
                kind = Edited if case % 3 == 0 else Claims
                guard.complaints(case, kind(case, Path(folder), tally).objections())
    return finish("claims", guard, tally)


if __name__ == "__main__":
    sys.exit(main())
