"""Pages whose console sessions are real: runs them, and checks or rewrites what they show.

    python tools/tutorial.py docs/tutorial.md            fails where the page shows something else
    python tools/tutorial.py docs/tutorial.md --write    writes what the commands print now

A block ```LANGUAGE title="NAME" is a file; a block ```console has commands, each after "$ ", and
what they print. A page is played in an empty folder, from the top. What differs from run to run
(times, versions of solvers) is not compared. Commands that install something are shown but not run:
those of blocks ```sh.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
MACHINE = (  # what differs from machine to machine
    (re.compile(r"\b\d+\.\d+ s\b"), "? s"),
    (re.compile(r"\b(bitwuzla|cvc5|z3|cadical\w*|minisat\w*) [\d.]+"), r"\1 ?"),
    (re.compile(r"^( +(?:wall_s|cpu_s|peak_mb|\w+_s) +).*$", re.MULTILINE), r"\1?"),
    (re.compile(r"obligato \d+\.\d+\S*"), "obligato ?"),
)


def play(page: str) -> str:
    """The page with what its commands print now."""
    with tempfile.TemporaryDirectory(prefix="obligato-tutorial-") as folder:

        def block(match: re.Match[str]) -> str:
            language, title, body = match.groups()
            if title:
                Path(folder, title).parent.mkdir(parents=True, exist_ok=True)
                Path(folder, title).write_text(body, encoding="utf-8")
            return (
                match[0]
                if language != "console"
                else f"```console\n{''.join(session(body, folder))}```"
            )

        return BLOCK.sub(block, page)


def session(body: str, folder: str) -> Iterator[str]:
    """The commands of a block with what they print in `folder`, standard error too."""
    places = (str(Path(sys.executable).parent), os.environ["PATH"])
    for command in re.findall(r"^\$ (.*)$", body, re.MULTILINE):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=300,
            env={**os.environ, "PATH": ":".join(places), "COLUMNS": "100"},
        )
        yield f"$ {command}\n{_quiet(done.stdout)}"


def _quiet(output: str) -> str:
    """Without lines of progress and of how far a run got, which depend on time."""
    return re.sub(r"^(\[ *\d+\.\d s\]|so far: ).*\n", "", output, flags=re.MULTILINE)


def same(page: str) -> str:
    """The page without what differs from machine to machine."""
    for pattern, text in MACHINE:
        page = pattern.sub(text, page)
    return page


def differences(file: Path) -> list[str]:
    """What a page shows and its commands do not print any more."""
    old = file.read_text(encoding="utf-8")
    before, now = same(old).splitlines(), same(play(old)).splitlines()
    return list(difflib.unified_diff(before, now, str(file), "now", lineterm=""))


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true", help="write what is printed now")
    asked = parser.parse_args()
    failed = False
    for file in asked.pages:
        if asked.write:
            file.write_text(play(file.read_text(encoding="utf-8")), encoding="utf-8")
            continue
        found = differences(file)
        print("\n".join(found) or f"{file}: as its commands print")
        failed = failed or bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
