"""Reports for other tools: SARIF, JUnit XML, VCD, GraphML, BenchExec; and text of the input in all
of them.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import types
import xml.etree.ElementTree as xml
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cvc5
import jsonschema
import pytest
import yaml

import obligato
from obligato.reports.graphml import graphml_text
from obligato.reports.json_report import json_text, to_dict
from obligato.reports.junit import junit_text
from obligato.reports.registry import REPORTS
from obligato.reports.sarif import sarif_text
from obligato.reports.vcd import vcd_text
from obligato.results.outcome import Outcome, StepReport, StreamReport, TraceReport, Verdict
from tests.support.hardware import COUNTER

EVIL = "</script><!-- ]]> \" ' & < > \\ %s $end \x01\x0b\x1b[31m \u2028 \ud7ff é 😀"
TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
REGION = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "startLine": {"type": "integer", "minimum": 1},
        "startColumn": {"type": "integer", "minimum": 1},
    },
}
LOCATION = {
    "type": "object",
    "required": ["physicalLocation"],
    "additionalProperties": False,
    "properties": {
        "message": TEXT,
        "physicalLocation": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "region": REGION,
                "artifactLocation": {
                    "type": "object",
                    "properties": {"uri": {"pattern": "^[!-~]+$"}},
                },
            },
        },
    },
}
FLOW = {
    "type": "object",
    "required": ["location"],
    "additionalProperties": False,
    "properties": {
        "location": LOCATION,
        "executionOrder": {"type": "integer", "minimum": -1},
        "state": {"type": "object", "additionalProperties": TEXT},
    },
}
FLOWS = {
    "type": "object",
    "required": ["locations"],
    "properties": {"locations": {"type": "array", "minItems": 1, "items": FLOW}},
}
SARIF = {  # the parts of SARIF 2.1.0 that we write
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "additionalProperties": False,
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "rules": {
                                        "type": "array",
                                        "items": {
                                            "type": "object",
                                            "required": ["id"],
                                            "properties": {"shortDescription": TEXT},
                                        },
                                    }
                                },
                            }
                        },
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "invocations": {
                        "type": "array",
                        "items": {"type": "object", "required": ["executionSuccessful"]},
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message"],
                            "additionalProperties": False,
                            "properties": {
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "kind": {"enum": ["pass", "fail", "open"]},
                                "level": {"enum": ["none", "error"]},
                                "message": TEXT,
                                "locations": {"type": "array", "items": LOCATION},
                                "codeFlows": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "required": ["threadFlows"],
                                        "properties": {
                                            "threadFlows": {
                                                "type": "array",
                                                "minItems": 1,
                                                "items": FLOWS,
                                            }
                                        },
                                    },
                                },
                            },
                            "if": {"properties": {"kind": {"const": "fail"}}},
                            "else": {"properties": {"level": {"const": "none"}}},
                        },
                    },
                },
            },
        },
    },
}


def violated(tmp_path: Path, name: str = "program.c", text: str = "") -> Outcome:
    """The outcome of a C program with an error."""
    program = tmp_path / name
    program.write_text(
        text
        or """extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) { int x = __VERIFIER_nondet_int();
  if (x == 7)
    reach_error();
  return 0; }
