"""Looks into the sdist and the wheel, builds the wheel again from the sdist alone, installs it into
a fresh environment, and verifies an example with it.

    python tools/dist.py dist
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

WHEEL = (
    "obligato/py.typed",
    "obligato/schema/outcome.json",
    "obligato/presets/ic3cfa.toml",
    "obligato/frontends/c/include/stdint.h",
    "obligato/frontends/c/library/string.c",
    "obligato/frontends/ivl/grammar.lark",
    "share/man/man1/obligato.1",
)
SDIST = (
    "src/obligato/__init__.py",
    "tests/unit/test_api.py",
    "tools/dist.py",
    "docs/tutorial.md",
    "docs/schema/outcome.json",
    "Makefile",
    "requirements.lock",
    "CHANGELOG.md",
    "CITATION.cff",
    "mkdocs.yml",
    "README.md",
)
PROGRAM = "int main(void) { int x = 0; while (x < 10) x++; if (x != 10) reach_error(); }\n"


def lacking(names: list[str], wanted: tuple[str, ...]) -> list[str]:
    """What should be among the names and is not."""
    return [w for w in wanted if not any(n == w or n.endswith(f"/{w}") for n in names)]


def contents(folder: Path) -> list[str]:
    """What is missing in the archives."""
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive, tarfile.open(source) as packed:
        missing = [f"{wheel.name} lacks {n}" for n in lacking(archive.namelist(), WHEEL)]
        missing += [f"{source.name} lacks {n}" for n in lacking(packed.getnames(), SDIST)]
    print(
        f"{wheel.name}: {wheel.stat().st_size // 1000} kB; {source.name}:"
        f" {source.stat().st_size // 1000} kB"
    )
    return missing


def rebuilt(source: Path, folder: Path) -> Path:
    """The wheel that the sdist alone gives."""
    with tarfile.open(source) as packed:
        packed.extractall(folder, filter="data")
    (place,) = folder.iterdir()
    command = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "-t",
        "wheel",
        "-d",
        str(folder / "made"),
    ]
    subprocess.run(command, cwd=place, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = (folder / "made").glob("*.whl")
    return wheel


def tried(wheel: Path) -> int:
    """Install the wheel into a fresh environment and verify an example, by the command and from
    Python; the status.
    """
    with tempfile.TemporaryDirectory(prefix="obligato-dist-") as folder:
        place = Path(folder, "venv")
        venv.create(place, with_pip=True)
        python, command = place / "bin/python", place / "bin/obligato"
        subprocess.run(
            [python, "-m", "pip", "--disable-pip-version-check", "install", "-q", wheel.resolve()],
            check=True,
        )
        Path(folder, "example.c").write_text(PROGRAM, encoding="utf-8")
        script = (
            "import obligato; o = obligato.verify('example.c', timeout=60); print(o); assert"
            " o.proved"
        )
        calls: tuple[list[str | Path], ...] = (
            [command, "--version"],
            [command, "verify", "example.c"],
            [python, "-c", script],
        )
        for call in calls:
            done = subprocess.run(call, cwd=folder, check=False)
            if done.returncode:
                return done.returncode
    return 0


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--contents", action="store_true", help="only look into the archives")
    asked = parser.parse_args()
    missing = contents(asked.folder)
    print("\n".join(missing) or "everything is inside")
    if missing or asked.contents:
        return 1 if missing else 0
    (source,) = asked.folder.glob("*.tar.gz")
    with tempfile.TemporaryDirectory(prefix="obligato-sdist-") as folder:
        return tried(rebuilt(source, Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
