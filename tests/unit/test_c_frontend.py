"""The C front end: what loads, how it reads, what is refused and where."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

import pytest

from obligato.errors import ConfigError, InputError, Unsupported
from obligato.frontends.c import load
from obligato.program.interpreter import Defaults, Interpreter, Status
from obligato.program.printer import program_text
from obligato.program.syntax import LIMIT, Assert, Assume, Havoc, statements
from tests.c.harness import load_text

NONDET = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"


def text_of(source: str, folder: Path, **options: str) -> str:
    return program_text(load_text(source, folder, **options))


def test_conditions_stay_comparisons(tmp_path: Path) -> None:
    source = (
        NONDET
        + "int main(void) { int x = __VERIFIER_nondet_int(); if (!(x < 3) && x) reach_error();"
        " return 0; }"
    )
    text = text_of(source, tmp_path)
    assert "if (!(x <s 3bv32) && x != 0bv32)" in text and "ite" not in text


def test_structured_loops_stay_structured(tmp_path: Path) -> None:
    text = text_of(
        "int main(void) { int i, s = 0; for (i = 0; i < 50; i++) s += i; return s; }", tmp_path
    )
    assert "while (i <s 50bv32)" in text and "goto" not in text


def test_short_loops_are_written_out(tmp_path: Path) -> None:
    body = (
        "{ int i, s = 0; for (i = 0; i < N; i++) { if (s > 40) break; if (i & 1) continue; s += i;"
        " } return s; }"
    )
    for n, written in (("3", 4), ("8", 9), ("9", 1), ("s + 3", 1)):
        text = text_of(f"int main(void) {body.replace('N', n)}", tmp_path)
        assert text.count("s := s + i") == written, n
    assert (
        text_of(
            "int main(void) { int i = 0; for (i = 0; i < 3; i++) { l: i++; if (i == 7) goto l; }"
            " return i; }",
            tmp_path,
        ).count("l:")
        == 1
    )


def test_members_by_pointers_are_variables(tmp_path: Path) -> None:
    """memset of a member does not make bytes of a record, and arrays inside of records stay arrays
    of their own.
    """
    source = """void *memset(void *, int, unsigned long);
        struct ring { unsigned char data[40], n; }; struct port { int id; struct ring rx; short few[3]; } port;
        void clear(struct ring *r) { memset(r, 0, sizeof *r); }
        void put(struct port *p, int i) { p->rx.data[i] = 1; p->few[i & 1] = 2; p->rx.n++; }
        int main(void) { clear(&port.rx); put(&port, 3); return port.rx.n; }"""
    text = text_of(source, tmp_path)
    assert "memory$" not in text and "port.rx.data" in text and "port.few[2]" in text
    # beyond the member: as before
    assert "memory$" in text_of(source.replace("sizeof *r", "3 + sizeof *r"), tmp_path)
    cast = source.replace("clear(&port.rx)", "clear((struct ring *)&port)")
    assert "memory$" in text_of(cast, tmp_path)  # a cast sees other types there


def test_single_target_pointers_are_plain_variables(tmp_path: Path) -> None:
    text = text_of(
        "void set(int *p) { *p = 3; } int main(void) { int x; set(&x); return x; }", tmp_path
    )
    assert "memory$" not in text


def test_data_models(tmp_path: Path) -> None:
    source = "int main(void) { long l = -1; return l == 4294967295u; }"
    assert "bv64" in text_of(source, tmp_path, data_model="LP64")
    assert "bv64" not in text_of(source, tmp_path, data_model="ILP32")


def test_error_reached_by_interpreter(tmp_path: Path) -> None:
    program = load_text(
        NONDET + "int main(void) { int a[2] = {1, 2}; if (a[1] == 2) reach_error(); return 0; }",
        tmp_path,
    )
    result = Interpreter(program).run(Defaults())
    assert result.status is Status.FAILED and result.label == "unreach-call"


def test_undefined_external_is_an_approximation(tmp_path: Path) -> None:
    source = "int g; int mystery(int *p); int main(void) { int x = 1; mystery(&x); return x + g; }"
    program = load_text(source, tmp_path)
    marks = [
        s.approximates
        for p in program.procedures.values()
        for s in statements(p.body)
        if isinstance(s, Havoc)
    ]
    assert any(m is not None and "mystery" in m for m in marks) and any(
        "mystery" in n for n in program.notes
    )
    pure = load_text(source, tmp_path, externals="pure")
    assert not any(
        s.approximates
        for p in pure.procedures.values()
        for s in statements(p.body)
        if isinstance(s, Havoc)
    )


@pytest.mark.parametrize("attribute", ["const", "__pure__", "returns_nonnull", "malloc"])
def test_what_a_function_promises_refutes_nothing(attribute: str, tmp_path: Path) -> None:
    """Whatever is linked returns the same for the same, no null pointer, or new memory."""
    program = load_text(
        f"int *f(int) __attribute__(({attribute})); int main(void) {{ return f(1) == f(1); }}",
        tmp_path,
        externals="pure",
    )
    marks = [
        s.approximates
        for p in program.procedures.values()
        for s in statements(p.body)
        if isinstance(s, Havoc)
    ]
    assert any(m is not None and attribute.strip("_") in m for m in marks)


def test_a_function_named_like_one_of_the_library_is_said(tmp_path: Path) -> None:
    """Compilers take `abs(-1)` for 1, whatever the program defines, unless it is static."""
    source = "int abs(int x) { return 42; } int main(void) { return abs(-1); }"
    said = "-fno-builtin"
    assert any(said in n for n in load_text(source, tmp_path).notes)
    assert not any(said in n for n in load_text(f"static {source}", tmp_path).notes)
    assert not any(said in n for n in load_text(source.replace("abs", "ads"), tmp_path).notes)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs the headers of a C compiler")
@pytest.mark.parametrize(
    "condition",
    [
        "#if BYTE_ORDER == LITTLE_ENDIAN && defined LITTLE_ENDIAN",
        "#ifdef __GLIBC__",
        "#ifdef __STDC_IEC_559__",
        "#if __has_include(<sys/epoll.h>)",
        "#define RECENT (__GLIBC__ >= 2)\n#if RECENT",
        "#define AT_LEAST(n) (__GLIBC__ >= n)\n#if AT_LEAST(2)",
        "/* */ # /* */ if /* */ __GLIBC__ >= 2",
        "/* a\n*/ #ifdef __GLIBC__",
        "#define TEXT(x) #x\n#define ITS(x) TEXT(x)\nchar text[] = ITS(__GLIBC__);\n#ifdef __GLIBC__",
        "#ifndef EOVERFLOW\n#define EOVERFLOW 3\n#endif\n#if EOVERFLOW != 3",
    ],
)
def test_a_condition_about_the_headers_of_the_system(condition: str, tmp_path: Path) -> None:
    """Our headers do not define all macros that the machine's do."""
    program = load_text(
        f"#include <stdlib.h>\n#include <errno.h>\n{condition}\nint right;\n#endif\n"
        "int main(void) { return right; }",
        tmp_path,
    )
    assert any("right" in v.name for v in program.globals)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs the headers of a C compiler")