"""
    )
    return obligato.verify(program, "bmc", property="unreach-call", timeout=60)


def evil() -> Outcome:
    """An outcome whose names and texts are hard to write down."""
    step = StepReport(0, f"{EVIL}.c", 3, EVIL, {EVIL: EVIL, "x": 1}, {EVIL: 3}, 1, EVIL)
    stream = StreamReport("input", EVIL, (EVIL, "true"))
    trace = TraceReport({EVIL: 1}, {}, (step, step), True, EVIL, streams=(stream,))
    return Outcome(
        EVIL, Verdict.FALSE, EVIL, None, trace, file=f"{EVIL}.c", notes=(EVIL,), engine=EVIL
    )


def test_sarif(tmp_path: Path) -> None:
    data = json.loads(sarif_text(violated(tmp_path)))
    jsonschema.validate(data, SARIF)
    (result,) = data["runs"][0]["results"]
    assert (result["kind"], result["level"]) == ("fail", "error")
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 4
    flow = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert any({"text": "7"} in f.get("state", {}).values() for f in flow)


def test_verdicts_of_several_properties(tmp_path: Path) -> None:
    program = tmp_path / "two.c"
    program.write_text(
        "extern int __VERIFIER_nondet_int(void);\n"
        "int main(void) { int x = __VERIFIER_nondet_int(); return x + 1; }\n"
    )
    outcome = obligato.verify(program, property="assertions,no-overflow", timeout=60)
    results = json.loads(sarif_text(outcome))["runs"][0]["results"]
    assert [r["kind"] for r in results] == ["pass", "fail"]
    suite = xml.fromstring(junit_text(outcome))[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    cases = {c.get("name"): [child.tag for child in c] for c in suite}
    assert cases == {"assertions": [], "no-overflow": ["failure"]}


def test_unknown_is_no_success() -> None:
    outcome = Outcome("p", Verdict.UNKNOWN, "timeout", file="a.c")
    assert json.loads(sarif_text(outcome))["runs"][0]["results"][0]["kind"] == "open"
    assert xml.fromstring(junit_text(outcome))[0][0][0].tag == "error"


def test_graphml(tmp_path: Path) -> None:
    space = "{http://graphml.graphdrawing.org/xmlns}"
    graph = xml.fromstring(graphml_text(violated(tmp_path))).find(f"{space}graph")
    assert graph is not None
    about = {d.get("key"): d.text for d in graph.findall(f"{space}data")}
    assert about["witness-type"] == "violation_witness" and len(about["programhash"] or "") == 64
    edges = [{d.get("key"): d.text for d in e} for e in graph.findall(f"{space}edge")]
    assert (
        edges[0]["assumption"] == "\\result == 7;"
        and edges[0]["assumption.resultfunction"] == "__VERIFIER_nondet_int"
    )
    assert edges[-1]["startline"] == "4"
    last = graph.findall(f"{space}node")[-1]
    assert [(d.get("key"), d.text) for d in last] == [("violation", "true")]


def values_in(vcd: str) -> dict[str, list[str]]:
    """The values of each variable of a dump, by step."""
    head, _, body = vcd.partition("$enddefinitions $end")
    names = {m[2]: m[3] for m in re.finditer(r"\$var (\w+) \d+ (\S+) (\S+) \$end", head)}
    now: dict[str, str] = {}
    out: dict[str, list[str]] = {n: [] for n in names.values()}
    blocks = body.strip().replace("\n#", "\n\0").lstrip("#").split("\0")
    for block in blocks[:-1]:
        for line in block.splitlines()[1:]:
            value, code = line.split(" ") if " " in line else (line[0], line[1:])
            now[names[code]] = value
        for name in out:
            out[name].append(now[name])
    return out


def test_vcd_of_hardware(tmp_path: Path) -> None:
    model = tmp_path / "counter.btor2"
    model.write_text(COUNTER)
    outcome = obligato.verify(model, timeout=60)
    assert outcome.verdict is Verdict.FALSE
    values = values_in(vcd_text(outcome))
    counter = [int(v[1:], 2) for v in values["counter"]]
    assert counter[0] == 0 and counter[-1] == 3
    steps = zip(counter, counter[1:], values["enable"], strict=False)
    assert all(b == a + int(e) for a, b, e in steps)


def test_vcd_of_lustre(tmp_path: Path) -> None:
    outcome = obligato.verify(Path(__file__).parents[2] / "examples" / "cruise_bug.lus", timeout=60)
    assert outcome.verdict is Verdict.FALSE and outcome.trace is not None
    values = values_in(vcd_text(outcome))
    assert values and all(len(v) == len(outcome.trace.steps) for v in values.values())
    for stream in outcome.trace.streams:
        if set(stream.values) <= {"true", "false"}:
            assert [v == "1" for v in values[stream.name]] == [v == "true" for v in stream.values]


def test_any_text_can_be_reported() -> None:
    outcome = evil()
    jsonschema.validate(json.loads(sarif_text(outcome)), SARIF)
    assert xml.fromstring(junit_text(outcome)).tag == "testsuites"
    dump = vcd_text(outcome)
    assert dump.isascii() and all(len(line.split()) <= 6 for line in dump.splitlines())
    assert dump.split().count("$end") == 6
    for form in REPORTS:
        if form.name not in ("witness", "graphml", "harness"):
            form.text(outcome)


def test_any_source_can_be_witnessed(tmp_path: Path) -> None:
    odd = (
        f"extern void reach_error(void); /* {EVIL} */\n"
        + r"""
int main(void) { char *s = "</script>&amp;\"'"; if (s) reach_error(); return 0; }
"""
    )
    outcome = violated(tmp_path, "odd <name> & 'quotes'.c", odd)
    assert outcome.verdict is Verdict.FALSE
    for form in REPORTS:
        text = form.text(outcome)
        if form.name == "witness":
            assert yaml.safe_load(text)[0]["metadata"]["task"]["input_files"] == [
                "odd <name> & 'quotes'.c"
            ]
        if form.name in ("junit", "graphml"):
            xml.fromstring(text)
        if form.name == "sarif":
            assert json.loads(text)["version"] == "2.1.0"


def test_proof_obligations_are_repeated_by_other_solvers(tmp_path: Path) -> None:
    program, claim, folder = tmp_path / "p.c", tmp_path / "p.json", tmp_path / "obligations"
    program.write_text("""extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) { int n = __VERIFIER_nondet_int(), i = 0; if (n < 0) return 0;
  while (i < n) i++;
  if (i != n) reach_error();
  return 0; }
