"""Headers and library functions of our own against those of the machine's compiler, and the options
of preprocessing.
"""

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
from obligato.frontends.c.catalogue import is_known
from obligato.frontends.c.characters import CLASSES, SHIFTED, USUAL
from obligato.frontends.c.library import closed, definitions
from obligato.frontends.c.preprocess import OWN_HEADERS
from obligato.frontends.c.standard import is_standard
from obligato.frontends.compilation import of_compilation
from obligato.frontends.preprocessing import Preprocessing
from obligato.program.interpreter import Defaults, Interpreter, Status
from obligato.results.outcome import Verdict

needs_compiler = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
ASSERT = "#include <assert.h>\nint main(void) {{ assert({}); return 0; }}\n"
LEFT_OPEN = (
    "int __obligato_choice(void) { return 0; }\nint __obligato_unmodelled(void) {"
    " __builtin_abort(); }\n"
)


def ran(source: Path, *flags: str) -> str:
    program = source.with_suffix(".out")
    subprocess.run(["gcc", "-w", *flags, str(source), "-o", str(program)], check=True, timeout=120)
    return subprocess.run(
        [str(program)], check=True, capture_output=True, text=True, errors="replace", timeout=120
    ).stdout


@needs_compiler
@pytest.mark.parametrize(
    "header", ["limits.h", "stdint.h", "float.h", "stdlib.h", "errno.h", "stdio.h"]
)
def test_constants_are_those_of_the_system(header: str, tmp_path: Path) -> None:
    names = re.findall(
        r"^#define ([A-Z][A-Z0-9_]*) \S", (OWN_HEADERS / header).read_text(), re.MULTILINE
    )
    names = [
        n
        for n in names
        if not n.startswith(("OBLIGATO", "PRI"))
        and n not in ("SSIZE_MAX", "L_tmpnam", "MB_CUR_MAX")
    ]
    lines = [f'    printf("{n} %.20Lg\\n", (long double)({n}));' for n in names]
    source = tmp_path / "constants.c"
    head = f"#include <{header}>\nint printf(const char *restrict, ...);\n"
    source.write_text(head + "int main(void) {\n" + "\n".join(lines) + "\n}\n")
    assert names and ran(source, "-nostdinc", "-isystem", str(OWN_HEADERS)) == ran(source)


KINDS = (
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "float",
    "double",
    "long double",
)


@needs_compiler
@pytest.mark.parametrize("model", ["-m64", "-m32"])
@pytest.mark.parametrize(
    "header", ["stdint.h", "stddef.h", "stdlib.h", "stdio.h", "time.h", "math.h", "inttypes.h"]
)
def test_types_are_those_of_the_system(header: str, model: str, tmp_path: Path) -> None:
    text = (OWN_HEADERS / header).read_text()
    names = re.findall(r"^(?:typedef .*|} )\b(\w+_t);$", text, re.MULTILINE)
    names += re.findall(r"^struct \w+(?= \{)", text, re.MULTILINE)
    cases = ", ".join(f"{kind} *: {i}" for i, kind in enumerate(KINDS))
    lines = [
        f'    printf("{n} %d %d %d\\n", (int)sizeof({n}), (int)_Alignof({n}), _Generic(({n} *)0,'
        f" {cases}, default: -1));"
        for n in names
    ]
    source = tmp_path / "types.c"
    head = f"#include <{header}>\nint printf(const char *restrict, ...);\n"
    source.write_text(head + "int main(void) {\n" + "\n".join(lines) + "\n}\n")
    try:
        theirs = ran(source, model, "-msse2", "-mfpmath=sse")
    except (subprocess.CalledProcessError, OSError):
        pytest.skip(f"the compiler does not know {model}")
    assert names and ran(source, model, "-nostdinc", "-isystem", str(OWN_HEADERS)) == theirs


def strings(rng: random.Random) -> list[str]:
    made = ["", "a", "ab", "abcab", " ,x, y,,", "-12", "+7z", "  \t-0099", "2147483647"]
    return made + [
        "".join(rng.choice("ab, -1") for _ in range(rng.randrange(7))) for _ in range(12)
    ]