@pytest.mark.parametrize(
    "text",
    [
        "#define S(x) #x\n#define T(x) S(x)\n#include <limits.h>\n"
        '_Static_assert(sizeof T(__GLIBC__) == 2, "");',
        '#if !__has_include(<sys/epoll.h>)\n_Static_assert(0, "");\n#endif',
    ],
)
def test_what_the_headers_of_the_system_are(text: str, tmp_path: Path) -> None:
    """The name of a macro in a text, a question for a header in a program without any."""
    assert load_text(f"{text}\nint main(void) {{ return 0; }}", tmp_path).procedures


def test_a_function_that_ends_the_program_is_not_called_through_a_pointer(tmp_path: Path) -> None:
    text = "extern void die(void) __attribute__((noreturn)); int main(void) { void (*f)(void) = die; f(); return 0; }"
    with pytest.raises(Unsupported, match="does not return"):
        load_text(text, tmp_path, externals="pure")


def test_what_is_assumed_about_volatile_objects_is_said(tmp_path: Path) -> None:
    program = load_text(
        "struct device { volatile int ready; } d; int main(void) { return d.ready; }", tmp_path
    )
    assert any("volatile" in n for n in program.notes)
    unread = load_text("volatile int unread; int main(void) { return 0; }", tmp_path)
    assert not any("volatile" in n for n in unread.notes)


