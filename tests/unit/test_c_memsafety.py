"""Memory safety, program by program: the interpreter fails an assertion exactly where the
sanitizers of gcc report an error.

`SAFE` and `UNSAFE` are bodies of C files; what the sanitizers cannot see is in `UNSEEN` (the
standard decides).  A program that is safe must not reach an assertion of class `limit` either, else
it could not be proved.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from obligato.errors import Unsupported
from obligato.frontends.c.tracking import CHOSEN
from obligato.program.interpreter import Defaults, Interpreter, Status
from obligato.program.syntax import LIMIT
from obligato.terms import Sort, Value
from tests.c.harness import can_compile, load_text

HEAD = (
    "void *malloc(unsigned long); void *calloc(unsigned long, unsigned long); void free(void *);\n"
    "void *memcpy(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);\n"
    "unsigned long strlen(const char *); char *strcpy(char *, const char *);\n"
    "struct node { int v; struct node *next; }; struct pair { int a; int b[3]; int c; };\n"
)
SAFE = {
    "last element": "int main(void) { int a[4], i = 3; a[i] = 1; return 0; }",
    "through a pointer": "int main(void) { int a[4], *p = a + 1; p[2] = 1; p[-1] = 2; return 0; }",
    "one past the end": (
        "int main(void) { int a[4], *p, s = 0; for (p = a; p < a + 4; p++) *p = 1; return s; }"
    ),
    "down to the start": (
        "int main(void) { int a[4], *p = &a[4]; while (p > a) *--p = 1; return 0; }"
    ),
    "two dimensions": "int main(void) { int a[3][4], i = 2, j = 3; a[i][j] = 1; return 0; }",
    "pointer to row": (
        "int main(void) { int a[3][4], (*p)[4] = a + 1, j = 3; p[1][j] = 1; return 0; }"
    ),
    "member array": (
        "int main(void) { struct pair x, *p = &x; int i = 2; p->b[i] = 1; p->c = 2; return 0; }"
    ),
    "list": (
        "int main(void) { struct node *h = 0, *t; int i; for (i = 0; i < 3; i++) { t ="
        " malloc(sizeof *t); t->v = i;t->next = h; h = t; } while (h) { t = h->next; free(h); h ="
        " t; } return 0; }"
    ),
    "free null": "int main(void) { int *p = 0; free(p); return 0; }",
    "calloc": "int main(void) { int *p = calloc(3, 4); p[2] += p[1]; free(p); return 0; }",
    "empty block": "int main(void) { char *p = malloc(0); free(p); return 0; }",
    "local of a caller": "void f(int *p) { *p = 1; } int main(void) { int x; f(&x); return 0; }",
    "local of a loop": (
        "int main(void) { int i; for (i = 0; i < 3; i++) { int x = i, *p = &x; *p = 2; } return"
        " 0; }"
    ),
    "pointer to pointer": (
        "void f(int **q, int *r) { *q = r; } int main(void) { int x, *p; f(&p, &x); *p = 1; return"
        " 0; }"
    ),
    "global array": "int a[5]; int *p = &a[2]; int main(void) { p[2] = 1; return 0; }",
    "string": 'int main(void) { const char *s = "abc"; return s[3]; }',
    "strings": 'int main(void) { char b[4]; strcpy(b, "abc"); return strlen(b) != 3; }',
    "copies": (
        "int main(void) { int a[3] = {1, 2, 3}, b[3]; memcpy(b, a, sizeof a); memset(a, 0, sizeof"
        " a); return 0; }"
    ),
    "short circuit": "int main(void) { int a[3], i = 3; return i < 3 && a[i]; }",
    "null is tested": "int main(void) { int *p = 0; if (p) *p = 1; return 0; }",
    "flexible array": (
        "struct f { int n; int d[]; }; int main(void) { struct f *p = malloc(12); p->d[1] = 1; "
        "free(p); return 0; }"
    ),
    "old flexible array": (
        "struct f { int n; int d[1]; }; int main(void) { struct f *p = malloc(12); p->d[1] = "
        "1; free(p); return 0; }"
    ),
    "union": (
        "union u { int i; char c[4]; }; int main(void) { union u x; int i = 3; x.i = 0; return"
        " x.c[i]; }"
    ),
    "variable length": "int main(void) { int n = 4; int a[n]; a[n - 1] = 1; return 0; }",
    "address of member": (
        "int main(void) { struct pair *p = malloc(sizeof *p); int *q = &p->c; *q = 1; free(p);"
        " return 0; }"
    ),
    "returned block": (
        "int *f(void) { return malloc(4); } int main(void) { int *p = f(); *p = 1; free(p); return"
        " 0; }"
    ),
    "break out of a block": (
        "int main(void) { int *p = 0, i; for (i = 0; i < 2; i++) { int x = 0; p = &x; if "
        "(*p == 0) break; } return 0; }"
    ),
    "blocks that live are compared": (
        "int main(void) { int *p = malloc(4), *q; free(p); p = malloc(4); q = malloc(4); *q = 1; "
        "if (p == q) *(int *)0 = 1; return 0; }"
    ),
    "record of two kinds": (
        "struct o { int w; }; struct m { struct m *next; struct o *own; }; int main(void) { struct"
        " m *h = malloc(sizeof *h); h->next = h; h->own = malloc(4); h->own->w = 3;"
        " free(h->next->own); free(h); return 0; }"
    ),
    "set of all bytes": (
        "int main(void) { int a[2] = {0}; void *p = a; memset(p, 1, 8); return a[1] !="
        " 0x01010101; }"
    ),
    "nothing is set": (
        "int main(void) { int a[2], n = 0; memset(a + 2, 1, n); memcpy(a + 2, a, n); return 0; }"
    ),
    "alloca in a function": (
        "int f(int n) { int *p = __builtin_alloca(4 * n); p[n - 1] = 1; return p[n - 1]; } "
        "int main(void) { int s = f(2); s += f(3); return s != 2; }"
    ),
    "one-based": "int main(void) { int a[3], *p = a - 1; p[1] = 1; p[3] = 2; return 0; }",
}
UNSAFE = {
    "index too large": "int main(void) { int a[4], i = 4; a[i] = 1; return 0; }",
    "constant index": "int main(void) { int a[4]; a[4] = 1; return a[4]; }",
    "negative index": "int main(void) { int a[4], i = -1; return a[i]; }",
    "read past the end": "int main(void) { int a[4] = {0}, *p = a + 4; return *p; }",
    "null": "int main(void) { int *p = 0; *p = 1; return 0; }",
    "member of null": "int main(void) { struct pair *p = 0; return p->c; }",
    "inner dimension": "int main(void) { int a[3][4], i = 0, j = 4; a[i][j] = 1; return 0; }",
    "inner array": "int main(void) { struct pair x; int i = 3; x.b[i] = 1; return 0; }",
    "block too small": "int main(void) { int *p = malloc(8); p[2] = 1; free(p); return 0; }",
    "before the block": "int main(void) { int *p = malloc(8); p[-1] = 1; free(p); return 0; }",
    "use after free": "int main(void) { int *p = malloc(4); *p = 1; free(p); return *p; }",
    "double free": "int main(void) { int *p = malloc(4); free(p); free(p); return 0; }",
    "double free of nothing": "int main(void) { char *p = malloc(0); free(p); free(p); return 0; }",
    "free inside a block": "int main(void) { int *p = malloc(8); free(p + 1); return 0; }",
    "free of a variable": "int x; int main(void) { int *p = &x; free(p); return 0; }",
    "free of a local": (
        "int *f(void) { int x = 1, *p = &x; return p; } int main(void) { int *p = malloc(4);"
        " free(p); p = 0;{ int y = 1; p = &y; free(p); } return 0; }"
    ),
    "scope": "int main(void) { int *p = 0; { int x = 1; p = &x; } return *p; }",
    "returned local": (
        "int *f(int n) { int x = n, *p = &x; return p; } int main(void) { return *f(1); }"
    ),
    "local in a global": (
        "int *g; void f(void) { int x = 1; g = &x; } int main(void) { f(); return *g; }"
    ),
    "parameter in a global": (
        "int *g; void f(int x) { g = &x; } int main(void) { f(1); return *g; }"
    ),
    "string too long": 'int main(void) { char b[3]; strcpy(b, "abc"); return 0; }',
    "no terminator": 'int main(void) { char b[3] = "abc"; return strlen(b); }',
    "copy too long": (
        "int main(void) { int a[4], *p = malloc(12); memcpy(p, a, 16); free(p); return 0; }"
    ),
    "set too long": (
        "int main(void) { int a[3], b[3], *p = a; if (a == b) p = b; memset(p, 0, 16); return 0; }"
    ),
    "set behind the end": (
        "struct s { int a; long b; }; int main(void) { struct s x; void *p = &x; memset(p, 0,"
        " sizeof x + 1); return 0; }"
    ),
    "set before the start": (
        "int main(void) { int a[4] = {0}; char *p = (char *)a; memset(p - 1, 0, 4); return 0; }"
    ),
    "record of two kinds": (
        "struct o { int w; }; struct m { struct m *next; struct o *own; }; int main(void) { struct"
        " m *h = malloc(sizeof *h); h->next = h; h->own = malloc(4); free(h->next->own); return"
        " h->own->w; }"
    ),
    "write to a literal": 'int main(void) { char *s = "abc"; s[0] = 1; return 0; }',
    "list too long": "int main(void) { struct node *h = calloc(1, sizeof *h); return h->next->v; }",
    "variable length": "int main(void) { int n = 4; int a[n]; a[n] = 1; return 0; }",
    "pointer from a block": (
        "int main(void) { int *p = 0, i; for (i = 0; i < 2; i++) { int x = 0; p = &x; if (i "
        "== 0) break; } return *p; }"
    ),
}
UNSEEN = {
    "array before another": (
        "struct t { int a[3], b[3]; } x; int main(void) { struct t *p = &x; int i = 3; return"
        " p->a[i]; }"
    ),
    "record out of range": (
        "struct t { int a; } x[3]; int f(struct t y) { return y.a; } int main(void) { return"
        " f(x[3]); }"
    ),
    "empty block": "int main(void) { char *p = malloc(0); return p[0]; }",
    "neighbour": (
        "int a[4], b[4]; int main(void) { int *p = a, c = 0; if (c) p = b; p[8] = 1; return 0; }"
    ),
    "all memory": (
        "int main(void) { char a[8]; unsigned long n = -1; memset(a + 4, 0, n); return 0; }"
    ),
    "outlived alloca": (
        "int *f(int n) { int *p = __builtin_alloca(4 * n); *p = n; return p; } int main(void) {"
        " return *f(2); }"
    ),
    "earlier life": (
        "int *g; void f(void) { int x = 1; if (g) *g = 2; g = &x; } int main(void) { f(); f();"
        " return 0; }"
    ),
    "earlier iteration": (
        "int main(void) { int *p = 0, i; for (i = 0; i < 2; i++) { int x = 1; if (p) *p = 2; p "
        "= &x; } return 0; }"
    ),
    "uninitialised": "int main(void) { int *p; *p = 1; return 0; }",
    "row beyond": "int main(void) { int a[3][4], (*p)[4] = a, j = 4; return p[0][j] = 1; }",
}


@pytest.fixture(params=["once", "slots"])
def blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks that are allocated once have variables, or slots like all others."""
    if request.param == "slots":
        monkeypatch.setattr("obligato.frontends.c.regions.all_once", lambda usage, objects: False)


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("name", SAFE)
@pytest.mark.parametrize("model", ["ILP32", "LP64"])
def test_safe(name: str, model: str, tmp_path: Path) -> None:
    program = load_text(HEAD + SAFE[name], tmp_path, property="memsafety", data_model=model)
    assert Interpreter(program).run(Defaults()).status is Status.FINISHED


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("name", [*UNSAFE, *UNSEEN])
@pytest.mark.parametrize("model", ["ILP32", "LP64"])
def test_unsafe(name: str, model: str, tmp_path: Path) -> None:
    program = load_text(
        HEAD + (UNSAFE | UNSEEN)[name], tmp_path, property="memsafety", data_model=model
    )
    result = Interpreter(program).run(Defaults())
    assert (result.status, result.kind) != (Status.FAILED, LIMIT) and result.status is Status.FAILED
    assert result.label == (
        "valid-free" if "free" in name and "after" not in name else "valid-deref"
    )


