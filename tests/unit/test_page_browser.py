"""Pages in a real browser: they load without complaint, follow keyboard and mouse, and show the
input as text only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from obligato.bench.limited import Ended
from obligato.bench.page import page as bench_page
from obligato.bench.store import Run, Store
from obligato.bench.tasks import Task
from obligato.bench.tools import Conclusion, any_command
from obligato.reports.page import outcome_page
from obligato.reports.page.outcome_page import page_text
from obligato.results.outcome import Outcome, StepReport, TraceReport, Verdict
from tests.corpus import REPOSITORY
from tests.support.browser import MISSING, Browser, Page, chromium
from tests.unit.test_cli import run_here

pytestmark = pytest.mark.skipif(chromium() is None, reason=MISSING)

NASTY = """// </script><script>window.hacked = 1</script> <img src=x onerror="window.hacked = 2"> \x07 \u202e \u2028 --> ]]>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  const char *text = "</script><script>window.hacked = 3</script>'&quot;\\\\\\"";  /* <!-- */
  int x = __VERIFIER_nondet_int();
  if (x > 3 && text[0] == '<') reach_error();
  return 0;
}
"""
LOOP = """MODULE main
VAR s : 0..3; IVAR go : boolean;
ASSIGN init(s) := 0; next(s) := case s < 2 : s + 1; go : 1; TRUE : s; esac;
LTLSPEC G F s = 0;
CTLSPEC EF (s = 2 & EX s = 1);
"""
COUNTER = (
    "1 sort bitvec 4\n2 sort bitvec 1\n3 input 2 en\n4 zero 1\n5 state 1 count\n6 init 1 5 4\n7 one"
    " 1\n8 add 1 5 7\n9 ite 1 3 8 5\n10 next 1 5 9\n11 constd 1 9\n12 eq 2 5 11\n13 bad 12\n"
)
APART = """(() => {
    const boxes = [...document.querySelectorAll('.node, .edge-label')].map(x => x.getBoundingClientRect());
    const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
    return boxes.every((a, n) => boxes.slice(n + 1).every(b => apart(a, b)));
})()"""
UNNAMED = """[...document.querySelectorAll('button, input, select')]
    .filter(x => !(x.getAttribute('aria-label') || x.textContent || x.closest('label'))).length"""
CONTRAST = """(() => {
    const rgba = (text) => text.match(/[\\d.]+/g).map(Number);
    const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, w, n) => {
        const x = c[n] / 255;
        return sum + w * (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    }, 0);
    const ground = (node) => {
        for (let n = node; n; n = n.parentElement) {
            const c = rgba(getComputedStyle(n).backgroundColor);
            if (c.length === 3 || c[3] === 1) return c;
        }
        return [255, 255, 255];
    };
    const poor = new Set();
    for (const node of document.querySelectorAll('body *')) {
        const own = [...node.childNodes].some(x => x.nodeType === 3 && x.textContent.trim());
        if (!own || !node.checkVisibility() || node.closest('svg, script, .only-read, :disabled')) continue;
        const [a, b] = [light(rgba(getComputedStyle(node).color)), light(ground(node))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) poor.add(`${node.tagName}.${node.className} ${ratio.toFixed(2)}`);
    }
    return [...poor];
})()"""
SELECTED = "document.querySelector('[role=tab][aria-selected=true]').textContent"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of pages that several tests look at."""
    return tmp_path_factory.mktemp("pages")


def opened(
    browser: Browser, source: Path, folder: Path, *options: str, theme: str = "light"
) -> Page:
    """The page of an input, made once in the folder, and loaded; it has nothing to complain
    about.
    """
    target = folder / f"{source.stem}.html"
    if not target.exists():
        assert run_here(
            "verify", str(source), "--html", str(target), "-q", *options
        ).returncode in (0, 10, 20)
    page = browser.open(target.as_uri(), theme=theme)
    assert page.problems == [] and page.run("document.documentElement.dataset.ready") == "true"
    return page


def step(page: Page) -> str:
    return page.text(".source-foot .transport-label")


