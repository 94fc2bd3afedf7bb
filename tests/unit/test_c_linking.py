"""Several C files as one program: names of their own, shared headers, and what a linker refuses."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from obligato.api.request import Request
from obligato.api.worker import verify_work
from obligato.errors import InputError, Unsupported
from obligato.frontends.c import load
from obligato.frontends.preprocessing import Preprocessing
from obligato.program.interpreter import Defaults, Interpreter, Status
from obligato.program.syntax import Program
from obligato.results.outcome import Verdict

HEADER = """#ifndef PAIR_H
#define PAIR_H
typedef struct { int x, limit; } pair;
enum colour { RED, GREEN };
int sum(const pair *p);
extern int shared;
static inline int twice(int n) { return 2 * n; }
#endif
"""
OTHER = """#include "pair.h"
struct local { int a, b; };
static int limit = 5;
enum { LOCAL = 7 };
int shared = 1;
static int check(const pair *p) { return p->limit + limit; }
int sum(const pair *p) { const char *text = "limit check"; return check(p) + twice(p->x) + LOCAL + (int)sizeof(struct local)
    + (text[0] == 'l'); }
"""
MAIN = """#include <assert.h>
#include "pair.h"
struct local { char c; };
enum { LOCAL = 3 };
static int limit = 100;
static void check(int x) { assert(x); }
int main(void) {
    pair p = { .x = 10, .limit = 1 };
    check(sum(&p) == 1 + 5 + 20 + 7 + 8 + 1);
    check(limit == 100 && LOCAL == 3 && sizeof(struct local) == 1 && shared == 1 && GREEN == 1);
    return 0;
}
"""


def program(folder: Path, **files: str) -> Program:
    for name, text in files.items():
        (folder / f"{name}.{'h' if name == 'pair' else 'c'}").write_text(text)
    others = tuple(str(folder / f"{name}.c") for name in files if name not in ("pair", "main"))
    return load(folder / "main.c", preprocessing=Preprocessing(others=others))


def test_names_of_one_file_are_its_own(tmp_path: Path) -> None:
    assert (
        Interpreter(program(tmp_path, pair=HEADER, main=MAIN, other=OTHER)).run(Defaults()).status
        is Status.FINISHED
    )


def test_verdict_and_places(tmp_path: Path) -> None:
    program(tmp_path, pair=HEADER, main=MAIN, other=OTHER.replace("limit = 5", "limit = 6"))
    how = Preprocessing(others=(str(tmp_path / "other.c"),))
    outcome = verify_work(
        Request(str(tmp_path / "main.c"), "bmc", preprocessing=how), lambda kind, data: None
    )
    assert outcome.verdict is Verdict.FALSE and outcome.trace is not None
    assert {Path(step.file).name for step in outcome.trace.steps} >= {"main.c", "other.c"}
    assert outcome.options["preprocessing"]["others"] == (str(tmp_path / "other.c"),)


@pytest.mark.parametrize(
    ("other", "kind", "message"),
    [
        ("int main(void) { return 1; }", InputError, "redefinition of 'main'"),
        (
            "long shared;\nint main_calls;",
            InputError,
            "redefinition of 'shared' with a different type",
        ),
        ('#define pair twin\n#include "pair.h"\n', Unsupported, "reads differently"),
    ],
)
def test_what_does_not_fit_together_is_refused(
    other: str, kind: type[Exception], message: str, tmp_path: Path
) -> None:
    with pytest.raises(kind, match=message):
        program(tmp_path, pair=HEADER, main=MAIN, other=other)


@pytest.mark.parametrize(
    "line", ["static int counter;", "static int next(void) { static int n; return n++; }"]
)
def test_a_variable_that_each_file_has_for_itself_is_refused(line: str, tmp_path: Path) -> None:
    header = HEADER.replace("#endif", f"{line}\n#endif")
    with pytest.raises(Unsupported, match="its own copy"):
        program(tmp_path, pair=header, main=MAIN, other=OTHER)


def finishes(folder: Path, *files: str) -> bool:
    """Does the program in these files (name, then text; the first is the main one) run to
    its end?
    """
    names, texts = files[::2], files[1::2]
    for name, text in zip(names, texts, strict=True):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    others = tuple(str(folder / name) for name in names[1:] if name.endswith(".c"))
    read = load(folder / names[0], preprocessing=Preprocessing(others=others))
    return Interpreter(read).run(Defaults()).status is Status.FINISHED


SETTER = "static int n;\nvoid set_{0}(int v) {{ n = v; }}\nint get_{0}(void) {{ return n; }}\n"


def test_files_of_the_same_name_have_different_statics(tmp_path: Path) -> None:
    main = """#include <assert.h>
void set_a(int); void set_b(int); int get_a(void); int get_b(void);
int main(void) { set_a(1); set_b(2); assert(get_a() == 1 && get_b() == 2); return 0; }"""
    assert finishes(
        tmp_path, "main.c", main, "a/util.c", SETTER.format("a"), "b/util.c", SETTER.format("b")
    )


def test_ranges_numbers_and_members_are_not_mistaken_for_names(tmp_path: Path) -> None:
    main = """#include <assert.h>