""")
    outcome = obligato.verify(program, property="unreach-call", timeout=60)
    assert outcome.verdict is Verdict.TRUE
    claim.write_text(json_text(to_dict(outcome)))
    command = [
        str(Path(sys.executable).with_name("obligato")),
        "check",
        str(program),
        str(claim),
        "--emit",
        str(folder),
        "-q",
    ]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0
    files = sorted(folder.glob("*.smt2"))
    assert files
    for file in files:
        expected = re.search(r":status (\w+)\)", file.read_text())
        assert expected is not None
        z3 = str(Path(sys.executable).with_name("z3"))
        said = subprocess.run([z3, str(file)], capture_output=True, text=True, check=True)
        assert said.stdout.strip() == expected[1] == by_cvc5(file)
    assert subprocess.run(command, check=False, capture_output=True).returncode == 2, (
        "the folder is not empty any more"
    )


def by_cvc5(file: Path) -> str:
    """What cvc5 answers to a script."""
    solver = cvc5.Solver(cvc5.TermManager())
    parser = cvc5.InputParser(solver)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, str(file))
    answer = ""
    while not (command := parser.nextCommand()).isNull():
        answer += str(command.invoke(solver, parser.getSymbolManager()))
    return answer.strip()


def tool_info(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The tool-info module, with as much of BenchExec as it needs where that is not installed."""
    try:
        import benchexec.result  # noqa: F401
    except ImportError:
        names = ("benchexec", "benchexec.result", "benchexec.tools", "benchexec.tools.template")
        package, result, tools, template = map(types.ModuleType, names)
        for name in ("TRUE_PROP", "FALSE_PROP", "UNKNOWN", "ERROR"):
            setattr(
                result,
                f"RESULT_{name}",
                {"TRUE_PROP": "true", "FALSE_PROP": "false"}.get(name, name.lower()),
            )
        for name, part in (
            ("REACH", "unreach-call"),
            ("OVERFLOW", "no-overflow"),
            ("DEREF", "valid-deref"),
            ("FREE", "valid-free"),
            ("MEMTRACK", "valid-memtrack"),
        ):
            setattr(result, f"RESULT_FALSE_{name}", f"false({part})")
        template.BaseTool2 = object  # type: ignore[attr-defined]
        template.UnsupportedFeatureException = ValueError  # type: ignore[attr-defined]
        package.result = result  # type: ignore[attr-defined]
        for module in (package, result, tools, template):
            monkeypatch.setitem(sys.modules, module.__name__, module)
    from obligato.bench import toolinfo

    return toolinfo.Tool()


def test_benchexec_tool_info(monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tool_info(monkeypatch)
    task = SimpleNamespace(
        options={"data_model": "ILP32"}, property_file="p.prp", input_files_or_identifier=["a.c"]
    )
    command = tool.cmdline("obligato", ["--engine", "ic3cfa"], task, SimpleNamespace(cputime=60))
    assert command == [
        "obligato",
        "verify",
        "--engine",
        "ic3cfa",
        "--property",
        "p.prp",
        "--data-model",
        "ILP32",
        "--set",
        "externals=pure",
        "--timeout",
        "60",
        "a.c",
    ]

    def result(*lines: str, status: int = 0) -> str:
        return str(
            tool.determine_result(
                SimpleNamespace(output=lines, exit_code=SimpleNamespace(value=status))
            )
        )

    assert [
        result("note", "true"),
        result("x", "false(unreach-call)", ""),
        result("timeout", "unknown"),
    ] == ["true", "false(unreach-call)", "unknown"]
    assert result("a.c:1:1: error: no", status=3) == "ERROR (refused)"
    assert result("false(valid-deref)") == "false(valid-deref)"


def test_examples_of_continuous_integration_use_what_exists() -> None:
    folder = Path(__file__).parents[2] / "examples" / "ci"
    workflow = yaml.safe_load((folder / "github.yml").read_text())
    hooks = yaml.safe_load((folder / "pre-commit-hooks.yaml").read_text())
    scripts = [s["run"] for s in workflow["jobs"]["verify"]["steps"] if "run" in s] + [
        h["entry"] for h in hooks
    ]
    used = {name for text in scripts for name in re.findall(r"--report \"(\w+)=", text)}
    assert used <= {r.name for r in REPORTS} and used
    command = [str(Path(sys.executable).with_name("obligato")), "verify", "--help"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    options = {
        o
        for text in scripts
        for line in text.splitlines()
        if "obligato verify" in line or "--report" in line
        for o in re.findall(r"(?<= )--[a-z-]+", line)
    } - {"--"}
    assert all(o in shown.stdout for o in options)