def choose(page: Page, selector: str, value: str) -> None:
    """Choose an option of a select element."""
    page.run(
        f"(() => {{ const x = document.querySelector({json.dumps(selector)}); x.value ="
        f" {json.dumps(value)}; x.dispatchEvent(new Event('change')); }})()"
    )


def test_the_path_of_a_program_is_stepped_through(browser: Browser, made: Path) -> None:
    page = opened(browser, REPOSITORY / "examples/gcd_bug.c", made)
    assert page.text(".badge") == "false(unreach-call)" and step(page) == "Step 9 of 9"
    assert page.text(".line.here .number") == "18" == page.text(".line.error-line .number")
    page.press("Home")
    assert step(page) == "Step 1 of 9" and page.text(".line.here .number") == "7"
    assert page.text(".inline-values").startswith("a = ") and page.text("tr.changed code") == "a"
    assert page.text("tr.changed .chip") == "input"
    page.press("ArrowRight")
    page.press("ArrowRight")
    assert (
        step(page) == "Step 3 of 9"
        and page.text("tr.changed code") == "y"
        and page.count(".values tbody tr") == 3
    )
    page.press("ArrowLeft")
    assert step(page) == "Step 2 of 9"
    page.press("End")
    page.press("ArrowRight")
    assert step(page) == "Step 9 of 9"
    page.click(".source .line[data-line='9']")  # a line goes to its step
    assert step(page) == "Step 3 of 9"
    page.click("[data-row='5']")  # and a step to its line
    assert page.text(".line.here .number") == "12"
    assert page.problems == []


def test_locations_and_lines_lead_to_each_other(browser: Browser, made: Path) -> None:
    page = opened(browser, REPOSITORY / "examples/gcd.c", made, theme="dark")
    assert "y < 1 || y >= b" in page.text(".note.head")  # before the line of the loop
    assert page.run("document.querySelector('.note.head').nextElementSibling.dataset.line") == "12"
    page.click("#tab-Automaton")
    assert (
        page.count(".node") == 17 and page.count(".edge") == 21 and page.count(".node.error") == 1
    )
    page.click(".node[data-location='9']")
    assert (
        page.text(".line.chosen-line .number") == "14"
        and page.text(".about strong") == "Location 9, line 14"
    )
    page.click(".source .line[data-line='18']")
    assert page.run(
        "[...document.querySelectorAll('.node.chosen, .node.beside')].map(x => x.dataset.location)"
    ) == ["12", "13"]
    page.run("document.querySelector('.node[data-location=\"7\"]').focus()")
    page.press("Enter")
    assert page.text(".node.chosen text") == "7" and "y >= b" in page.text(".about-note")
    assert page.run(APART), "nodes or labels lie on each other"
    assert page.problems == []


def test_the_search_plays_forwards_and_backwards(browser: Browser, made: Path) -> None:
    page = opened(browser, REPOSITORY / "examples/gcd.c", made)
    page.click("#tab-Search")
    assert page.text(".sentence").endswith("A search by ic3cfa begins.")
    states = []
    for _ in range(6):
        page.press("ArrowRight")
        states.append((page.text(".sentence"), page.text(".frames"), page.text(".obligations")))
    assert "Of its 3 literals 2 suffice." in states[2][0] and page.count(".line.chosen-line") == 1
    assert "1 lemma" in states[3][1] and "1 open" in states[1][2]
    for before in reversed(states[:-1]):
        page.press("ArrowLeft")
        assert (page.text(".sentence"), page.text(".frames"), page.text(".obligations")) == before
    page.press("End")
    assert (
        "an inductive invariant is found" in page.text(".sentence")
        and page.count(".frame.fixed") == 1
    )
    page.press(" ")  # plays from the beginning again
    page.run(
        "new Promise(done => { const wait = () => document.querySelector('.player"
        " .transport-label').textContent.startsWith('Event 2 ') ? done() : setTimeout(wait, 10);"
        " wait(); })"
    )
    page.press(" ")
    assert page.run("document.querySelector('.player [aria-label=Play]') !== null")
    assert page.problems == []


