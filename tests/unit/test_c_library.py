"""Headers and library functions of our own against those of the machine's compiler, and the options of preprocessing."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import obligato
from obligato.errors import ConfigError, InputError
from obligato.frontends.c import load
from obligato.frontends.c.characters import CLASSES, SHIFTED
from obligato.frontends.c.library import definitions
from obligato.frontends.c.preprocess import OWN_HEADERS
from obligato.frontends.preprocessing import Preprocessing, of_compilation
from obligato.results.outcome import Verdict

needs_compiler = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
ASSERT = "#include <assert.h>\nint main(void) {{ assert({}); return 0; }}\n"


def ran(source: Path, *flags: str) -> str:
    program = source.with_suffix(".out")
    subprocess.run(["gcc", "-w", *flags, str(source), "-o", str(program)], check=True, timeout=120)
    return subprocess.run([str(program)], check=True, capture_output=True, text=True, timeout=120).stdout


@needs_compiler
@pytest.mark.parametrize("header", ["limits.h", "stdint.h", "float.h", "stdlib.h", "errno.h", "stdio.h"])
def test_constants_are_those_of_the_system(header: str, tmp_path: Path) -> None:
    names = re.findall(r"^#define ([A-Z][A-Z0-9_]*) \S", (OWN_HEADERS / header).read_text(), re.MULTILINE)
    names = [n for n in names if not n.startswith(("OBLIGATO", "PRI")) and n not in ("SSIZE_MAX", "L_tmpnam", "MB_CUR_MAX")]
    lines = [f'    printf("{n} %.20Lg\\n", (long double)({n}));' for n in names]
    source = tmp_path / "constants.c"
    head = f"#include <{header}>\nint printf(const char *restrict, ...);\n"
    source.write_text(head + "int main(void) {\n" + "\n".join(lines) + "\n}\n")
    assert names and ran(source, "-nostdinc", "-isystem", str(OWN_HEADERS)) == ran(source)


def strings(rng: random.Random) -> list[str]:
    made = ["", "a", "ab", "abcab", " ,x, y,,", "-12", "+7z", "  \t-0099", "2147483647"]
    return made + ["".join(rng.choice("ab, -1") for _ in range(rng.randrange(7))) for _ in range(12)]


CALLS = {
    "memchr": "place(s, memchr(s, *t, strlen(s)))", "strnlen": "strnlen(s, 3)", "strchr": "place(s, strchr(s, *t))",
    "strrchr": "place(s, strrchr(s, *t))", "strncat": "(strcpy(b, s), hash(strncat(b, t, 2)))",
    "strstr": "place(s, strstr(s, t))", "strspn": "strspn(s, t)", "strcspn": "strcspn(s, t)",
    "strpbrk": "place(s, strpbrk(s, t))", "strtok_r": "(strcpy(b, s), tokens(b, t))", "ffs": "ffs((int)(strlen(s) * 37))",
    "atoi": "atoi(s)",
}
TOKENS = """
static long tokens(char *s, const char *t) {
    long n = 1; char *r, *p = strtok_r(s, t, &r);
    for (; p; p = strtok_r((char *)0, t, &r)) n = n * 31 + hash(p);
    return n;
}"""
HELPERS = """
static long place(const char *s, const void *p) { return p ? (const char *)p - s : -1; }
static long hash(const char *s) { long h = 7; while (*s) h = h * 31 + *s++; return h; }
"""


@needs_compiler
def test_functions_written_in_c_agree_with_the_system(tmp_path: Path) -> None:
    assert CALLS.keys() == definitions().keys()
    texts = ", ".join(json.dumps(s) for s in strings(random.Random(5)))
    body = "".join(
        f'    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {{\n      const char *s = x[i], *t = x[j]; char b[64];\n'
        f'        printf("{name} %ld\\n", (long)({call})); }}\n' for name, call in CALLS.items())
    main = f"int main(void) {{\n    const char *x[] = {{{texts}}}; int n = sizeof x / sizeof *x;\n{body}}}\n"
    head = "#define _GNU_SOURCE\n#include <stdio.h>\n#include <string.h>\n#include <strings.h>\n#include <stdlib.h>\n"
    theirs, ours = tmp_path / "theirs.c", tmp_path / "ours.c"
    theirs.write_text(head + HELPERS + TOKENS + main)
    renamed = "".join(f"#define {name} own_{name}\n" for name in CALLS)
    ours.write_text(head + renamed + "".join(re.sub("^#.*", "", t) for t in definitions().values()) + HELPERS + TOKENS + main)
    flags = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-builtin")
    assert ran(ours, *flags) == ran(theirs, "-fno-builtin")


@needs_compiler
def test_characters_agree_with_the_system(tmp_path: Path) -> None:
    source = tmp_path / "characters.c"
    classes = "".join(f'printf("{n} %d %d\\n", c, !!{n}(c));' for n in CLASSES)
    shifted = "".join(f'printf("{n} %d %d\\n", c, {n}(c));' for n in SHIFTED)
    source.write_text("#include <ctype.h>\n#include <stdio.h>\nint main(void) { for (int c = -1; c < 256; c++) {"
                      + classes + shifted + "} return 0; }")
    for line in ran(source).splitlines():
        name, c, value = line.split()
        if name in CLASSES:
            assert int(any(low <= int(c) <= high for low, high in CLASSES[name])) == int(value), line
        else:
            (low, high), by = SHIFTED[name]
            assert int(c) + (by if low <= int(c) <= high else 0) == int(value), line


@pytest.mark.parametrize(("claim", "verdict"), [
    ("strchr(s, 'b') == s + 1", Verdict.TRUE), ("strchr(s, 'x')", Verdict.FALSE), ("atoi(\"-3\") == -3", Verdict.TRUE),
    ("isalpha(*s)", Verdict.TRUE), ("isalpha(*s) == 1", Verdict.UNKNOWN), ("isdigit(*s)", Verdict.FALSE)])
def test_programs_that_use_the_library(claim: str, verdict: Verdict, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text("#include <string.h>\n#include <ctype.h>\n#include <stdlib.h>\n#include <assert.h>\n"
                    f'int main(void) {{ char s[4] = "abc"; assert({claim}); return 0; }}\n')
    assert obligato.verify(file, "bmc", timeout=60).verdict is verdict


def test_what_the_program_defines_itself_is_used(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text("extern void reach_error(void);\nint atoi(const char *s) { return 5; }\n"
                    "int isdigit(int c) { return 7; }\nstatic char *strchr = 0;\n"
                    'int main(void) { if (atoi("1") + isdigit(0) != 12 || strchr) reach_error(); return 0; }\n')
    assert obligato.verify(file, "bmc", timeout=60).verdict is Verdict.TRUE


def test_no_compiler_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.h").write_text("#ifdef WIDE\n#define N 8\n#else\n#define N 4\n#endif\n")
    file = tmp_path / "program.c"
    file.write_text('#include "own.h"\n#include <stdint.h>\n' + ASSERT.format("N == sizeof(void *) && sizeof(int64_t) == 8"))
    results = []
    for path in (None, str(tmp_path)):
        if path is not None:
            monkeypatch.setenv("PATH", path)
        for model, macros in (("LP64", (("D", "WIDE"),)), ("ILP32", ())):
            program = load(file, data_model=model, preprocessing=Preprocessing(macros=macros))
            results.append([(s.file, s.line) for s in (p.span for p in program.procedures.values())])
    assert results[:2] == results[2:] == [[(str(file), 4)]] * 2


def test_a_header_that_nobody_has_is_refused_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "program.c"
    file.write_text("\n#include <no/such/header.h>\nint main(void) { return 0; }\n")
    for path in (None, str(tmp_path)):
        if path is not None:
            monkeypatch.setenv("PATH", path)
        with pytest.raises(InputError, match=r"no/such/header\.h") as refused:
            load(file)
        assert refused.value.span.line == 2


def test_options_of_preprocessing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "size.h").write_text("#define SIZE 3\n")
    (tmp_path / "first.h").write_text("#define FIRST 1\n")
    file = tmp_path / "program.c"
    file.write_text("#include <size.h>\n" + ASSERT.format("SIZE + FIRST + K == 9"))
    database = tmp_path / "compile_commands.json"
    database.write_text(json.dumps([{"directory": str(tmp_path), "file": "program.c", "command":
                                     "cc -c -Ifolder -D K=4 -DL=1 -U L -include first.h -std=c99 -O2 program.c"}]))
    how = of_compilation(database, file)
    assert how == Preprocessing((str(tmp_path / "folder"),), (("D", "K=4"), ("D", "L=1"), ("U", "L")),
                                (str(tmp_path / "first.h"),), "c99")
    with pytest.raises(InputError):
        load(file)
    assert load(file, preprocessing=how).procedures
    with pytest.raises(ConfigError, match="does not mention"):
        of_compilation(database, tmp_path / "other.c")
    with pytest.raises(ConfigError, match="no such folder"):
        load(file, preprocessing=Preprocessing(("nowhere",)))
    with pytest.raises(ConfigError, match="std=c77"):
        load(file, preprocessing=Preprocessing(standard="c77"))
