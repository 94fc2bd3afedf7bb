"""Memory safety, program by program: the interpreter fails an assertion exactly where the sanitizers of gcc report an error.

`SAFE` and `UNSAFE` are bodies of C files; what the sanitizers cannot see is in `UNSEEN` (the standard decides).  A program
that is safe must not reach an assertion of class `limit` either, else it could not be proved.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from obligato.errors import Unsupported
from obligato.program.interpreter import Defaults, Interpreter, Status
from obligato.program.syntax import LIMIT
from tests.c.harness import can_compile, load_text

HEAD = "void *malloc(unsigned long); void *calloc(unsigned long, unsigned long); void free(void *);\n" \
       "void *memcpy(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);\n" \
       "unsigned long strlen(const char *); char *strcpy(char *, const char *);\n" \
       "struct node { int v; struct node *next; }; struct pair { int a; int b[3]; int c; };\n"
SAFE = {
    "last element": "int main(void) { int a[4], i = 3; a[i] = 1; return 0; }",
    "through a pointer": "int main(void) { int a[4], *p = a + 1; p[2] = 1; p[-1] = 2; return 0; }",
    "one past the end": "int main(void) { int a[4], *p, s = 0; for (p = a; p < a + 4; p++) *p = 1; return s; }",
    "down to the start": "int main(void) { int a[4], *p = &a[4]; while (p > a) *--p = 1; return 0; }",
    "two dimensions": "int main(void) { int a[3][4], i = 2, j = 3; a[i][j] = 1; return 0; }",
    "pointer to row": "int main(void) { int a[3][4], (*p)[4] = a + 1, j = 3; p[1][j] = 1; return 0; }",
    "member array": "int main(void) { struct pair x, *p = &x; int i = 2; p->b[i] = 1; p->c = 2; return 0; }",
    "list": "int main(void) { struct node *h = 0, *t; int i; for (i = 0; i < 3; i++) { t = malloc(sizeof *t); t->v = i;"
            "t->next = h; h = t; } while (h) { t = h->next; free(h); h = t; } return 0; }",
    "free null": "int main(void) { int *p = 0; free(p); return 0; }",
    "calloc": "int main(void) { int *p = calloc(3, 4); p[2] += p[1]; free(p); return 0; }",
    "empty block": "int main(void) { char *p = malloc(0); free(p); return 0; }",
    "local of a caller": "void f(int *p) { *p = 1; } int main(void) { int x; f(&x); return 0; }",
    "local of a loop": "int main(void) { int i; for (i = 0; i < 3; i++) { int x = i, *p = &x; *p = 2; } return 0; }",
    "pointer to pointer": "void f(int **q, int *r) { *q = r; } int main(void) { int x, *p; f(&p, &x); *p = 1; return 0; }",
    "global array": "int a[5]; int *p = &a[2]; int main(void) { p[2] = 1; return 0; }",
    "string": 'int main(void) { const char *s = "abc"; return s[3]; }',
    "strings": 'int main(void) { char b[4]; strcpy(b, "abc"); return strlen(b) != 3; }',
    "copies": "int main(void) { int a[3] = {1, 2, 3}, b[3]; memcpy(b, a, sizeof a); memset(a, 0, sizeof a); return 0; }",
    "short circuit": "int main(void) { int a[3], i = 3; return i < 3 && a[i]; }",
    "null is tested": "int main(void) { int *p = 0; if (p) *p = 1; return 0; }",
    "flexible array": "struct f { int n; int d[]; }; int main(void) { struct f *p = malloc(12); p->d[1] = 1; "
            "free(p); return 0; }",
    "old flexible array": "struct f { int n; int d[1]; }; int main(void) { struct f *p = malloc(12); p->d[1] = "
            "1; free(p); return 0; }",
    "union": "union u { int i; char c[4]; }; int main(void) { union u x; int i = 3; x.i = 0; return x.c[i]; }",
    "variable length": "int main(void) { int n = 4; int a[n]; a[n - 1] = 1; return 0; }",
    "address of member": "int main(void) { struct pair *p = malloc(sizeof *p); int *q = &p->c; *q = 1; free(p); return 0; }",
    "returned block": "int *f(void) { return malloc(4); } int main(void) { int *p = f(); *p = 1; free(p); return 0; }",
    "break out of a block": "int main(void) { int *p = 0, i; for (i = 0; i < 2; i++) { int x = 0; p = &x; if "
            "(*p == 0) break; } return 0; }",
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
    "free of a local": "int *f(void) { int x = 1, *p = &x; return p; } int main(void) { int *p = malloc(4); free(p); p = 0;"
                       "{ int y = 1; p = &y; free(p); } return 0; }",
    "scope": "int main(void) { int *p = 0; { int x = 1; p = &x; } return *p; }",
    "returned local": "int *f(int n) { int x = n, *p = &x; return p; } int main(void) { return *f(1); }",
    "local in a global": "int *g; void f(void) { int x = 1; g = &x; } int main(void) { f(); return *g; }",
    "parameter in a global": "int *g; void f(int x) { g = &x; } int main(void) { f(1); return *g; }",
    "string too long": 'int main(void) { char b[3]; strcpy(b, "abc"); return 0; }',
    "no terminator": 'int main(void) { char b[3] = "abc"; return strlen(b); }',
    "copy too long": "int main(void) { int a[4], *p = malloc(12); memcpy(p, a, 16); free(p); return 0; }",
    "set too long": "int main(void) { int a[3], b[3], *p = a; if (a == b) p = b; memset(p, 0, 16); return 0; }",
    "write to a literal": 'int main(void) { char *s = "abc"; s[0] = 1; return 0; }',
    "list too long": "int main(void) { struct node *h = calloc(1, sizeof *h); return h->next->v; }",
    "variable length": "int main(void) { int n = 4; int a[n]; a[n] = 1; return 0; }",
    "pointer from a block": "int main(void) { int *p = 0, i; for (i = 0; i < 2; i++) { int x = 0; p = &x; if (i "
            "== 0) break; } return *p; }",
}
UNSEEN = {
    "array before another": "struct t { int a[3], b[3]; } x; int main(void) { struct t *p = &x; int i = 3; return p->a[i]; }",
    "record out of range": "struct t { int a; } x[3]; int f(struct t y) { return y.a; } int main(void) { return f(x[3]); }",
    "empty block": "int main(void) { char *p = malloc(0); return p[0]; }",
    "neighbour": "int a[4], b[4]; int main(void) { int *p = a, c = 0; if (c) p = b; p[8] = 1; return 0; }",
    "earlier life": "int *g; void f(void) { int x = 1; if (g) *g = 2; g = &x; } int main(void) { f(); f(); return 0; }",
    "earlier iteration": "int main(void) { int *p = 0, i; for (i = 0; i < 2; i++) { int x = 1; if (p) *p = 2; p "
            "= &x; } return 0; }",
    "uninitialised": "int main(void) { int *p; *p = 1; return 0; }",
    "row beyond": "int main(void) { int a[3][4], (*p)[4] = a, j = 4; return p[0][j] = 1; }",
}


@pytest.mark.parametrize("name", SAFE)
@pytest.mark.parametrize("model", ["ILP32", "LP64"])
def test_safe(name: str, model: str, tmp_path: Path) -> None:
    program = load_text(HEAD + SAFE[name], tmp_path, property="memsafety", data_model=model)
    assert Interpreter(program).run(Defaults()).status is Status.FINISHED


@pytest.mark.parametrize("name", [*UNSAFE, *UNSEEN])
@pytest.mark.parametrize("model", ["ILP32", "LP64"])
def test_unsafe(name: str, model: str, tmp_path: Path) -> None:
    program = load_text(HEAD + (UNSAFE | UNSEEN)[name], tmp_path, property="memsafety", data_model=model)
    result = Interpreter(program).run(Defaults())
    assert (result.status, result.kind) != (Status.FAILED, LIMIT) and result.status is Status.FAILED
    assert result.label == ("valid-free" if "free" in name and "after" not in name else "valid-deref")


@pytest.mark.parametrize("body", [
    "int main(void) { int x; unsigned long a = (unsigned long)&x; *(int *)a = 1; return 0; }",
    "extern int *p; int main(void) { return *p; }",
    "int printf(const char *, ...); int main(void) { char b[2]; printf(\"%s\", b); return 0; }",
    "int *f(void); int main(void) { return *f(); }",
    "double atof(const char *); int main(void) { char b[2]; return atof(b) == 0; }",
])
def test_refused(body: str, tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match=r"memory safety|may be valid or not"):
        load_text(body, tmp_path, property="memsafety")


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
        subprocess.run(["gcc", *flags, str(source), "-o", str(binary)], check=True, capture_output=True)
        options = {"ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=1"}
        done = subprocess.run([str(binary)], capture_output=True, text=True, timeout=60, check=False, env=options)
        assert (("ERROR: AddressSanitizer" in done.stderr or "runtime error" in done.stderr) != clean), done.stderr[:2000]
