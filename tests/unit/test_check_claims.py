"""`obligato check`: a claim is judged by its own property, values fit their sorts, nothing
displayed is taken on trust; inputs are read once.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import obligato
from tests.unit.test_btor2_aiger_cli import COUNTER
from tests.unit.test_cli import BUG, OBLIGATO, SAFE, run_here

Change = Callable[[Any], None]


class Claim:
    """An input with the claim that `verify` made about it."""

    def __init__(self, folder: Path, name: str, text: str, *args: str) -> None:
        self.file, self.claim = folder / name, folder / "claim.json"
        self.file.write_text(text, encoding="utf-8")
        run_here("verify", str(self.file), "-q", "--json", str(self.claim), *args)

    def checked(self, change: Change = lambda data: None, *args: str) -> tuple[int, str]:
        """The exit status and the message about the claim after a change."""
        data = json.loads(self.claim.read_text(encoding="utf-8"))
        change(data)
        changed = self.claim.with_name("changed.json")
        changed.write_text(json.dumps(data), encoding="utf-8")
        done = run_here("check", str(self.file), str(changed), "-q", *args)
        return done.returncode, done.stderr


@pytest.fixture(scope="module")
def safe(tmp_path_factory: pytest.TempPathFactory) -> Claim:
    return Claim(tmp_path_factory.mktemp("safe"), "p.ivl", SAFE)


@pytest.fixture(scope="module")
def bug(tmp_path_factory: pytest.TempPathFactory) -> Claim:
    return Claim(tmp_path_factory.mktemp("bug"), "p.ivl", BUG)


@pytest.fixture(scope="module")
def proved(tmp_path_factory: pytest.TempPathFactory) -> Claim:
    """bad0 holds; bad1, of the same system, does not."""
    return Claim(tmp_path_factory.mktemp("proved"), "counter.btor2", COUNTER, "--property", "bad0")


@pytest.fixture(scope="module")
def refuted(tmp_path_factory: pytest.TempPathFactory) -> Claim:
    return Claim(tmp_path_factory.mktemp("refuted"), "counter.btor2", COUNTER, "--property", "bad1")


def setting(key: str, value: object) -> Change:
    return lambda data: data.update({key: value})


def test_a_claim_is_judged_by_its_own_property(proved: Claim, refuted: Claim) -> None:
    assert (proved.checked()[0], refuted.checked()[0]) == (0, 10)
    assert proved.checked(lambda data: None, "--property", "bad0")[0] == 0
    assert proved.checked(setting("property", "bad1"))[0] == 4
    status, message = proved.checked(lambda data: None, "--property", "bad1")
    assert status == 4 and "the claim is about bad0" in message
    assert proved.checked(setting("property", "bad9"))[0] == 3
    assert proved.checked(setting("property", 7))[0] == 3


def test_values_fit_their_sorts(refuted: Claim) -> None:
    """x has three bits: 8 is no other way to say 0."""
    for value, status in ((8, 3), (-5, 3), (True, 3), ("0", 3), (7, 4), (0, 10)):

        def change(data: Any, value: object = value) -> None:
            data["trace"]["initial"]["x"] = data["trace"]["start"]["x"] = value

        assert refuted.checked(change)[0] == status, value


def in_step(key: str, value: object) -> Change:
    return lambda data: data["trace"]["steps"][0].update({key: value})


@pytest.mark.parametrize(
    "change",
    [
        in_step("assignments", {"x": 3}),
        in_step("line", 77),
        in_step("statement", "x := 3;"),
        setting("verdict", "true"),
        lambda data: data["trace"].update(start={"y": 1}),
        lambda data: data["trace"].update(violation="p.ivl:5: smaller"),
        lambda data: data["trace"].update(violation="not in p.ivl:5: larger"),
    ],
    ids=["assignments", "line", "statement", "verdict", "start", "violation", "place"],
)
def test_what_a_trace_displays_is_compared(bug: Claim, change: Change) -> None:
    assert bug.checked()[0] == 10
    status, message = bug.checked(change)
    assert status == 4 and message.startswith("rejected: ")


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["certificate"]["invariants"][0].update(c="x == 0"),
        setting("verdict", "false"),
        lambda data: data["certificate"]["invariants"][0].update(line=99),
        lambda data: data["certificate"].update(kind="k-inductive"),
    ],
    ids=["c", "verdict", "line", "kind"],
)
def test_what_a_certificate_displays_is_compared(safe: Claim, change: Change) -> None:
    assert safe.checked()[0] == 0
    status, message = safe.checked(change)
    assert status == 4 and message.startswith("rejected: ")


def test_start_values_of_a_system_are_compared(refuted: Claim) -> None:
    assert refuted.checked(lambda data: data["trace"]["start"].update(x=1))[0] == 4


def test_independence_is_what_the_claim_says(proved: Claim) -> None:
    """Without a word about the solvers that found it, no checker is known to be another one."""
    for solvers, independent in (
        (["sat"], True),
        (["sat", "bitwuzla", "cvc5", "z3"], False),
        (None, False),
    ):
        out = proved.claim.with_name("out.json")
        assert (
            proved.checked(setting("stats", {"wall_s": 0, "solvers": solvers}), "--json", str(out))[
                0
            ]
            == 0
        )
        assert json.loads(out.read_text())["certificate"]["independent"] is independent


@pytest.mark.parametrize("broken", [False, True])
def test_a_pipe_is_read_once(tmp_path: Path, broken: bool) -> None:
    """The witness and the message are made of what was read; a second reading would wait for
    ever.
    """
    pipe, witness = tmp_path / "counter.btor2", tmp_path / "w"
    os.mkfifo(pipe)
    command = [
        *OBLIGATO,
        "verify",
        str(pipe),
        "-q",
        "--property",
        "bad1",
        "--witness",
        str(witness),
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        pipe.write_text(COUNTER.replace("zero", "nil") if broken else COUNTER, encoding="utf-8")
        out, err = run.communicate(timeout=60)
    if broken:
        assert (run.returncode, out) == (
            3,
            "",
        ) and "counter.btor2:3:3: error: unknown operator" in err
    else:
        assert (run.returncode, out) == (10, "false(bad1)\n") and witness.read_text().startswith(
            "sat\nb1\n"
        )


def test_what_is_read_more_than_once_is_no_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "p.c"
    os.mkfifo(pipe)
    done = run_here("verify", str(pipe))
    assert done.returncode == 3 and "a regular file is needed" in done.stderr
    done = run_here("verify", "/dev/null")
    assert done.returncode == 3 and "a file whose name has no suffix" in done.stderr
    assert run_here("check", str(pipe), str(pipe)).returncode == 2


MACRO = "#include <assert.h>\nint main(void) {\n#ifndef SAFE\n assert(0);\n#endif\n return 0; }\n"


def test_how_a_claim_has_the_program_read_is_said(tmp_path: Path) -> None:
    claim = Claim(tmp_path, "macro.c", MACRO, "-DSAFE")
    done = run_here("check", str(claim.file), str(claim.claim))
    assert "read as the claim says: -DSAFE" in done.stdout + done.stderr


def test_a_claim_gives_the_compiler_no_other_options(tmp_path: Path) -> None:
    claim, written = Claim(tmp_path, "macro.c", MACRO, "-DSAFE"), tmp_path / "written"

    def change(data: Any) -> None:
        data["options"]["preprocessing"]["macros"] = [["o", str(written)]]

    status, message = claim.checked(change)
    assert status != 0 and "malformed options of preprocessing" in message and not written.exists()


def own(name: object, sort: str) -> dict[str, object]:
    return {"name": name, "sort": sort}


@pytest.mark.parametrize(
    "variables",
    [
        {"index": own("main::x", "Int")},
        {"index": own(False, "Int")},
        {"ghosts": [{**own("main::x", "Int"), "location": 2, "value": "0"}]},
        {
            "ghosts": [
                {**own("g", sort), "location": 2, "value": value}
                for sort, value in (("Int", "0"), ("Bool", "true"))
            ]
        },
    ],
)
def test_a_variable_of_a_claim_has_one_name_and_one_sort(safe: Claim, variables: Any) -> None:
    status, message = safe.checked(lambda data: data["certificate"].update(variables))
    assert status == 3 and "malformed certificate" in message


def test_an_index_of_a_system_has_a_name_of_its_own(proved: Claim) -> None:
    for name in ("x", "x'", 7):
        index = {"indices": [own(name, "Int")]}
        status, message = proved.checked(lambda data, i=index: data["certificate"].update(i))  # type: ignore[misc]
        assert status == 3 and "malformed certificate" in message


def test_ranks_keep_no_records(tmp_path: Path) -> None:
    claim = Claim(tmp_path, "p.ivl", SAFE, "--property", "termination")
    ghosts = [{**own("g", "(_ BitVec 8)"), "location": 2, "value": "|main::x|"}]

    def change(data: Any) -> None:
        data["certificate"]["ghosts"] = ghosts
        data["certificate"]["invariants"][0]["formula"] = "(= g |main::x|)"

    assert claim.checked()[0] == 0
    status, message = claim.checked(change)
    assert status == 4 and "plain inductive invariants" in message


@pytest.mark.parametrize("wrong", ["x", 5, [1], {"invariants": 7}, {"invariants": [5]}, True])
@pytest.mark.parametrize("name", ["p.ivl", "h.smt2"])
def test_a_claim_of_another_shape_is_refused(tmp_path: Path, name: str, wrong: Any) -> None:
    file, claim = tmp_path / name, tmp_path / "claim.json"
    file.write_text(SAFE if name == "p.ivl" else "(declare-fun p () Bool) (assert p)")
    claim.write_text(json.dumps({"schema": 1, "certificate": wrong}))
    with pytest.raises(obligato.InputError, match="malformed certificate"):
        obligato.check(file, claim)
    claim.write_text(json.dumps({"schema": 1, "trace": {"steps": wrong}}))
    with pytest.raises(obligato.InputError, match="malformed trace"):
        obligato.check(file, claim)


def test_contracts_are_judged_where_nothing_is_recursive(tmp_path: Path) -> None:
    file = tmp_path / "p.ivl"
    file.write_text(SAFE)
    outcome = obligato.verify(file, "summaries")
    assert outcome.certificate is not None and outcome.certificate.kind == "contracts"
    assert obligato.check(file, outcome).verdict is outcome.verdict