CALLS = {
    "memchr": "place(s, memchr(s, *t, strlen(s)))",
    "strnlen": "strnlen(s, 3)",
    "strchr": "place(s, strchr(s, *t))",
    "strrchr": "place(s, strrchr(s, *t))",
    "strncat": "(strcpy(b, s), hash(strncat(b, t, 2)))",
    "strstr": "place(s, strstr(s, t))",
    "strspn": "strspn(s, t)",
    "strcspn": "strcspn(s, t)",
    "strpbrk": "place(s, strpbrk(s, t))",
    "strtok_r": "(strcpy(b, s), tokens(b, t))",
    "ffs": "ffs((int)(strlen(s) * 37))",
    "ffsl": "ffsl((long)strlen(s) << 20)",
    "ffsll": "ffsll(strlen(s) * (1ll << 40))",
    "atoi": "(int)strtol(s, 0, 10) == strtol(s, 0, 10) ? atoi(s) : 0",
    "atol": "atol(s)",
    "atoll": "atoll(s)",
    "strtol": "number(strtol(s, &e, *t), s, e)",
    "strtoll": "number(strtoll(s, &e, *t), s, e)",
    "strtoul": "number(strtoul(s, &e, *t), s, e)",
    "strtoull": "number(strtoull(s, &e, *t), s, e)",
    "__errno_location": "(errno = *s, 0)",
    "div": "(q = div(*s - 99, *t - 50 ? *t - 50 : 7), q.quot * 1000 + q.rem)",
    "ldiv": "(l = ldiv(*s - 99, *t - 50 ? *t - 50 : 7), l.quot * 1000 + l.rem)",
    "lldiv": "(ll = lldiv(*s - 99, *t - 50 ? *t - 50 : 7), ll.quot * 1000 + ll.rem)",
    "qsort": "(strcpy(b, s), qsort(b, strlen(b), 1, compare), hash(b))",
    "bsearch": (
        "(strcpy(b, s), qsort(b, strlen(b), 1, compare), (p = bsearch(t, b, strlen(b), 1, compare))"
        " ? *p : 0)"
    ),
    "strtok": "(strcpy(b, s), tokens_of(b, t))",
    "strdup": "(p = strdup(s), read = hash(p), free(p), read)",
    "strndup": "(p = strndup(s, 3), read = hash(p), free(p), read)",
    "snprintf": (
        '(memset(b, 7, 8), 1000 * snprintf(b, *t % 7, "%s|%d", s, *t) + b[0] + b[1] + b[5])'
    ),
    "sprintf": '1000 * sprintf(b, "%s %c%%%4x", s, *t, *t) + hash(b)',
    "vsnprintf": '1000 * written(0, b, 9, "%d%s", *t, s) + hash(b)',
    "vsprintf": '1000 * written(1, b, 9, "%d%s", *t, s) + hash(b)',
    "fgets": "lines(s, b, 2 + *t % 4)",
    "fread": "(read = blocks(s, b, 1 + *t % 3)) + hash(b)",
}
NUMBERS = [
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "0x1F",
    "-0x7fffffff",
    "0x",
    "0xg",
    "017",
    "08",
    "zz",
    "+-1",
    " \t-1 2",
    "99999999999999999999999",
    "2147483648",
    "-2147483649",
    "4294967296",
    "\x02",
    "\x08",
    "\x10",
    "\x24",
    "\x01",
    "1\n2\n\n34",
]
TOKENS = """
static long tokens(char *s, const char *t) {
    unsigned long n = 1; char *r, *p = strtok_r(s, t, &r);
    for (; p; p = strtok_r((char *)0, t, &r)) n = n * 31 + hash(p);
    return n;
}"""
HELPERS = """
static int compare(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
static long number(unsigned long long v, const char *s, char *e)
{ long r = v * 131 + (e - s) * 17; return r; }
static long hash(const char *s);
static long tokens_of(char *s, const char *t)
{ unsigned long n = 1; char *p = strtok(s, t); for (; p; p = strtok(0, t)) n = n * 31 + hash(p); return n; }
static int written(int all, char *b, unsigned long n, const char *f, ...)
{ va_list l; va_start(l, f); int r = all ? vsprintf(b, f, l) : vsnprintf(b, n, f, l); va_end(l); return r; }
static FILE *file(const char *s) { FILE *f = tmpfile(); fputs(s, f); rewind(f); return f; }
static long lines(const char *s, char *b, int n)
{ FILE *f = file(s); unsigned long h = 3; while (fgets(b, n, f)) h = h * 37 + hash(b); fclose(f); return h; }
static long blocks(const char *s, char *b, int n)
{ FILE *f = file(s); memset(b, 0, 40); long r = fread(b, n, 4, f); fclose(f); return r; }
static long place(const char *s, const void *p) { return p ? (const char *)p - s : -1; }
static long hash(const char *s) { unsigned long h = 7; while (*s) h = h * 31 + *s++; return h; }
"""


