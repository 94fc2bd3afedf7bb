struct point@ { #{int|short|long} x, y; }; struct shape@ { struct point@ corner[#{2|3}]; const char *name;
    #{double|float} scale; struct { int lo; char hi; } range; };
static struct shape@ shapes@[] = {[1] = {.name = "b", .corner = {[1] = {5, 6}}, .range.hi = 'z'}, [0] = {{{1,
    2}}, "aa", #{1.5|-2}, {3}}};
static struct point@ mid@(struct point@ a, struct point@ b) { return (struct point@){(a.x + b.x) / 2,
    .y = (a.y + b.y) / 2}; } static int norm@(const struct point@ *p) { return p->x * 3 - p->y; }
static unsigned shapes2@(int x, int y) { struct shape@ s = shapes@[x & 1], *t = &shapes@[y & 1];
    struct point@ m = mid@(s.corner[0], (struct point@){x, y}), *p = &(struct point@){.y = x}; int v[5] = {1,
    [3] = x}, k = *#{(int[]){4, y}|&(int){y}};
  s.corner[1] = #{*p|m}; #{t->corner[0] = s.corner[1];|*t = s;|shapes@[0].corner[1] = mid@(t->corner[0],
    *p);} p->x = norm@(&m); return norm@(p) + norm@(&s.corner[1])
    + t->corner[0].x * 7 + v[3] + v[4] + k + (int)(t->scale * 2) + t->name[0] + t->range.hi + s.range.lo; }