enum { HI = 5 };
static int count = 3; static int u = 5u, packed = 1;
static float f(float x) { return x + 3.0f; }
struct S { int count; }; struct __attribute__((packed)) P { char c; int i; };
int other(int);
static int in(int x) { switch (x) { case 2 ... HI: return 1; default: return 0; } }
int main(void) { struct S s = { .count = 4 }; assert(in(4) && other(4) == 0 && s.count + count == 7 && f(1.0f) == 4.0f);
    assert(u == 5 && packed && sizeof(struct P) == 5); int n = 9, k = 0; while (n-->count) k++; assert(k == 6); return 0; }"""
    other = """enum { HI = 3 };
static int count, u, packed; static int f(int x) { switch (x) { case 2 ... HI: return 1; default: return count + u + packed; } }
int other(int x) { return f(x); }"""
    assert finishes(tmp_path, "main.c", main, "other.c", other)


MIDDLE = (
    'static const int {0}[3] = {{\n#include "data.h"\n}};\nint {0}_at(int i) {{ return {0}[i]; }}\n'
)
PACKED = (
    "#pragma pack(1)\nstruct p { char c; int i; };\nint size(void) { return sizeof(struct p); }\n"
)
USING = 'int limit = 2;\n#include "get.h"\nint main(void) { return get(); }'
HELPED = '#include "f.h"\nstatic int helper(void) {{ return {}; }}\n'
NAMED = "static int f(void) { return sizeof(__func__); }\n"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            (
                "main.c",
                MIDDLE.format("t") + "int main(void) { return t_at(0); }",
                "u.c",
                MIDDLE.format("u"),
                "data.h",
                "1, 2, 3\n",
            ),
            "middle",
        ),
        (
            (
                "p.c",
                PACKED,
                "main.c",
                "struct q { char c; int i; }; int main(void) { return sizeof(struct q); }",
            ),
            "pragma pack",
        ),
        (
            (
                "main.c",
                USING,
                "a.c",
                'static int limit = 1;\n#include "get.h"\nint a(void) { return get(); }',
                "get.h",
                "static int get(void) { return limit; }\n",
            ),
            "uses limit as only",
        ),
        (
            (
                "b.c",
                "int limit = 2;",
                "main.c",
                'static int limit = 1;\n#include "get.h"\nint main(void) { return get(); }',
                "get.h",
                "static int get(void) { return limit; }\n",
            ),
            "uses limit as only",
        ),
        (
            (
                "b.c",
                "int n = 2;",
                "main.c",
                'static int n = 1;\nint main(void) {\n#include "body.h"\n}\n',
                "body.h",
                "return n;\n",
            ),
            "uses n as only",
        ),
        (
            (
                "main.c",
                HELPED.format(1) + "int g(void); int main(void) { return g(); }",
                "b.c",
                HELPED.format(2) + "int g(void) { return f(); }",
                "f.h",
                "static int helper(void);\nstatic inline int f(void) { return helper() + 1; }\n",
            ),
            "uses helper as only",
        ),
        (
            (
                "main.c",
                NAMED + "int main(void) { return f(); }",
                "g.c",
                NAMED + "int g(void) { return f(); }",
            ),
            "name as text",
        ),
    ],
)
def test_what_would_be_read_wrongly_is_refused(
    files: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    for name, text in zip(files[::2], files[1::2], strict=True):
        if name.endswith(".h"):
            (tmp_path / name).write_text(text)
    with pytest.raises(Unsupported, match=message):
        finishes(tmp_path, *files)


@pytest.mark.parametrize(
    "use", ["int main(void) { extern int f(void); return f(); }", "int main(void) { return f(); }"]
)
def test_a_static_function_of_another_file_is_not_called(use: str, tmp_path: Path) -> None:
    other = "static int f(void) { return 3; }\nint g(void) { return f(); }\n"
    made = program(tmp_path, main=f"int g(void);\n{use}", other=other)
    assert any("undefined function f" in note for note in made.notes)


def test_a_static_function_of_another_file_s_header_is_not_called(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="uses f without a declaration"):
        program(
            tmp_path,
            pair="static int f(void) { return 3; }\n",
            main="int main(void) { return f(); }",
            other='#include "pair.h"\nint g(void) { return f(); }\n',
        )


def test_the_new_name_of_a_static_variable_is_new(tmp_path: Path) -> None:
    other = "static int n;\nvoid set(int x) { n = x; }\nint get(void) { return n; }\n"
    main = (
        "#include <assert.h>\nvoid set(int); int get(void); int n, n__in_other;\n"
        "int main(void) { set(1); n__in_other = 3; assert(get() == 1); return 0; }\n"
    )
    assert (
        Interpreter(program(tmp_path, main=main, other=other)).run(Defaults()).status
        is Status.FINISHED
    )


def test_a_struct_may_be_opaque(tmp_path: Path) -> None:
    """A header declares a record that one file completes; records that only one file knows stay
    apart from it.
    """
    header = (
        "typedef struct box box_t; struct lid; box_t *get(void); int value(const box_t *); int"
        " other(struct lid *);"
    )
    inside = """#include "pair.h"