@pytest.mark.parametrize(
    "body",
    [
        "extern int *p; int main(void) { return *p; }",
        'int printf(const char *, ...); int main(void) { char b[2]; printf("%.1s", b); return 0; }',
        "double atof(const char *); int main(void) { char b[2]; return atof(b) == 0; }",
    ],
)
def test_refused(body: str, tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match=r"memory safety|are valid is not known"):
        load_text(body, tmp_path, property="memsafety")


UNKNOWN = {  # pointers that were numbers, or come from elsewhere
    "number": (
        "int main(void) { int x; unsigned long a = (unsigned long)&x; *(int *)a = 1; return 0; }"
    ),
    "address that nobody gave": "int main(void) { return *(int *)123456; }",
    "address of what was freed": (
        "int main(void) { int *p = malloc(4), *q; free(p); q = malloc(4); return p == q; }"
    ),
    "address of what is gone": (
        "int *g; int f(void) { int x = 1, *p = &x; if (g && g == p) return 1; g = p; return 0; } "
        "int main(void) { f(); return f(); }"
    ),
    "memory of another function": (
        "int *give(void); int main(void) { int *p = give(); *(p ? p : (int *)20000) = 1; return"
        " 0; }"
    ),
    "part of an element": (
        "int main(void) { int a[2] = {0}, n = 3; void *p = a; memset(p, 1, n); return 0; }"
    ),
    "free of an address that nobody gave": "int main(void) { free((void *)123456); return 0; }",
}
TRACKED = {  # what the interpreter says about lost memory: a label, a limit, or nothing
    "int *g; int main(void) { int *p = malloc(4); *p = 1; return 0; }": "valid-memtrack",
    "int main(void) { int *p = malloc(4); free(p); return 0; }": "",
    "int *g; int main(void) { g = malloc(4); return 0; }": LIMIT,
    "int *g; int main(void) { g = malloc(4); g = 0; return 0; }": "valid-memtrack",
    "int *g; int main(void) { g = malloc(4); free(g); malloc(8); return 0; }": "valid-memtrack",
    "int *g[3]; int main(void) { int i = 1; g[i] = malloc(4); return 0; }": LIMIT,
    "int main(void) { static struct node *g; g = malloc(sizeof *g); g->next = 0; return 0; }": (
        LIMIT
    ),
    "void abort(void); int main(void) { int *p = malloc(4); *p = 1; abort(); }": LIMIT,
    "void abort(void); int main(void) { int *p = malloc(4); free(p); abort(); }": "",
    "int main(void) { free(malloc(0)); return 0; }": LIMIT,
    "int main(void) { int *p = __builtin_alloca(4); *p = 1; return 0; }": "",
    "unsigned long g; int main(void) { int *p = malloc(4); g = (unsigned long)p; return 0; }": (
        LIMIT
    ),
    "union { int *p; long n; } g; int main(void) { g.p = malloc(4); return 0; }": LIMIT,
    "int f(void) { int *p = malloc(4); return p != 0; } int main(void) { return f(); }": (
        "valid-memtrack"
    ),
    "int main(void) { int x = 0, *p = malloc(4), *q = x ? &x : p; free(q); return 0; }": "",
    "void f(int *p) {} int main(void) { f(malloc(4)); f(malloc(4)); return 1; }": "valid-memtrack",
}


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("name", UNKNOWN)
@pytest.mark.parametrize("model", ["ILP32", "LP64"])
def test_unknown_memory_is_a_limit(name: str, model: str, tmp_path: Path) -> None:
    program = load_text(HEAD + UNKNOWN[name], tmp_path, property="memsafety", data_model=model)
    result = Interpreter(program).run(Defaults())
    assert (result.status, result.kind) == (Status.FAILED, LIMIT)


