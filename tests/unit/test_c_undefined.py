"""The properties div-by-zero and shifts, also as the sanitizers of a compiler see them, and all properties at once."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import obligato
from obligato.program.interpreter import Defaults, Interpreter, Status
from obligato.results.outcome import Verdict
from tests.c.harness import load_text

CASES = {  # property, statements, does a run violate it?
    "signed division": ("div-by-zero", "int z = 0; int x = 3 / z;", True),
    "unsigned remainder": ("div-by-zero", "unsigned z = 0; unsigned x = 3u % z;", True),
    "compound": ("div-by-zero", "int x = 8, z = 0; x /= z;", True),
    "guarded": ("div-by-zero", "int z = 0; int x = z ? 3 / z : 0;", False),
    "short circuit": ("div-by-zero", "int z = 0; int x = z && 3 % z;", False),
    "floats may": ("div-by-zero", "double z = 0; double x = 3 / z;", False),
    "constants": ("div-by-zero", "int x = 7 / 2 % 3;", False),
    "dropped value": ("div-by-zero", "int z = 0; 3 / z;", True),
    "in a condition": ("div-by-zero", "int z = 0; if (1 % z) z = 1;", True),
    "in an index": ("div-by-zero", "int z = 0, a[4] = {0}; int x = a[2 / z];", True),
    "wide shift": ("shifts", "int n = 32; int x = 1 << n;", True),
    "negative shift": ("shifts", "int n = -1; unsigned x = 8u >> n;", True),
    "long shift": ("shifts", "int n = 33; long long x = 1ll << n;", False),
    "promoted": ("shifts", "unsigned char c = 1; int n = 31; int x = c >> n;", False),
    "shift of a shift": ("shifts", "int n = 40; n >>= 1; unsigned x = 1u << n;", False),
    "compound shift": ("shifts", "unsigned x = 1; int n = 99; x <<= n;", True),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_violated(name: str, tmp_path: Path) -> None:
    prop, text, violated = CASES[name]
    program = load_text(f"int main(void) {{ {text} return 0; }}\n", tmp_path, property=prop)
    result = Interpreter(program).run(Defaults())
    assert (result.status is Status.FAILED) is violated and (not violated or result.label == prop)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("name", CASES)
def test_sanitizers_agree(name: str, tmp_path: Path) -> None:
    prop, text, violated = CASES[name]
    source, out = tmp_path / "program.c", tmp_path / "program"
    hidden = text.replace("int z", "volatile int z").replace("int n", "volatile int n")  # from the optimiser
    source.write_text(f"int main(void) {{ {hidden} return 0; }}\n")
    check = "integer-divide-by-zero" if prop == "div-by-zero" else "shift-exponent"
    flags = ["-w", "-O0", f"-fsanitize={check}", "-fno-sanitize-recover=all"]
    subprocess.run(["gcc", *flags, str(source), "-o", str(out)], check=True)
    if name != "dropped value":  # compilers drop it
        assert (subprocess.run([str(out)], capture_output=True, check=False).returncode != 0) is violated


def test_all_properties_at_once(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text("extern int __VERIFIER_nondet_int(void);\n"
                    "int main(void) { int n = __VERIFIER_nondet_int(); return n > 0 ? 10 / (n - 1) : 0; }\n")
    outcome = obligato.verify(file, property="all", timeout=60)
    found = {v.property: v.verdict for v in outcome.verdicts}
    assert list(found) == ["assertions", "memsafety", "no-overflow", "div-by-zero", "shifts"]
    assert found["div-by-zero"] is Verdict.FALSE and found["shifts"] is found["memsafety"] is Verdict.TRUE
