"""Clocks and latches of a design, in the JSON that Yosys writes: cells whose ports are connected to numbered bits.

A step of the system is an edge of the clock only if the clock is nothing but a clock: where it is
read as data, too (by the enable of a latch, by an assertion), its level matters between edges, and
an input that may have any value at each step would be another design.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

Module = dict[str, Any]
Cell = dict[str, Any]
_LATCHES = ("$dlatch", "$adlatch", "$dlatchsr")
_MEMORIES = ("$mem_v2", "$mem")
_CHOICE = "$procmux$"  # in the name of a choice that a block makes
_EDGES = ("CLK", "RD_CLK", "WR_CLK", "TRG")  # ports that clocks are connected to


def one_clock(module: Module) -> bool:
    """Is one edge of one input the clock of everything, and is that input nothing else?"""
    found = {(bit, rising) for cell in _cells(module) for bit, rising in _clocks(cell)}
    inputs = {
        bit
        for port in module["ports"].values()
        if port["direction"] == "input"
        for bit in port["bits"]
    }
    data = {bit for cell in _cells(module) for bit in _read(cell)}
    return len(found) <= 1 and all(bit in inputs and bit not in data for bit, _ in found)


def own_clock(module: Module) -> Cell | None:
    """A cell that samples its own clock at an edge, if there is one. A latch that the clock opens
    is none: what comes out of it is not the clock.
    """
    drivers = {bit: cell for cell in _cells(module) for bit in _bits(cell, "output")}
    for cell in _cells(module):
        clocks = {bit for bit, _ in _clocks(cell)}
        if clocks & _reaching(_read(cell), drivers):
            return cell
    return None


def read_latch(module: Module) -> Cell | None:
    """A latch whose next value is read by something else, before parts are left out, if there is one.
    Yosys leaves open what the next value is while the latch holds: a block that reads a variable
    after it was assigned for some inputs only would read anything.
    """
    drivers = {bit: name for name, cell in module["cells"].items() for bit in _bits(cell, "output")}
    read = Counter(bit for cell in _cells(module) for bit in _read(cell))
    for cell in _cells(module):
        if cell["type"] in _LATCHES:
            chosen = [b for b in cell["connections"]["D"] if _CHOICE in drivers.get(b, "")]
            if any(read[b] > 1 for b in chosen):
                return cell
    return None


def _reaching(bits: Iterable[Any], drivers: dict[Any, Cell]) -> set[Any]:
    """The bits that these depend on at the same moment, and these."""
    todo, seen = list(bits), set[Any]()
    while todo:
        bit = todo.pop()
        if bit in seen:
            continue
        seen.add(bit)
        if bit in drivers:
            todo += _at_once(drivers[bit])
    return seen


def _at_once(cell: Cell) -> list[Any]:
    """What the outputs of a cell depend on at the same moment."""
    ports = cell["connections"]
    if cell["type"] in _LATCHES:
        return list(ports.get("D", ()))
    if cell["type"] in _MEMORIES:
        return [*ports.get("RD_ADDR", ()), *ports.get("RD_EN", ())]
    return [] if any(_clocks(cell)) else _read(cell)


def _cells(module: Module) -> Iterable[Cell]:
    cells: dict[str, Cell] = module["cells"]
    return cells.values()


def _read(cell: Cell) -> list[Any]:
    """The bits that a cell reads as data."""
    return list(_bits(cell, "input"))


def _bits(cell: Cell, direction: str) -> Iterator[Any]:
    """What is connected to the ports of a direction that are no clocks; constants are texts."""
    directions = cell.get("port_directions", {})
    clocks = _EDGES if any(_clocks(cell)) else ()
    for port, bits in cell["connections"].items():
        if directions.get(port) == direction and port not in clocks:
            yield from (bit for bit in bits if isinstance(bit, int))


def _clocks(cell: Cell) -> Iterator[tuple[Any, bool]]:
    """The clocks of a cell: the bit, and whether its rising edge counts."""
    parameters, ports = cell["parameters"], cell["connections"]
    if "CLK" in ports and cell["type"] not in _MEMORIES:
        if _number(parameters.get("CLK_ENABLE", "1")):
            yield ports["CLK"][0], bool(_number(parameters.get("CLK_POLARITY", "1")) & 1)
    for kind in ("RD", "WR"):
        enabled, polarity = (
            _number(parameters.get(f"{kind}_CLK_{x}", "0")) for x in ("ENABLE", "POLARITY")
        )
        for n, bit in enumerate(ports.get(f"{kind}_CLK", ())):
            if enabled >> n & 1:
                yield bit, bool(polarity >> n & 1)
    if cell["type"] in ("$check", "$print") and _number(parameters.get("TRG_ENABLE", "0")):
        for n, bit in enumerate(ports.get("TRG", ())):
            yield bit, bool(_number(parameters.get("TRG_POLARITY", "1")) >> n & 1)


def _number(text: Any) -> int:
    """A parameter of a cell, which Yosys writes in binary."""
    return text if isinstance(text, int) else int(re.sub("[^01]", "0", str(text)) or "0", 2)
