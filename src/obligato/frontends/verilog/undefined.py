"""What lies outside of a vector or memory: a read there is undefined, a write there is none. What is
divided by zero is undefined, too.

Yosys leaves this open, and what it writes at the end reads zeros there, or another word of the
memory. So before memories are collected each of their ports gets a cell that says what happens
outside of them; a part of a vector at a place that is computed gets its undefined bits, as a
quotient and a remainder do. Memories begin at 0 then: what Yosys writes has the initial values of
others at the wrong places.

Limitations: memories that begin below 0 are refused; an index of an array of several dimensions is
looked at as a place in the whole array only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from obligato.errors import Span, Unsupported

_OPERATOR = r"""
(* techmap_celltype = "$%(name)s" *)
module undefined_%(name)s (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;
  wire [Y_WIDTH-1:0] found;
"""
# bits of a vector from a place on, which may lie beyond its ends
_SHIFT = r"""
  \$shift #(.A_SIGNED(0), .B_SIGNED(B_SIGNED), .A_WIDTH(A_WIDTH), .B_WIDTH(B_WIDTH),
    .Y_WIDTH(Y_WIDTH)) shift (.A(A), .B(B), .Y(found));
  genvar i;
  generate
    for (i = 0; i < Y_WIDTH; i = i + 1) begin : bits
      wire signed [B_WIDTH+32:0] place;
      if (B_SIGNED) assign place = $signed(B) + i;
      else assign place = $signed({1'b0, B}) + i;
      assign Y[i] = place >= 0 && place < A_WIDTH ? found[i] : 1'bx;
    end
  endgenerate
endmodule
"""
_QUOTIENT = r"""
  \$%(name)s #(.A_SIGNED(A_SIGNED), .B_SIGNED(B_SIGNED), .A_WIDTH(A_WIDTH), .B_WIDTH(B_WIDTH),
    .Y_WIDTH(Y_WIDTH)) divide (.A(A), .B(B), .Y(found));
  assign Y = |B ? found : {Y_WIDTH{1'bx}};
endmodule
"""
# for one round of `techmap`: what is undefined for some operands
OPERATORS = _OPERATOR % {"name": "shiftx"} + _SHIFT
OPERATORS += "".join(
    (_OPERATOR + _QUOTIENT) % {"name": name} for name in ("div", "mod", "divfloor", "modfloor")
)
PORTS = r"""
module \obligato.read #(parameter ABITS = 1, WIDTH = 1, LOW = 0, SIZE = 1)
  (input [ABITS-1:0] A, input [WIDTH-1:0] D, output [ABITS-1:0] B, output [WIDTH-1:0] Y);
  wire signed [ABITS+32:0] a = $signed({1'b0, A}) - LOW;
  assign B = a, Y = a >= 0 && a < SIZE ? D : {WIDTH{1'bx}};
endmodule
module \obligato.write #(parameter ABITS = 1, WIDTH = 1, LOW = 0, SIZE = 1)
  (input [ABITS-1:0] A, input [WIDTH-1:0] D, output [ABITS-1:0] B, output [WIDTH-1:0] Y);
  wire signed [ABITS+32:0] a = $signed({1'b0, A}) - LOW;
  assign B = a, Y = a >= 0 && a < SIZE ? D : {WIDTH{1'b0}};
endmodule
"""
_MEMORY = re.compile(
    r"^(  memory(?: width [0-9]+)? size (?P<size>[0-9]+))(?: offset (?P<low>-?[0-9]+))? (?P<id>\S+)$",
    re.MULTILINE,
)
_CELL = r"^  cell \$mem(?P<kind>%s)(?:_v2)? \S+\n(?P<parts>(?:    .*\n)*)"
_PORT, _START = (re.compile(_CELL % kind, re.MULTILINE) for kind in ("rd|wr", "init"))
_PART = re.compile(r"^    (?:parameter(?: signed)?|connect) \\(\w+) (.*)$", re.MULTILINE)
Memories = dict[str, tuple[int, int]]  # by name: the first address, how many there are


def with_ports(rtlil: str, file: str) -> str:
    """The design, as Yosys writes it in RTLIL before memories are collected, with a cell of `PORTS` at
    each port that can be asked for an address that its memory does not have; as it is if there is
    none. Raises `Unsupported` about the user's file.
    """
    memories = {m["id"]: (int(m["low"] or 0), int(m["size"])) for m in _MEMORY.finditer(rtlil)}
    for name, (low, _) in memories.items():
        if low < 0:
            message = f"the memory {name.removeprefix(chr(92))} begins below 0"
            raise Unsupported(message, Span(file), "memory in Verilog")
    wires: list[str] = []

    def guarded(port: re.Match[str]) -> str:
        return "".join(_guarded(port, memories, f"$obligato${len(wires)}", wires)) or port[0]

    patched = _START.sub(lambda cell: _moved(cell, memories), _PORT.sub(guarded, rtlil))
    patched = _MEMORY.sub(r"\1 \g<id>", patched)
    head = re.search(r"^module \S+\n", patched, re.MULTILINE)
    return rtlil if head is None else patched[: head.end()] + "".join(wires) + patched[head.end() :]


def _about(cell: re.Match[str], memories: Memories) -> tuple[dict[str, str], int, int]:
    """The parts of a cell, and the first address and the size of its memory."""
    told = dict(_PART.findall(cell["parts"]))
    name = told["MEMID"].strip('"').replace("\\\\", "\\")
    low, size = memories[name]
    return told, low, size


def _moved(cell: re.Match[str], memories: Memories) -> str:
    """An initial value of a memory that begins at 0."""
    told, low, _ = _about(cell, memories)
    at, moved = (f"    connect \\ADDR {a}\n" for a in (told["ADDR"], _number(told["ADDR"]) - low))
    return cell[0].replace(at, moved) if low else cell[0]


def _guarded(port: re.Match[str], memories: Memories, wire: str, wires: list[str]) -> Iterator[str]:
    """The cell of a port and the one that guards it, which are connected by new wires."""
    told, low, size = _about(port, memories)
    address, width = _number(told["ABITS"]), _number(told["WIDTH"])
    if not low and 1 << address <= size:
        return
    reads = port["kind"] == "rd"
    name = "DATA" if reads else "EN"
    wires += [f"  wire width {width} {wire}\n", f"  wire width {address} {wire}$at\n"]
    cell = port[0]
    for end, new in ((name, wire), ("ADDR", f"{wire}$at")):
        cell = cell.replace(f"    connect \\{end} {told[end]}\n", f"    connect \\{end} {new}\n")
    yield f"{cell}  end\n  cell \\obligato.{'read' if reads else 'write'} {wire}$port\n"
    given, made = (wire, told[name]) if reads else (told[name], wire)
    for parameter, value in (("ABITS", address), ("WIDTH", width), ("LOW", low), ("SIZE", size)):
        yield f"    parameter signed \\{parameter} {value}\n"
    for end, signal in (("A", told["ADDR"]), ("D", given), ("B", f"{wire}$at"), ("Y", made)):
        yield f"    connect \\{end} {signal}\n"


def _number(text: str) -> int:
    """A number, or its bits behind their count."""
    return int(text.partition("'")[2], 2) if "'" in text else int(text)