@needs_compiler
def test_functions_written_in_c_agree_with_the_system(tmp_path: Path) -> None:
    starts = {"srand", "srandom"}  # they have no value
    written = {name for name in definitions() if not name.startswith("__obligato")}
    assert CALLS.keys() == written - starts
    texts = ", ".join(
        json.dumps(s).replace("\\u00", "\\x") for s in [*strings(random.Random(5)), *NUMBERS]
    )
    body = "".join(
        f"    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {{\n"
        '      const char *s = x[i], *t = x[j]; char b[128] = "", *e = (char *)s, *p; div_t q;'
        " ldiv_t l; lldiv_t ll; "
        "    long read;\n"
        f'        printf("{name} %ld\\n", (long)({call})); }}\n'
        for name, call in CALLS.items()
    )
    main = (
        f"int main(void) {{\n    const char *x[] = {{{texts}}}; int n = sizeof x / sizeof"
        f" *x;\n{body}}}\n"
    )
    head = "#define _GNU_SOURCE\n" + "".join(
        f"#include <{h}.h>\n" for h in ("stdio", "string", "strings", "stdlib", "errno", "stdarg")
    )
    theirs, ours = tmp_path / "theirs.c", tmp_path / "ours.c"
    theirs.write_text(head + HELPERS + TOKENS + main)
    renamed = "".join(f"#define {name} own_{name}\n" for name in CALLS) + LEFT_OPEN
    own = "".join(re.sub("^#.*", "", definitions()[name]) for name in closed(list(CALLS)))
    ours.write_text(head + renamed + own + HELPERS + TOKENS + main)
    flags = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-builtin")
    assert ran(ours, *flags) == ran(theirs, "-fno-builtin")


FORMATS = [
    f"%{flags}{width}{precision}{size}{kind}"
    for flags in ("", "-", "0", "+", " ", "#", "-0", "+0")
    for width in ("", "1", "7", "*")
    for precision in ("", ".0", ".3", ".*")
    for size in ("", "hh", "h", "l", "ll", "z", "j")
    for kind in "diuxX"
    if not (kind in "uxX" and flags[:1] in ("+", " ")) and not (kind in "diu" and flags == "#")
]
FORMATS += [
    f"%{flags}{width}{precision}{kind}"
    for flags in ("", "-")
    for width in ("", "6", "*")
    for precision in ("", ".0", ".2", ".*")
    for kind in "sco"
    if not (kind == "c" and precision)
] + ["%%", "a%%b", "%d%%"]


def kind_of(form: str) -> int:
    """Which of the arguments (an int, a long, a long long, a text) a format is given."""
    return (
        3
        if "s" in form
        else 2
        if "ll" in form or "j" in form
        else 1
        if "l" in form or "z" in form
        else 0
    )


@needs_compiler
def test_formats_agree_with_the_system(tmp_path: Path) -> None:
    rows = ", ".join(f'{{"{f}", {kind_of(f)}, {f.count("*")}}}' for f in FORMATS)
    calls = "".join(
        f"    if (f.kind == {kind} && f.stars == {stars}) n = snprintf(b, room,"
        f" f.f{', stars[k]' * stars}, {value});\n"
        for kind, value in enumerate(
            ("(int)numbers[k]", "(long)numbers[k]", "numbers[k]", "texts[k]")
        )
        for stars in range(3)
    )
    main = f"""
struct row {{ const char *f; int kind, stars; }} rows[] = {{{rows}}};
long long numbers[] = {{0, 1, -1, 42, -12345, 255, 2147483647, -2147483647 - 1, 9223372036854775807LL, 65 + (1LL << 40)}};
const char *texts[] = {{"", "a", "ab", "abcd", "abcdefgh", "x", "y", "z", "%d", "\\n"}};
int stars[] = {{0, 3, -4, 12, 1, 0, 5, 2, 7, -1}};
int main(void) {{
  for (int i = 0; i < sizeof rows / sizeof *rows; i++) for (int k = 0; k < 10; k++) for (int room = 3; room < 60; room += 40) {{
    char b[64] = ""; int n = 0; struct row f = rows[i];
{calls}    printf("%d %d %d <%s>\\n", i, k, n, b);
  }}
  return 0;
}}
"""
    head = "#include <stdio.h>\n#include <stddef.h>\n"
    theirs, ours = tmp_path / "theirs.c", tmp_path / "ours.c"
    theirs.write_text(head + main)
    own = "".join(re.sub("^#.*", "", definitions()[name]) for name in closed(["snprintf"]))
    renamed = "#define snprintf own_snprintf\n#define vsnprintf own_vsnprintf\n" + LEFT_OPEN
    ours.write_text(head + renamed + own + main)
    flags = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-builtin")
    assert ran(ours, *flags) == ran(theirs, "-fno-builtin")


