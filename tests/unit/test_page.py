"""Pages: nothing of an input is ever HTML, they stay small, and say what they leave out."""

from __future__ import annotations

import json
import os
import re
import sys
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from obligato.api.request import Request
from obligato.cli.main import main
from obligato.cli.recording import recording
from obligato.reports.page import outcome_page
from obligato.reports.page.assemble import assemble, embedded
from obligato.reports.page.claims import trace_data
from obligato.reports.page.events import search_data
from obligato.reports.page.formulas import Readable
from obligato.reports.page.outcome_page import LARGEST, page_data, page_text
from obligato.reports.page.sources import source_data
from obligato.results.outcome import (
    CertificateReport,
    InvariantReport,
    Outcome,
    StepReport,
    TraceReport,
    Verdict,
)

NASTY = (
    "</script><script>window.hacked = 1</script><!--"
    " <b>&amp;\"'\u2028\u2029\x00\x07\x1b\x7f\u202e</style>]]>{{DATA}}"
)
FORBIDDEN = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(|fetch\(|XMLHttp|@import|url\(http|</"


class Elements(HTMLParser):
    """The elements of a page with their attributes, and the texts of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.policy = self.title = self._in = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.tags.append(tag)
        self._in = "data" if given.get("type") == "application/json" else tag
        self.policy = self.policy or (given.get("content") or "" if "http-equiv" in given else "")

    def handle_endtag(self, tag: str) -> None:
        self._in = ""

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self._in, []).append(data)


def violated() -> Outcome:
    trace = TraceReport(
        {}, {}, (StepReport(0, "p.c", 1, NASTY, {NASTY: 1, "x": 2}, {}),), True, NASTY
    )
    return Outcome(
        "assertions", Verdict.FALSE, None, None, trace, file=f"a{NASTY}.c", notes=(NASTY,)
    )


def test_nothing_of_the_input_is_html() -> None:
    page = page_text(violated())
    found = Elements(page)
    plain = Elements(assemble("", {}, outcome_page.STYLES, outcome_page.SCRIPTS))
    assert found.tags == plain.tags and found.tags.count("script") == 2
    data = json.loads("".join(found.texts["data"]))
    assert data["traces"][0]["steps"][0]["text"].startswith("</script>") and data["notes"] == [
        NASTY
    ]
    assert not re.search(
        r"[\x00-\x08\x0b-\x1f\x7f\u2028\u2029\u202e]", "".join(found.texts["data"])
    )


def test_the_policy_names_the_scripts_and_styles_by_their_hashes_and_nothing_else() -> None:
    found = Elements(page_text(violated()))
    for kind in ("script", "style"):
        (text,) = ("".join(found.texts[kind]),)
        assert (
            f"{kind}-src 'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
            in found.policy
        )
    assert (
        found.policy.startswith("default-src 'none'")
        and "unsafe" not in found.policy
        and "http" not in found.policy
    )


def test_scripts_make_no_html_and_ask_for_nothing() -> None:
    folder = Path(outcome_page.__file__).with_name("assets")
    for file in [*folder.glob("*.js"), *folder.glob("*.css")]:
        text = file.read_text(encoding="utf-8")
        found = re.search(FORBIDDEN, text)
        assert found is None, f"{file.name}: {found}"


def verify(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """The exit status of `obligato verify`."""
    monkeypatch.setattr(sys, "argv", ["obligato", "verify", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


@pytest.mark.parametrize(
    "data",
    [NASTY, {NASTY: [NASTY]}, 10**5000, True, None, 1.5],
    ids=lambda data: type(data).__name__,
)
def test_embedded_data_is_json_without_a_character_of_html(data: Any) -> None:
    text = embedded(data)
    assert not re.search("[<>&'\u2028\u2029]", text)
    if not isinstance(data, int):
        assert json.loads(text) == data


def test_a_page_stays_small_and_keeps_both_ends(tmp_path: Path) -> None:
    source = tmp_path / "long.c"
    source.write_text("int x; // a line\n" * 200_000)
    values = {f"variable_{k}": "v" * 190 for k in range(20)}
    steps = tuple(StepReport(k, str(source), k + 1, f"step {k}", values, {}) for k in range(30_000))
    outcome = Outcome(
        "p", Verdict.FALSE, None, None, TraceReport({}, {}, steps, True), file=str(source)
    )
    page = page_text(outcome)
    assert len(page.encode()) < 5_000_000
    (trace,) = json.loads("".join(Elements(page).texts["data"]))["traces"]
    assert trace["length"] == 30_000 and trace["numbers"][0] == 1 and trace["numbers"][-1] == 30_000
    (gap,) = [s for s in trace["steps"] if "skipped" in s]
    assert (
        gap["skipped"]["steps"] == 30_000 - len(trace["steps"])
        and gap["skipped"]["set"].keys() == values.keys()
    )
    assert LARGEST < 5_000_000


def test_of_a_long_source_the_lines_that_matter_are_kept(tmp_path: Path) -> None:
    source = tmp_path / "p.c"
    source.write_bytes(b"".join(b"line %d\r\n" % n for n in range(1, 5001)) + b"\xff\x0cend")
    data = source_data(str(source), [4000], 4000)
    assert data is not None and data["total"] == 5001
    (first, head), (second, middle) = data["runs"]
    assert (first, head[0]) == (1, "line 1") and second < 4000 < second + len(middle)
    assert middle[4000 - second] == "line 4000"
    whole = source_data(str(source), [], 10**6)
    assert whole is not None and whole["runs"][0][1][-1] == "\ufffd\x0cend"
    assert source_data(str(tmp_path / "gone.c"), [], 100) is None
    (tmp_path / "p.aig").write_bytes(b"aig 1 0\x00")
    assert source_data(str(tmp_path / "p.aig"), [], 100) is None


def events(path: Path, *lines: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"event": "cut off')
    return str(path)


def test_the_search_is_readable_and_a_gap_has_the_frames(tmp_path: Path) -> None:
    lemmas = [{"event": "lemma", "level": 1, "cube": [n]} for n in (1, -2, 3)]
    log = events(
        tmp_path / "log",
        {"event": "search", "engine": "ic3"},
        {"event": "frontier", "k": 1},
        *(
            {"event": "literal", "number": n, "formula": f"(= ((_ extract {n} {n}) w) #b1)"}
            for n in (1, 2, 3)
        ),
        *lemmas,
        {"event": "drop", "cube": [3]},
        {"event": "push", "level": 2, "cube": [-2]},
        *({"event": "requeue", "number": k, "level": 2} for k in range(10)),
        {"event": "proved", "level": 1},
    )
    found = search_data(
        log, 0, 6, Readable({"variables": {"w": ["(_ BitVec 8)", "word"]}, "inputs": []}, "x.btor2")
    )
    assert found["total"] == 18 and found["omitted"] == 18 - 6
    kinds = [e["event"] for e in found["events"]]
    assert kinds[3] == "gap" and kinds[-1] == "proved" and len(kinds) == 7
    texts, gap = found["texts"], found["events"][3]
    shown = {
        (x["level"], tuple(texts[abs(n) - 1][n < 0] for n in x["cube"])) for x in gap["lemmas"]
    }
    assert shown == {(1, ("word[1]",)), (2, ("!word[2]",))} and gap["omitted"] == 12
    whole = search_data(log, 0, 100, Readable({}, "x.btor2"))
    assert whole["omitted"] == 0 and len(whole["events"]) == 18
    assert search_data(str(tmp_path / "gone"), 0, 10, Readable({}, ""))["total"] == 0


def test_formulas_are_in_the_language_of_the_input() -> None:
    variables = {
        "main::x": ["(_ BitVec 32)", "x"],
        "main::u": ["(_ BitVec 32)", "u"],
        "a": ["(Array Int Int)", "a"],
    }
    readable = Readable({"variables": variables, "unsigned": ["main::u"]}, "p.c")
    assert readable.pair("(bvslt |main::x| #x00000005)") == ("x < 5", "x >= 5")
    assert readable.pair("(not (= |main::u| #xffffffff))") == (
        "u != 4294967295u",
        "u == 4294967295u",
    )
    assert readable.pair("(= pc! #b10)") == ("pc! = 2", "pc! != 2")  # an engine's own variable
    assert readable.pair("(((")[0] == "(((" and len(readable.pair("x" * 9000)[0]) == 160
    words = Readable({"variables": {"w": ["(_ BitVec 8)", "w"]}, "inputs": []}, "x.btor2")
    clause = "(and (bvult w #x05) (or (= ((_ extract 2 2) w) #b1) (= ((_ extract 0 0) w) #b0)))"
    assert words.conjuncts(clause) == ["w < 5", "w[2] || !w[0]"] and words.conjuncts(
        "(and |a b| c)"
    ) == ["(and a b c)"]


def test_certificates_and_unknown_outcomes_have_pages(tmp_path: Path) -> None:
    invariant = InvariantReport(3, "l3", "p.c", 2, "(and true false)", "x < 3 && y", True)
    proved = CertificateReport(1, (invariant,), True, True, "cvc5", 0.1)
    data = page_data(Outcome("p", Verdict.TRUE, None, proved, None, file="p.c"))
    assert (
        data["certificates"][0]["invariants"][0]["text"] == "x < 3 && y"
        and data["files"][0]["source"] is None
    )
    assert (
        page_data(Outcome("p", Verdict.UNKNOWN, "timeout", file="p.c"))["properties"][0]["reason"]
        == "timeout"
    )


def test_a_trace_shares_the_files_of_the_page() -> None:
    files = {"a.c": 0}
    steps = (
        StepReport(1, "a.c", 4, "x", {}, {}),
        StepReport(2, "b.h", 5, "y", {}, {}),
        StepReport(3, "", 0, "z", {}, {}),
    )
    data = trace_data(TraceReport({}, {}, steps, True), files, 10**6)
    assert [s.get("at") for s in data["steps"]] == [[0, 4], [1, 5], None] and list(files) == [
        "a.c",
        "b.h",
    ]


def test_the_command_line_writes_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program, log = tmp_path / "p.ivl", tmp_path / "log"
    program.write_text(
        "proc main() { var x: int; x := 0; while (x < 3) { x := x + 1; } assert x == 3; }"
    )
    log.write_text('{"event": "of an earlier run"}\n')
    assert (
        verify(
            monkeypatch, str(program), "--html", str(tmp_path / "a.html"), "--log", str(log), "-q"
        )
        == 0
    )
    data = json.loads("".join(Elements((tmp_path / "a.html").read_text()).texts["data"]))
    assert (
        data["verdict"] == "true"
        and data["pictures"]["unreach-call"]["edges"]
        and data["certificates"]
    )
    assert (
        data["search"]["events"][0]["event"] == "search"
        and data["search"]["events"][-1]["event"] == "proved"
    )
    one, two = str(tmp_path / "a.html"), str(tmp_path / "b.html")
    assert verify(monkeypatch, str(program), "--html", one, "--report", f"html={two}") == 2
    assert "name two files" in capsys.readouterr().err


def no_room(**_: object) -> None:
    raise FileNotFoundError("no usable temporary directory")


def test_what_is_recorded_depends_on_the_request(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with recording(Request("p.c"), False) as r:
        assert r.request == Request("p.c") and r.log is None
    with recording(Request("p.c", log=str(fifo)), True) as r:
        assert r.log is None and r.request.log == str(fifo) and r.request.pictures
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("obligato.cli.recording.tempfile.TemporaryDirectory", no_room)
        with recording(Request("p.c"), True) as r:
            assert r.request.pictures and r.log is None and r.request.log is None
    # each engine has a log; that of the winner is shown
    with recording(Request("p.c", "auto"), True) as r:
        assert r.log is not None
        members = [{"engine": "ic3cfa"}, {"engine": "bmc"}]
        won = Outcome("p", Verdict.TRUE, stats={"portfolio": {"winner": "bmc", "members": members}})
        assert (
            r.added(won).log == (f"{r.log[0]}.1", 0)
            and r.added(Outcome("p", Verdict.UNKNOWN)).log is None
        )
    with recording(Request("p.c"), True) as r:
        assert r.log is not None and r.log[0] == r.request.log and Path(r.log[0]).parent.is_dir()
    assert not Path(r.log[0]).parent.exists()