def test_the_frames_at_the_end_are_the_invariant(browser: Browser, made: Path) -> None:
    page = opened(browser, REPOSITORY / "examples/gcd.c", made)
    claimed = page.run("[...document.querySelectorAll('.note.head code')].map(x => x.textContent)")
    page.click("#tab-Search")
    page.press("End")
    lemmas = page.run("""(() => {
        const frames = [...document.querySelectorAll('.frame')];  // the highest level first
        const above = frames.slice(0, frames.findIndex(x => x.classList.contains('fixed')));
        return above.flatMap(x => [...x.querySelectorAll('.lemma-item code')]).map(x => x.textContent);
    })()""")
    assert (
        {frozenset(x.split(" ∨ ")) for x in lemmas}
        == {frozenset(x.split(" || ")) for x in claimed}
        != set()
    )


def test_a_long_search_is_the_same_backwards(browser: Browser, made: Path) -> None:
    page = opened(browser, REPOSITORY / "examples/crossing.smv", made)
    page.click("#tab-Search")
    there, back = page.run("""(() => {
        const text = (part) => document.querySelector('.player ' + part).textContent;
        const seen = () => text('.sentence') + text('.frames') + text('.obligations');
        const press = (key) => { document.dispatchEvent(new KeyboardEvent('keydown', {key})); return seen(); };
        const there = [press('Home'), ...Array.from({length: 260}, () => press('ArrowRight'))];
        const back = [seen(), ...Array.from({length: 260}, () => press('ArrowLeft'))].reverse();
        return [there, back];
    })()""")
    assert there == back
    assert len(set(there)) > 100 and page.problems == []