def test_what_is_assumed_about_excess_precision_is_said(tmp_path: Path) -> None:
    """`gcc -m32` computes with x87 registers, and gets other integers from products such as this
    one.
    """
    source = (
        NONDET
        + "int main(void) { double d = __VERIFIER_nondet_int() / 10.0; return (int)(d * 1e9) & 1; }"
    )
    assert any(
        "FLT_EVAL_METHOD" in n for n in load_text(source, tmp_path, data_model="ILP32").notes
    )
    assert not any(
        "FLT_EVAL_METHOD" in n for n in load_text(source, tmp_path, data_model="LP64").notes
    )
    whole = load_text(
        "int main(void) { double d = 0; return d > 1; }", tmp_path, data_model="ILP32"
    )
    assert not any("FLT_EVAL_METHOD" in n for n in whole.notes)


def test_labels_of_128_bits_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="case label"):
        load_text(
            "int main(void) { __int128 x = 1; switch (x) { case (__int128)1 << 100: return 1; }"
            " return 0; }",
            tmp_path,
            data_model="LP64",
        )


def test_an_undefined_bool_is_0_or_1(tmp_path: Path) -> None:
    program = load_text(
        "_Bool f(void); int main(void) { return f() > 1; }", tmp_path, externals="pure"
    )
    assert any(isinstance(s, Assume) for s in statements(program.procedures["main"].body))


def test_the_c_library_is_no_undefined_external(tmp_path: Path) -> None:
    """Even where externals are pure: what these return is determined, and what these write is
    written.
    """
    errno = load_text(
        "int *__errno_location(void); int main(void) { return *__errno_location(); }",
        tmp_path,
        externals="pure",
    )
    bodies = [s for p in errno.procedures.values() for s in statements(p.body)]
    assert any(s.approximates for s in bodies if isinstance(s, Havoc))
    with pytest.raises(Unsupported):
        load_text(
            "void bcopy(void *, void *, int); int main(void) { int x, y; bcopy(&x, &y, 4); }",
            tmp_path,
            externals="pure",
        )


def test_a_block_larger_than_memory_is_a_limit(tmp_path: Path) -> None:
    for size, expected in (("n", True), ("4", False)):
        source = (
            f"void *malloc(unsigned); int main(void) {{ unsigned n; char *p = malloc({size});"
            " return p[0]; }"
        )
        body = load_text(source, tmp_path).procedures["main"].body
        assert any(isinstance(s, Assert) and s.kind == LIMIT for s in statements(body)) == expected