@needs_compiler
def test_characters_agree_with_the_system(tmp_path: Path) -> None:
    source = tmp_path / "characters.c"
    classes = "".join(f'printf("{n} %d %d\\n", c, {n}(c));' for n in CLASSES)
    shifted = "".join(f'printf("{n} %d %d\\n", c, {n}(c));' for n in SHIFTED)
    source.write_text(
        "#include <ctype.h>\n#include <stdio.h>\nint main(void) { for (int c = -1; c < 256; c++) {"
        + classes
        + shifted
        + "} return 0; }"
    )
    for line in ran(source).splitlines():
        name, c, value = line.split()
        if name in CLASSES:
            assert any(low <= int(c) <= high for low, high in CLASSES[name]) * USUAL[name] == int(
                value
            ), line
        else:
            (low, high), by = SHIFTED[name]
            assert int(c) + (by if low <= int(c) <= high else 0) == int(value), line


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("strchr(s, 'b') == s + 1", Verdict.TRUE),
        ("strchr(s, 'x')", Verdict.FALSE),
        ('atoi("-3") == -3', Verdict.TRUE),
        ('atoi("-2147483648") < -2147483647', Verdict.TRUE),
        ('atoi("2147483648") < 0', Verdict.UNKNOWN),
        ("isalpha(*s)", Verdict.TRUE),
        ("isalpha(*s) == 1", Verdict.FALSE),
        ("isalpha(*s) == 1024", Verdict.UNKNOWN),
        ("isdigit(*s)", Verdict.FALSE),
    ],
)
def test_programs_that_use_the_library(claim: str, verdict: Verdict, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(
        "#include <string.h>\n#include <ctype.h>\n#include <stdlib.h>\n#include <assert.h>\n"
        f'int main(void) {{ char s[4] = "abc"; assert({claim}); return 0; }}\n'
    )
    assert obligato.verify(file, "bmc", timeout=60, isolated=False).verdict is verdict


@pytest.mark.parametrize(
    ("form", "prop", "verdict"),
    [
        ("%9s", "memsafety", Verdict.TRUE),
        ("%10s", "memsafety", Verdict.FALSE),
        ("%9s", "assertions", Verdict.FALSE),
    ],
)
def test_words_that_scanf_reads(form: str, prop: str, verdict: Verdict, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(
        "#include <stdio.h>\n#include <string.h>\n#include <assert.h>\nint main(void) { char"
        " name[10];\n"
        f'  if (scanf("{form}", name) == 1) assert(strlen(name) < 9); return 0; }}\n'
    )
    assert obligato.verify(file, property=prop, timeout=60, isolated=False).verdict is verdict


def test_memory_safety_of_variable_arguments(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(
        "#include <stdarg.h>\nstatic int sum(int n, ...) { va_list ap; va_start(ap, n); int s ="
        " 0;\n  for (int i = 0; i < n; i++) s += va_arg(ap, int); va_end(ap); return s; }\nint"
        " main(void) { return sum(2, 1, 2); }\n"
    )
    assert (
        obligato.verify(file, property="memsafety", timeout=60, isolated=False).verdict
        is Verdict.TRUE
    )
    file.write_text(file.read_text().replace("sum(2, 1, 2)", "sum(3, 1, 2)"))
    assert (
        obligato.verify(file, property="memsafety", timeout=60, isolated=False).verdict
        is not Verdict.TRUE
    )


def test_what_the_program_defines_itself_is_used(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(
        "extern void reach_error(void);\nint atoi(const char *s) { return 5; }\n"
        "int isdigit(int c) { return 7; }\nstatic char *strchr = 0;\n"
        'int main(void) { if (atoi("1") + isdigit(0) != 12 || strchr) reach_error(); return 0; }\n'
    )
    assert obligato.verify(file, "bmc", timeout=60, isolated=False).verdict is Verdict.TRUE


def test_no_compiler_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.h").write_text("#ifdef WIDE\n#define N 8\n#else\n#define N 4\n#endif\n")
    file = tmp_path / "program.c"
    file.write_text(
        '#include "own.h"\n#include <stdint.h>\n'
        + ASSERT.format("N == sizeof(void *) && sizeof(int64_t) == 8")
    )
    results = []
    for path in (None, str(tmp_path)):
        if path is not None:
            monkeypatch.setenv("PATH", path)
        for model, macros in (("LP64", (("D", "WIDE"),)), ("ILP32", ())):
            program = load(file, data_model=model, preprocessing=Preprocessing(macros=macros))
            results.append(
                [(s.file, s.line) for s in (p.span for p in program.procedures.values())]
            )
    assert results[:2] == results[2:] == [[(str(file), 4)]] * 2


def test_a_header_that_nobody_has_is_refused_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    database.write_text(
        json.dumps(
            [
                {
                    "directory": str(tmp_path),
                    "file": "program.c",
                    "command": (
                        "cc -c -Ifolder -D K=4 -DL=1 -U L -include first.h -std=c99 -O2 program.c"
                    ),
                }
            ]
        )
    )
    how = of_compilation(database, file, (), "LP64")
    assert how == Preprocessing(
        (str(tmp_path / "folder"),),
        (("D", "K=4"), ("D", "L=1"), ("U", "L")),
        (str(tmp_path / "first.h"),),
        "c99",
    )
    with pytest.raises(InputError):
        load(file)
    assert load(file, preprocessing=how).procedures
    with pytest.raises(ConfigError, match="does not mention"):
        of_compilation(database, tmp_path / "other.c", (), "LP64")
    with pytest.raises(ConfigError, match="no such folder"):
        load(file, preprocessing=Preprocessing(("nowhere",)))
    with pytest.raises(ConfigError, match="std=c77"):
        load(file, preprocessing=Preprocessing(standard="c77"))


def database(folder: Path, *commands: str) -> Path:
    """A compilation database with a file for each command."""
    file = folder / "compile_commands.json"
    entries = [
        {"directory": str(folder), "file": f"{i}.c", "command": f"{command} {i}.c"}
        for i, command in enumerate(commands)
    ]
    file.write_text(json.dumps(entries))
    return file


@pytest.mark.parametrize(
    "command",
    [
        *(
            "gcc -funsigned-char",
            "gcc -fshort-enums",
            "gcc -fpack-struct=1",
            "gcc -Ofast",
            "gcc -m32",
        ),
        *(
            "gcc -mfma",
            "gcc -Wp,-DX",
            "gcc -x c++",
            "gcc @more",
            "gcc -include-pch x",
            "gcc --sysroot=x",
        ),
        *("arm-none-eabi-gcc -O2", "ccache /opt/avr-gcc"),
    ],
)
def test_an_option_that_may_change_the_program_is_refused(tmp_path: Path, command: str) -> None:
    with pytest.raises(ConfigError, match="compilation database"):
        of_compilation(database(tmp_path, command), tmp_path / "0.c", (), "LP64")


def test_options_that_change_nothing(tmp_path: Path) -> None:
    command = (
        "ccache x86_64-linux-gnu-gcc-12 -Wall -Wno-unused -O2 -g3 -MD -MF x.d -MT x -fPIC -fno-short-enums"
        " -fvisibility=hidden -fstack-protector-strong -fno-omit-frame-pointer -fdiagnostics-color=always"
        " -ffp-contract=off -msse2 -pipe -x c -c -o x.o -m64 -ansi -iquoteq -I i -isystem s"
    )
    how = of_compilation(database(tmp_path, command), tmp_path / "0.c", (), "LP64")
    assert how == Preprocessing(tuple(str(tmp_path / f) for f in "qis"), standard="c90")


def test_files_that_are_compiled_in_two_ways_are_refused(tmp_path: Path) -> None:
    same = database(tmp_path, "cc -DX=1", "cc -DX=1 -O2")
    assert of_compilation(same, tmp_path / "0.c", (tmp_path / "1.c",), "LP64").macros
    other = database(tmp_path, "cc -DX=1", "cc -DX=2")
    with pytest.raises(ConfigError, match="different options"):
        of_compilation(other, tmp_path / "0.c", (tmp_path / "1.c",), "LP64")


@pytest.mark.parametrize(
    ("condition", "model", "standard", "holds"),
    [
        ("-2147483648 < 0", "ILP32", "c89", False),
        ("-2147483648 < 0", "ILP32", "c99", True),
        ("(4 //**/ 2\n) == 2", "LP64", "c89", True),
        ("(4 //**/ 2\n) == 4", "LP64", "gnu89", True),
        ('sizeof("??/n") == 2', "LP64", "c11", True),
        ('sizeof("??/n") == 5', "LP64", "gnu11", True),
        ("scope() == 0", "LP64", "c90", True),
        ("scope() == 1", "LP64", "c99", True),
    ],
)
def test_a_standard_is_followed_without_directives(
    condition: str, model: str, standard: str, holds: bool, tmp_path: Path
) -> None:
    file = tmp_path / "program.c"
    scope = (
        "enum {a, b}; int scope(void)"
        " { if (sizeof(enum {b, a}) != sizeof(int)) return a; return b; }"
    )
    file.write_text(f"{scope} int main(void) {{ if (!({condition})) reach_error(); return 0; }}")
    program = load(file, data_model=model, preprocessing=Preprocessing(standard=standard))
    result = Interpreter(program).run(Defaults())
    assert (result.status is Status.FINISHED) is holds


def test_a_file_beside_the_program_is_no_header_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "assert.h").write_text("#define assert(x) ((void)0)\n")
    file = tmp_path / "program.c"
    for header, status in (("<assert.h>", Status.FAILED), ('"assert.h"', Status.FINISHED)):
        file.write_text(f"#include {header}\nint main(void) {{ assert(0); return 0; }}")
        assert Interpreter(load(file)).run(Defaults()).status is status


# Functions of the standard library [C11, 7] whose values are no inputs: none may be taken for an
# undefined function.
DETERMINED = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax
fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nearbyint
nextafter nexttoward pow remainder remquo rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc abs labs llabs
div ldiv lldiv imaxabs imaxdiv isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper
isxdigit tolower toupper memchr memcmp memcpy memmove memset strcat strchr strcmp strcoll strcpy strcspn strerror
strlen strncat strncmp strncpy strpbrk strrchr strspn strstr strtok strxfrm atof atoi atol atoll bsearch qsort strtod
strtof strtol strtold strtoll strtoul strtoull strtoimax strtoumax snprintf sprintf sscanf vsnprintf vsprintf vsscanf
mblen mbstowcs mbtowc wcstombs wctomb mktime difftime asctime ctime gmtime localtime strftime ungetc tmpnam btowc
mbrlen mbrtowc mbsrtowcs swprintf swscanf vswprintf vswscanf wcrtomb wcscat wcschr wcscmp wcscoll wcscpy wcscspn
wcsftime wcslen wcsncat wcsncmp wcsncpy wcspbrk wcsrchr wcsrtombs wcsspn wcsstr wcstod wcstof wcstok wcstol wcstold
wcstoll wcstoul wcstoull wcstoimax wcstoumax wcsxfrm wctob wmemchr wmemcmp wmemcpy wmemmove wmemset iswalnum iswalpha
iswblank iswcntrl iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit iswctype towlower towupper
towctrans wctrans wctype mbrtoc16 c16rtomb mbrtoc32 c32rtomb fegetenv fegetexceptflag fegetround fetestexcept
gcvt drand48 mrand48 asctime_r mkstemp explicit_bzero qsort_r getlogin_r inet_pton
"""


def test_functions_of_the_standard_library_are_not_inputs() -> None:
    names = DETERMINED.split()
    names += [name + suffix for name in names[: names.index("abs")] for suffix in "fl"]
    assert [n for n in names if not (is_known(n) or is_standard(n) or n in definitions())] == []
