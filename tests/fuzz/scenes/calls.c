typedef int (*op@)(int, int); static int add@(int a, int b) { return a + b; } static int sub@(int a, int b) {
    return a - b; } static int mul@(int a, int b) { return (a & 15) * (b & 15); }
struct entry@ { const char *name; op@ run; #{int priority : 4|signed char priority}; }; static #{const|}
    struct entry@ table@[] = {{"add", add@, 1}, {.run = sub@, .name = "sub", .priority = -2}, #{[2] = {"mul",
    mul@}|{"mul", mul@, 3}}};
static int fold@(const int *v, int n, int (*f)(int, int)) { int r = v[0], i; for (i = 1; i < n; i++) r = f(r,
    v[i]); return r; }
static op@ chosen@(int k) { return k & 1 ? add@ : table@[(unsigned)k % 3u].run; }
static unsigned calls@(int x, int y) { int v[] = {x, y, #{3|-4}, x & 7}; const struct entry@ *e; int r = 0;
    for (e = table@; e < table@ + sizeof table@ / sizeof *table@; e++) r = r * 3 + e->run(x, y)
    + e->priority + e->name[0];
  #{op@ ops[2] = {mul@, chosen@(y)}; r ^= ops[x & 1](r & 15, 3);|r += chosen@(x)(y, 2);} return r + fold@(v,
    4, #{chosen@(x)|sub@}); }