def test_freed_memory_makes_the_address_range_a_limit(tmp_path: Path) -> None:
    source = (
        "void *malloc(unsigned); void free(void *); int main(void) { for (;;) { int *p = malloc(4);"
        " *p = 1; free(p); } }"
    )
    program = load_text(source, tmp_path)
    assert any(
        isinstance(s, Assert) and s.kind == LIMIT
        for s in statements(program.procedures["main"].body)
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int x = 2147483647; x++;", True),
        ("unsigned x = 4294967295u; x++;", False),
        ("int x = -2147483647 - 1; x = -x;", True),
        ("int x = 1, y = 0; if (y != 0 && x / y) x = 2;", False),
        ("int x = 1, y = 0; x = x % y;", True),
        ("short s = 32767; s++;", False),
        ("int x = 65536; x = x * 65536;", True),
        ("int x = 1; x = x << 31;", True),
        ("int x = 1 << 30; x = x + x - 1;", True),
    ],
)
def test_no_overflow(body: str, expected: bool, tmp_path: Path) -> None:
    program = load_text(f"int main(void) {{ {body} return 0; }}", tmp_path, property="no-overflow")
    assert (Interpreter(program).run(Defaults()).status is Status.FAILED) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int a[3], i = 3; a[i] = 1;", True),
        ("int a[3], i = 2; a[i] = 1;", False),
        ("int x, *p = &x; *p = 1;", False),
        ("int x, y, *p = &x; if (y > 5) p = &y; p = 0; *p = 1;", True),
        ("int a[3], *p = a; p += 3; *p = 1;", True),
        ("int a[3], *p = a, i = 0; if (i && p[7]) i = 1;", False),
    ],
)
def test_memsafety(body: str, expected: bool, tmp_path: Path) -> None:
    program = load_text(f"int main(void) {{ {body} return 0; }}", tmp_path, property="memsafety")
    assert (Interpreter(program).run(Defaults()).status is Status.FAILED) == expected


@pytest.mark.parametrize(
    ("source", "construct"),
    [
        ("int main(void) { int a = 1; return a + a++; }", "unspecified evaluation order"),
        (
            (
                "int n; int f(void) { return n = 1; } int g(void) { return n = 2; } int main(void)"
                " { return f() - g(); }"
            ),
            "unspecified evaluation order",
        ),
        (
            "int main(void) { int a = 1; int b[2] = {a++, a}; return b[1]; }",
            "unspecified evaluation order",
        ),
        (
            (
                "int n; int f(void) { return n = 1; } int g(void) { return n = 2; } struct s { int"
                " a, b; };int main(void) { struct s x = {f(), g()}; return x.a; }"
            ),
            "unspecified evaluation order",
        ),
        (
            (
                "double fmin(double, double); int main(void) { double a = 1; return fmin(a++, a) >"
                " 1; }"
            ),
            "unspecified evaluation order",
        ),
        ('int main(void) { __asm__("nop"); return 0; }', "inline assembly"),
        (
            "int pthread_create(void *, ...); int main(void) { pthread_create(0); return 0; }",
            "threads",
        ),
        ("int setjmp(int *); int b[9]; int main(void) { return setjmp(b); }", "setjmp"),
        ("double _Complex z; int main(void) { z = z * 2; return 0; }", "type _Complex double"),
        (
            (
                "struct s { int a; } x; int f(int n, ...) { __builtin_va_list l;"
                " __builtin_va_start(l, n); return 0; }int main(void) { return f(1, x); }"
            ),
            "a variable argument of type struct s",
        ),
        ("int f(void) { return 1; }", "no entry function"),
    ],
)
def test_refusals_name_construct_and_place(source: str, construct: str, tmp_path: Path) -> None:
    with pytest.raises(Unsupported) as caught:
        load_text(source, tmp_path)
    assert caught.value.construct == construct
    assert construct == "no entry function" or caught.value.span.line == 1


def test_order_that_does_not_matter(tmp_path: Path) -> None:
    source = (
        "int f(void) { return 1; } double fmin(double, double); int printf(const char *, ...); int"
        " main(void) {int i = 0, j = 1, a[3] = {f(), i++, j++}; int (*b)[2] = &(int[2]){i++, j};"
        ' printf("%d %d", i++, i);return fmin(i++, j) + a[0] + (*b)[0]; }'
    )
    assert Interpreter(load_text(source, tmp_path)).run(Defaults()).status is Status.FINISHED