struct box { int n; }; struct lid { char c; }; static struct box box = { 4 }, lid;
box_t *get(void) { return box.n ? &box : &lid; } int value(const struct box *b) { return b->n; }
int other(struct lid *l) { return l->c; }
"""
    main = """#include <assert.h>
#include "pair.h"
struct hidden { short a; }; int boxes(void);
int main(void) { assert(value(get()) == 4 && sizeof(struct hidden) == 2 && boxes() == 8); return 0; }
"""
    third = """struct hidden { long a; }; struct box { char c; };
int boxes(void) { return sizeof(struct hidden) * sizeof(struct box); }
"""
    p = program(tmp_path, pair=header, main=main, inside=inside, third=third)
    assert Interpreter(p).run(Defaults()).status is Status.FINISHED


@pytest.mark.parametrize(
    ("main", "other"),
    [
        (
            (
                "struct count { int v; };\nint count(void);\n"
                "int main(void) { struct count c; c.v = count(); assert(c.v == 5); return 0; }"
            ),
            "int count(void) { return 5; }",
        ),
        (
            "extern unsigned color;\nint main(void) { assert(color == 1); return 0; }",
            "enum color { RED, GREEN } color = GREEN;",
        ),
        (
            (
                "struct __attribute__((packed, aligned(4))) s { char c; short s; }; int s = 3; int"
                " get(void);\nint main(void) { struct s x; x.s = s; assert(x.s == get() &&"
                " sizeof(struct s) == 4); return 0; }"
            ),
            "struct s { long l; }; extern int s; int get(void) { struct s t = {s}; return t.l; }",
        ),
    ],
)
def test_tags_are_not_other_names(main: str, other: str, tmp_path: Path) -> None:
    assert finishes(tmp_path, "main.c", f"#include <assert.h>\n{main}\n", "other.c", f"{other}\n")


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs the headers of a C compiler")
def test_one_file_needs_the_headers_of_the_system(tmp_path: Path) -> None:
    main = (
        "#include <stdio.h>\n#include <unistd.h>\nint twice(int); void reach_error(void);\n"
        'int main(void) { if (twice(2) != 4) reach_error(); printf("%d", 1); return 0; }\n'
    )
    other = '#include <stdio.h>\nint twice(int x) { puts(""); return 2 * x; }\n'
    assert (
        Interpreter(program(tmp_path, main=main, other=other)).run(Defaults()).status
        is Status.FINISHED
    )


OLD = "{0} int main(void) {{ if (get({1}) != 6) reach_error(); return 0; }}"


@pytest.mark.parametrize("declared", ["int get();", "int get(), reach_error();", ""])
@pytest.mark.parametrize("first", [True, False])
def test_a_call_without_a_prototype_converts_nothing(
    tmp_path: Path, declared: str, first: bool
) -> None:
    double, main = "int get(double d) { return d * 2; }", OLD.format(declared, 3)
    texts = {"main": double, "other": main} if first else {"main": main, "other": double}
    with pytest.raises(Unsupported, match="get is called without a prototype"):
        program(tmp_path, **texts)


@pytest.mark.parametrize(
    ("argument", "function"),
    [
        ("3", "int get(int d) { return d * 2; }"),
        ("3.0f", "int get(double d) { return d * 2; }"),
        ("'c'", "int get(int d) { return d ? 6 : 0; }"),
        ("0", "int get(char *p) { return p ? 0 : 6; }"),
    ],
)
def test_a_call_without_a_prototype_that_finds_its_function(
    tmp_path: Path, argument: str, function: str
) -> None:
    main = OLD.format("int get();", argument)
    found = program(tmp_path, main=function, other=main)
    assert Interpreter(found).run(Defaults()).status is Status.FINISHED


def test_members_that_are_named_like_a_static_variable(tmp_path: Path) -> None:
    main = """static int limit = 3;
struct s { int first, limit; };
int main(void) {
    struct s v = { limit: 5, first: limit }, *p = &v;
    __typeof__(p->limit) split = p->













limit;
    if (split != 5 || v.first != 3 || __builtin_offsetof(struct s, limit) != 4) reach_error();
    return 0;
}"""
    found = program(tmp_path, main=main, other="int limit = 4;")
    assert Interpreter(found).run(Defaults()).status is Status.FINISHED


def test_one_header_by_two_names(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "other.c").write_text(OTHER.replace("pair.h", "../pair.h"))
    (tmp_path / "pair.h").write_text(HEADER)
    (tmp_path / "main.c").write_text(MAIN)
    how = Preprocessing(others=(str(tmp_path / "inner" / "other.c"),))
    found = load(tmp_path / "main.c", preprocessing=how)
    assert Interpreter(found).run(Defaults()).status is Status.FINISHED