def test_after_a_gap_the_search_is_the_same(
    browser: Browser, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = opened(browser, REPOSITORY / "examples/gcd.c", made)
    monkeypatch.setattr(outcome_page, "EVENTS", 14)
    page = opened(browser, REPOSITORY / "examples/gcd.c", tmp_path)
    seen = []
    for p in (whole, page):
        p.click("#tab-Search")
        p.press("End")
        states = []
        for _ in range(7):  # backwards to the event after the gap
            states.append(
                (
                    p.text(".sentence"),
                    p.text(".literals"),
                    p.text(".frames"),
                    p.text(".obligations"),
                )
            )
            p.press("ArrowLeft")
        seen.append(states)
    assert (
        seen[0] == seen[1]
        and "events are left out here" in page.text(".sentence")
        and page.problems == []
    )
    assert "left out" in page.text(".player-events h3")


def test_a_program_in_two_files(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "other.c").write_text(
        "extern void reach_error(void);\nvoid check(int x) {\n  if (x > 3)\n    reach_error();\n}\n"
    )
    (tmp_path / "main.c").write_text(
        "extern int __VERIFIER_nondet_int(void);\nvoid check(int x);\n"
        "int main(void) {\n  check(__VERIFIER_nondet_int());\n  return 0;\n}\n"
    )
    page = opened(browser, tmp_path / "main.c", tmp_path, str(tmp_path / "other.c"))
    # in the file where the path ends
    assert page.text(".line.here .code").strip() == "reach_error();"
    page.press("Home")
    assert "__VERIFIER_nondet_int()" in page.text(".line.here .code") and page.problems == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_texts_have_contrast(browser: Browser, made: Path, theme: str) -> None:
    page = opened(browser, REPOSITORY / "examples/gcd.c", made, theme=theme)
    for tab in ("Proof", "Automaton", "Search", "Statistics"):
        page.click(f"#tab-{tab}")
        for _ in range(5 if tab == "Search" else 1):
            page.press("ArrowRight")
            assert page.run(CONTRAST) == []


def test_find_filter_tabs_and_theme(browser: Browser, made: Path) -> None:
    page = opened(browser, REPOSITORY / "examples/gcd_bug.c", made)
    page.press("/")
    page.send("Input.insertText", text="signed char")
    assert page.count(".line.found") == 5 and page.text(".hits") == "1 of 5"
    page.press("Enter")
    assert page.text(".hits") == "2 of 5" and page.text(".line.found-here .number") == "3"
    page.type("[aria-label='Filter values']", "y")
    assert page.count(".values tbody tr") == 1
    page.run("document.activeElement.blur()")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.run(background)
    page.press("t")
    page.press("t")
    assert page.run(background) != light
    page.press("4")
    assert page.run(SELECTED) == "Statistics"
    assert (
        "solver calls" in page.text(".cards")
        and page.count(".bars tr") > 3
        and page.count(".statistics dd") > 20
    )
    assert "[object" not in page.text("body") and "undefined" not in page.text("main")
    assert page.run(UNNAMED) == 0 and page.problems == []


def test_a_hardware_trace_is_a_waveform(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "counter.btor2").write_text(COUNTER)
    page = opened(browser, tmp_path / "counter.btor2", tmp_path)
    assert page.run(SELECTED) == "Waveform"
    assert page.run(
        "[...document.querySelectorAll('.wave-name code')].map(x => x.textContent)"
    ) == ["en", "count"]
    words = "[...document.querySelectorAll('.wave-value')].map(x => x.firstChild.textContent)"
    assert page.run(words)[:10] == [*map(str, range(10))] and step(page) == "Step 9 of 9"
    choose(page, "[aria-label='Base of words']", "2")
    assert page.run(words)[9] == "1001"
    page.click(".wave-value")
    assert step(page) == "Step 0 of 9"
    assert page.problems == []


def test_infinite_runs_have_a_loop_and_branching_time_a_tree(
    browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "loop.smv").write_text(LOOP)
    page = opened(browser, tmp_path / "loop.smv", tmp_path)
    assert page.count(".property option") == 2 and "again and again" in page.text(".path-steps h3")
    assert page.count(".wave-loop") == 1
    choose(page, "select.property", "1")
    assert page.text(".badge") == "true" and page.count(".tree") >= 2 and "EX" in page.text(".tree")
    assert page.problems == []


def test_a_long_program_with_a_long_path(browser: Browser, tmp_path: Path) -> None:
    source = tmp_path / "long.c"
    source.write_text("".join(f"x = x + {n}; /* line {n} */\n" for n in range(1, 5001)))
    steps = tuple(
        StepReport(n, str(source), 2 * n + 1, "", {f"x{n % 50}": n}, {}) for n in range(2000)
    )
    locations = [[n, 0, min(n + 1, 5000)] for n in range(3002)]
    edges = [[n, n, n + 1, "", 0, n + 1] for n in range(3000)]
    edges += [[3000 + n, n, 3001, "[0]", 0, n + 1] for n in range(0, 3000, 7)]
    picture = {
        "initial": 0,
        "error": 3001,
        "heads": [],
        "files": [str(source)],
        "locations": locations,
        "edges": edges,
        "unsigned": [],
        "variables": {},
    }
    trace = TraceReport({}, {}, steps, True, "the end")
    text = page_text(
        Outcome("p", Verdict.FALSE, None, None, trace, file=str(source), pictures={"p": picture})
    )
    assert len(text) < 5_000_000
    (tmp_path / "long.html").write_text(text, encoding="utf-8")
    page = browser.open((tmp_path / "long.html").as_uri())
    assert (
        step(page) == "Step 2000 of 2000"
        and page.count(".line") == 5000
        and page.count(".line.on-path") == 2000
    )
    assert page.count("[data-row]") < 100  # of the steps only those that are seen exist
    page.press("Home")
    assert page.text(".line.here .number") == "1" and page.count(".values tbody tr") == 1
    page.click("#tab-Automaton")
    assert page.count(".node") == 70 and page.text(".node.chosen text") == "1"
    page.press("ArrowRight")
    assert page.text(".node.chosen text") == "2"
    page.click(".source .line[data-line='20']")
    assert page.text(".node.chosen text") == "19" and page.run(APART) and page.problems == []


@pytest.mark.parametrize("name", ["plain.c", "a'b&c.c"])
def test_nothing_of_the_input_runs(browser: Browser, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(NASTY, encoding="utf-8")
    page = opened(browser, tmp_path / name, tmp_path)
    assert page.run("typeof window.hacked") == "undefined" and page.text("h1") == name
    shown = page.text(".line[data-line='1'] .code")
    assert "</script><script>window.hacked = 1" in shown and "␇" in shown and "⟨U+202E⟩" in shown
    assert page.count("script") == 2 and page.count("img") == 0
    for tab in ("Path", "Automaton", "Search", "Statistics"):
        page.click(f"#tab-{tab}")
    assert page.run("typeof window.hacked") == "undefined" and page.problems == []


def test_the_policy_lets_no_other_script_run(browser: Browser, made: Path) -> None:
    page = opened(browser, REPOSITORY / "examples/gcd_bug.c", made)
    page.run(
        "document.body.append(Object.assign(document.createElement('script'), {textContent:"
        " 'window.hacked = 1'}))"
    )
    assert page.run("typeof window.hacked") == "undefined"
    assert any("Content Security Policy" in problem for problem in page.problems)


def test_a_run_without_a_verdict_has_a_page(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, REPOSITORY / "tests/regression/unknown/order_of_objects.c", tmp_path)
    assert page.text(".badge") == "unknown" and page.run(SELECTED) == "Statistics"
    assert "limit reached" in page.text(".reason") and page.count("#tab-Automaton") == 1


def benchmark(folder: Path) -> Path:
    """The page of a benchmark of three tasks and two tools; names and reasons are as bad as they
    can be.
    """
    tasks = [
        Task(f"set/{name}", str(folder / name), "p", "true", "T", category, "", "LP64")
        for name, category in (("b<i>.c", "one"), ("a.c", "two"), ("c.c", "two"))
    ]
    tools = [any_command(f"{name}=true {{file}}") for name in ("first", "<b>second")]
    machine: dict[str, Any] = {
        "machine": {},
        "limits": {"cpu_s": 1, "wall_s": 3, "memory_mb": 9},
        "source": "1",
    }
    store = Store(folder, create=True)
    store.begin(tasks, tools, machine)
    for n, (task, tool) in enumerate((task, tool) for tool in tools for task in tasks):
        ended = Ended("exited", 0, 1.0, 3.0 - n, 10.0)
        status = ("true", "true", "timeout", "false", "unknown", "refused")[n]
        store.add(
            Run(
                task,
                tool,
                [],
                ended,
                Conclusion(status, f"reason {n} <img src=x onerror=alert(1)>", {}),
                "1",
                "",
            )
        )
    (folder / "report.html").write_text(bench_page(store, [], folder), encoding="utf-8")
    store.close()
    return folder / "report.html"


def test_a_benchmark_is_sorted_filtered_and_opened(browser: Browser, tmp_path: Path) -> None:
    page = browser.open(benchmark(tmp_path).as_uri())
    names = "[...document.querySelectorAll('.tasks .name')].map(x => x.textContent)"
    assert page.run(names) == ["set/a.c", "set/b<i>.c", "set/c.c"] and page.count("img") == 0
    # by the time of the first tool; what is not solved comes last
    page.click(".tasks th:nth-child(4) button")
    assert page.run(names) == ["set/a.c", "set/b<i>.c", "set/c.c"]
    page.click(".tasks th:nth-child(4) button")
    assert page.run(names) == ["set/c.c", "set/b<i>.c", "set/a.c"]
    choose(page, "[aria-label='Which tasks']", "wrong")
    assert page.run(names) == ["set/b<i>.c"] and page.text(".run .badge.wrong") == "wrong: false"
    choose(page, "[aria-label='Which tasks']", "all tasks")
    choose(page, "[aria-label='Category']", "two")
    assert page.run(names) == ["set/c.c", "set/a.c"]
    page.type("[type=search]", "reason 5")
    assert page.run(names) == ["set/c.c"]
    page.click(".tasks .name")
    assert "reason 5 <img" in page.text(".details")
    assert page.run("document.querySelector('.details a').getAttribute('href')") == "./c.c"
    page.run(
        "new Promise(done => { addEventListener('hashchange', () => setTimeout(done));"
        " location.hash = 'set%2Fa.c'; })"
    )
    assert (
        page.run(names) == ["set/a.c"]
        and "reason 1" in page.text(".details")
        and page.problems == []
    )
