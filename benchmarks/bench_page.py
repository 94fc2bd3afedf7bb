"""How long the page of a long program takes to open in Chromium: 5,000 lines, a trace of 2,500
steps. The last line is JSON.

    python benchmarks/bench_page.py [--runs 5]

`loaded_s` is the time that passes until the page has been drawn and answers; `cpu_s` is the
processor time of the page's own thread, which a busy machine does not change.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from obligato.api.request import Request
from obligato.api.worker import run_isolated
from obligato.cli.recording import recording
from obligato.reports.page.outcome_page import page_text
from tests.support.browser import MISSING, Browser, chromium

HEAD = (
    "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n"
    "  unsigned int i = 0, s = 0;\n"
)
PART = (
    "  int v{n} = __VERIFIER_nondet_int();\n  if (v{n} == {value})\n    s = s + 1;\n  else\n    s ="
    " s + 0;\n\n"
)
TAIL = "  while (i < 20)\n    i++;\n  if (s > 0 && v7 == 52)\n    reach_error();\n  return 0;\n}\n"
DRAWN = "new Promise(done => requestAnimationFrame(() => setTimeout(done)))"


def program() -> str:
    """A program whose error is reached by a long path."""
    return HEAD + "".join(PART.format(n=n, value=7 * n + 3) for n in range(831)) + TAIL


def write_page(folder: Path) -> tuple[Path, int, int]:
    """The page of the program; its lines, and the steps of its trace."""
    source, target = folder / "long.c", folder / "long.html"
    source.write_text(program(), encoding="utf-8")
    with recording(Request(str(source), "bmc"), True) as recorded:
        answer = run_isolated(recorded.request, recorded.heard(lambda kind, data: None))
        assert answer.outcome is not None and answer.outcome.trace is not None, answer
        target.write_text(page_text(recorded.added(answer.outcome)), encoding="utf-8")
    return target, program().count("\n"), len(answer.outcome.trace.steps)


def measure(browser: Browser, page: Path) -> tuple[float, float]:
    """Seconds until the page is there, and processor time of its thread."""
    tab = browser.open("about:blank")
    tab.send("Performance.enable", timeDomain="threadTicks")
    tab.load(page.as_uri())
    passed = tab.run(f"{DRAWN}.then(() => performance.now() / 1000)")
    found = {m["name"]: m["value"] for m in tab.send("Performance.getMetrics")["metrics"]}
    assert tab.problems == [], tab.problems
    return passed, found["TaskDuration"]


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=5)
    runs = options.parse_args().runs
    if chromium() is None:
        sys.exit(MISSING)
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        page, lines, steps = write_page(Path(folder))
        times = [measure(browser, page) for _ in range(runs)]
        size = page.stat().st_size
    loaded, cpu = ([round(t[n], 3) for t in times] for n in (0, 1))
    print(
        json.dumps(
            {
                "lines": lines,
                "steps": steps,
                "bytes": size,
                "loaded_s": loaded,
                "cpu_s": cpu,
                "median_loaded_s": median(loaded),
                "median_cpu_s": median(cpu),
            }
        )
    )


if __name__ == "__main__":
    main()