def test_a_local_that_others_keep_dies(tmp_path: Path) -> None:
    """An undefined function may return the address later, when the variable is gone."""
    body = (
        "int *give(int *); void f(void) { int x = 1; give(&x); } int main(void) { f(); return"
        " *give(0); }"
    )
    program = load_text(HEAD + body, tmp_path, property="memsafety")
    assert "freed$" in str(program.procedures["f"].body)


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("body", TRACKED)
@pytest.mark.parametrize("model", ["ILP32", "LP64"])
def test_lost_memory(body: str, model: str, tmp_path: Path) -> None:
    program = load_text(HEAD + body, tmp_path, property="valid-memsafety", data_model=model)
    result = Interpreter(program).run(Defaults())
    failed = result.status is Status.FAILED
    assert (
        LIMIT if failed and result.kind == LIMIT else result.label if failed else ""
    ) == TRACKED[body]


def test_a_block_that_is_lost_may_be_any(tmp_path: Path) -> None:
    """The one that is chosen is counted from the newest one."""
    body = (
        "int main(void) { int *p[5]; for (int i = 0; i < 5; i++) p[i] = malloc(4);"
        " for (int i = 0; i < 5; i++) if (i != 1) free(p[i]); return 0; }"
    )
    program = load_text(HEAD + body, tmp_path, property="valid-memsafety")

    class Chosen(Defaults):
        def __init__(self, block: int) -> None:
            self.block = block

        def initial(self, name: str, sort: Sort) -> Value:
            return self.block if name == CHOSEN else super().initial(name, sort)

    ends = [Interpreter(program).run(Chosen(block)).status for block in range(8)]
    assert [n for n, end in enumerate(ends) if end is Status.FAILED] == [3]