def test_syntax_errors_have_a_place(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load_text("int main(void) {\n  int x = ;\n}", tmp_path)
    assert (caught.value.span.line, caught.value.span.column) == (2, 11)


def test_includes_are_preprocessed_and_places_lead_back(tmp_path: Path) -> None:
    (tmp_path / "mine.h").write_text("\n\n#define THREE 3\n")
    source = '#include "mine.h"\nint main(void) {\n  int a = THREE;\n  return a + a++;\n}'
    with pytest.raises(Unsupported) as caught:
        load_text(source, tmp_path)
    assert caught.value.span.line == 4 and caught.value.span.file.endswith("input.c")


def test_wrong_options_are_refused(tmp_path: Path) -> None:
    for options in (
        {"data_model": "LP32"},
        {"property": "liveness"},
        {"externals": "maybe"},
        {"memory": "flat"},
    ):
        with pytest.raises(ConfigError):
            load_text("int main(void) { return 0; }", tmp_path, **options)


MAIN = "int main(void) { int a = 0; "
HARSH = {
    "parentheses": MAIN + "return " + "(" * 10000 + "1" + ")" * 10000 + "; }",
    "braces": MAIN + "{" * 10000 + "}" * 10000 + "}",
    "ifs": MAIN + "if (a) " * 10000 + "; }",
    "negations": MAIN + "return " + "!" * 10000 + "a; }",
    "conditionals": MAIN + "return " + "a ? a : " * 10000 + "a; }",
    "dimensions": "int x" + "[1]" * 10000 + ";" + MAIN + "}",
    "truncated": MAIN + "while (a",
    "garbage": "".join(chr(1 + i * 7919 % 120) for i in range(50000)),
    "nul": "int main(void) { \0 }",
    "utf-16": "i\0n\0t\0",
    "unclosed": 'char *s = "abc',
    "unclosed comment": MAIN + "/*" + "x" * 5_000_000,
    "calls": (
        "int f(int a) { return a; } int main(void) { return "
        + "f(" * 10000
        + "1"
        + ")" * 10000
        + "; }"
    ),
    "assignments": MAIN + "return " + "a = " * 10000 + "1; }",
    "loops": MAIN + "while (a) " * 10000 + "; }",
    "5 MB of statements": MAIN + "a = a + 1; " * 500_000 + "}",
    "5 MB of operands": MAIN + "return a" + " + 1" * 1_300_000 + "; }",
    "5 MB of digits": "int a = " + "1" * 5_000_000 + ";" + MAIN + "}",
    "5 MB of elements": "int a[] = {" + "1," * 2_500_000 + "};" + MAIN + "}",
}


@pytest.mark.parametrize("text", HARSH.values(), ids=HARSH)
def test_harsh_input_is_refused_cleanly(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load_text(text, tmp_path)
    assert len(caught.value.message) < 300


def test_prefixes_of_a_program_are_refused_or_load(tmp_path: Path) -> None:
    """A file that is cut anywhere has a clear error (or still loads): no other exception."""
    whole = (
        "struct s { int a[3]; } x; int f(int n) { switch (n) { case 1: return x.a[n]; default: goto"
        " e; } e: return 0; }\nint main(void) { for (int i = 0; i < 3; i++) { x.a[i] = f(i) ? i :"
        " -i; } return 0; }"
    )
    for end in range(1, len(whole), 3):
        with contextlib.suppress(InputError):
            load_text(whole[:end], tmp_path)


def test_the_place_in_a_long_line(tmp_path: Path) -> None:
    """Places cost the same everywhere in a line."""
    source = MAIN + "a = 1; " * 3000 + "a = a++ + a; }"
    with pytest.raises(Unsupported) as caught:
        load_text(source, tmp_path)
    assert (caught.value.span.line, caught.value.span.column) == (1, source.index("a = a++") + 1)


def test_long_chains_load(tmp_path: Path) -> None:
    load_text(MAIN + "return " + "+".join(["a"] * 3000) + "; }", tmp_path)
    load_text(MAIN + "".join(f"if (a == {i}) a = {i}; else " for i in range(500)) + "; }", tmp_path)


def test_directory_and_missing_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.c"):
        with pytest.raises(InputError):
            load(path)
