"""Mutated input files: each is read, or refused with its position; no other exception, no hang, no
memory blow-up.

    python tests/fuzz/mutants_run.py [--count 100000] [--seed N] [--format smv] [--only CASE
    [--show]]

The formats take turns (or there is one): VMT, BTOR2, AIGER as text and binary, Horn clauses, IVL,
Lustre, SMV, MCMT. What is mutated: random systems as our writers write them, random Lustre and SMV
programs, our examples and regression files, small files of the corpus where there is one. A system
that was read is also simplified and reduced, a program inlined and made a CFA, as every run does.
Exit status 1 if there is a complaint.
"""

from __future__ import annotations

import argparse
import collections
import random
import resource
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from obligato.errors import InputError, Unsupported  # noqa: E402
from obligato.frontends import aiger, btor2, chc, ivl, lustre, mcmt, smv, vmt  # noqa: E402
from obligato.models.build import build_cfa  # noqa: E402
from obligato.models.ts_reduce import reduce_system  # noqa: E402
from obligato.program.inline import inline  # noqa: E402
from tests.corpus import corpus_root  # noqa: E402
from tests.fuzz.progress import Tally, arguments, run_cases  # noqa: E402
from tests.support.lustre import Generator  # noqa: E402
from tests.support.mutations import horn_text, mutated, mutated_bytes  # noqa: E402
from tests.support.smv_models import Generator as SmvGenerator  # noqa: E402
from tests.support.systems import random_system  # noqa: E402

SECONDS = 10  # of CPU time for one file
# MB that one file may add to the peak of memory, and that each of its own adds to that
GROWTH, PER_MB = (200, 40)
FORMATS = ("vmt", "btor2", "aag", "aig", "smt2", "ivl", "lus", "smv", "mcmt")
SMALL = 3000  # bytes of a file that serves as a seed
ARRAYS = """(set-logic HORN)
(define-sort Map () (Array Int Int))
(declare-fun P (Int Map) Bool)
(assert (forall ((i Int) (a Map)) (=> (and (= i 0) (= a ((as const Map) 0))) (P i a))))
(assert (forall ((i Int) (a Map) (b Map)) (=> (and (P i a) (< i 10) (= b (store a i (* 2 i)))) (P (+ i 1) b))))
(assert (forall ((i Int) (a Map)) (let ((x (select a 3))) (=> (and (P i a) (not (<= x 18))) false))))
(check-sat)
"""


def original(kind: str, case: int) -> str | bytes:
    """The file that a case mutates."""
    rng = random.Random(case)
    stored: list[str | bytes] = _stored(kind)
    if stored and rng.random() < (1.0 if kind in ("ivl", "mcmt") else 0.2):
        return rng.choice(stored)
    return _written(kind, case // 600, rng.random() < 0.5)


@lru_cache(maxsize=16)
def _written(kind: str, seed: int, other: bool) -> str | bytes:
    system = random_system(seed, max_bits=5, rich=other)
    match kind:
        case "vmt":
            return vmt.vmt_text(system)
        case "btor2":
            return btor2.btor2_text(system)
        case "smt2":
            return horn_text(system, rules=other)
        case "lus":
            return Generator(random.Random(seed)).program()
        case "smv":
            return smv.smv_text(system) if other else SmvGenerator(random.Random(seed)).model()
    return aiger.aiger_bytes(system, kind == "aig")


@lru_cache
def _stored(kind: str) -> list[str | bytes]:
    folders = [ROOT / "examples", ROOT / "tests" / "regression"]
    corpus = corpus_root()
    found = [p for f in folders for p in sorted(f.rglob(f"*.{kind}"))]
    if corpus is not None:
        tracks = {
            "vmt": "vmt",
            "btor2": "btor2-hwmcc",
            "aig": "aig-technion",
            "smt2": "chc25",
            "lus": "kind2-regression",
            "smv": "",
            "mcmt": "sally",
        }
        found += sorted((corpus / tracks[kind]).rglob(f"*.{kind}")) if kind in tracks else []
    small = [p.read_bytes() for p in found if p.stat().st_size <= SMALL]
    if kind in ("aag", "aig"):
        return list(small[:50])
    return [
        *(b.decode("utf-8", "replace") for b in small[:50]),
        *([ARRAYS] if kind == "smt2" else ()),
    ]


def read(kind: str, content: str | bytes) -> None:
    """As a run reads it."""
    readers: dict[str, Callable[..., object]] = {
        "vmt": lambda t: reduce_system(vmt.parse(t, "f.vmt"), 3),
        "smt2": lambda t: chc.parse(t, "f.smt2"),
        "btor2": lambda t: reduce_system(btor2.read(t, "f.btor2").system, 3),
        "aag": lambda t: reduce_system(aiger.read(t, "f.aag").system, 3),
        "aig": lambda t: reduce_system(aiger.read(t, "f.aig").system, 3),
        "lus": lambda t: reduce_system(lustre.read(t, "f.lus").system, 3),
        "smv": lambda t: reduce_system(smv.read(t, "f.smv").system, 3),
        "mcmt": lambda t: reduce_system(mcmt.parse(t, "f.mcmt"), 3),
        "ivl": lambda t: build_cfa(inline(ivl.parse(t, "f.ivl"))),
    }
    readers[kind](content)


def mutant(case: int, format_: str = "") -> tuple[str, str | bytes]:
    """The format and the content of a case."""
    rng = random.Random(case)
    kind = format_ or FORMATS[case % len(FORMATS)]
    content = original(kind, case)
    if kind in ("aag", "aig"):
        assert isinstance(content, bytes)
        text = kind == "aag" and rng.random() < 0.8
        return kind, (
            mutated(rng, content.decode()).encode() if text else mutated_bytes(rng, content)
        )
    assert isinstance(content, str)
    return kind, mutated(rng, content)


def objections(case: int, tally: collections.Counter[str], format_: str = "") -> list[str]:
    """What speaks against the reader of one mutated file; exceptions other than refusals pass
    through.
    """
    kind, content = mutant(case, format_)
    before = _peak()
    try:
        read(kind, content)
        tally[f"{kind}: read"] += 1
    except InputError as refusal:
        tally[f"{kind}: {'unsupported' if isinstance(refusal, Unsupported) else 'refused'}"] += 1
        if refusal.span.line < 1:
            return [f"{kind}: refused without a position: {refusal}"]
    grown = _peak() - before
    return [f"{kind}: {grown} MB"] if grown > GROWTH + PER_MB * len(content) / 1e6 else []


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main() -> int:
    """All cases."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", action="store_true", help="print the mutated files")
    parser.add_argument("--format", choices=FORMATS, default="", help="only this one")
    o = arguments(parser, count=100_000)

    def judged(case: int, tally: Tally) -> list[str]:
        if o.show:
            print(repr(mutant(case, o.format)))
        return objections(case, tally, o.format)

    return run_cases("mutated files", o, SECONDS, judged)


if __name__ == "__main__":
    sys.exit(main())