@pytest.mark.parametrize(
    ("body", "once"),
    [
        ("int main(void) { int *p = malloc(4); free(p); return 0; }", True),
        ("int main(void) { int i; for (i = 0; i < 2; i++) malloc(4); return 0; }", False),
        ("int main(void) { int *p; again: p = malloc(4); if (*p) goto again; return 0; }", False),
        ("int *f(void) { return malloc(4); } int main(void) { return *f(); }", True),
        ("int *f(void) { return malloc(4); } int main(void) { f(); return *f(); }", True),
        (
            (
                "int *f(int n) { static int k; k += n; return malloc(4); } int main(void) { f(1);"
                " return *f(2); }"
            ),
            False,
        ),
        (
            (
                "int *f(void) { return malloc(4); } int main(void) { int *(*g)(void) = f; f();"
                " return *g(); }"
            ),
            False,
        ),
        (
            "int *f(int n) { return n ? f(n - 1) : malloc(4); } int main(void) { return *f(1); }",
            False,
        ),
        (
            (
                "int *f(void) { return malloc(4); } int *h(void) { return f(); } int main(void) {"
                " int s = 0, i = 0; while (i++ < 2) s += *h(); return s; }"
            ),
            False,
        ),
        (
            (
                "int main(void) { int i, s = 0; for (i = 1; i < 3; i++) { int a[i]; int *p = a; *p"
                " = 1; s += *p; } return s; }"
            ),
            False,
        ),
        ("int main(void) { int n = 2; int a[n]; int *p = a; *p = 1; return *p; }", True),
        (
            (
                "int main(void) { int i = 0; int *p = malloc(4), *q = ({ int *r; do r = malloc(4);"
                " while (i++ < 2); r; }); return *q; }"
            ),
            False,
        ),
    ],
)
def test_what_is_allocated_once(body: str, once: bool, tmp_path: Path) -> None:
    program = load_text(HEAD + body, tmp_path, property="memsafety")
    assert any(v.name.endswith("$start") for v in program.globals) == once


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*SAFE, *UNSAFE}))
def test_sanitizers_agree(name: str, tmp_path: Path) -> None:
    if not can_compile("LP64"):
        pytest.skip("gcc is needed")
    for programs, clean in ((SAFE, True), (UNSAFE, False)):
        if name not in programs:
            continue
        source, binary = tmp_path / "p.c", tmp_path / "p"
        source.write_text(HEAD + programs[name])
        flags = ["-w", "-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
        subprocess.run(
            ["gcc", *flags, str(source), "-o", str(binary)], check=True, capture_output=True
        )
        options = {"ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=1"}
        done = subprocess.run(
            [str(binary)], capture_output=True, text=True, timeout=60, check=False, env=options
        )
        assert (
            "ERROR: AddressSanitizer" in done.stderr or "runtime error" in done.stderr
        ) != clean, done.stderr[:2000]
