/* Variables, the order of decisions, the trail and clauses: what the search of cdcl.h works on. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int32_t i32;
typedef struct { i32 clause, blocker; } Watch;
typedef struct { Watch *at; i32 size, room; } Watches;
typedef struct { i32 *at; i32 size, room; } Ints;

enum { CONST, INPUT, AND, XOR, ITE, XOR3, MAJ };
enum { LEARNT = 1, DELETED = 2 };
#define HEAD 4 /* words of a clause before its literals: size, flags, literal block distance, when it was used */
#define NONE (-1)
#define BINARY (1 << 30) /* in a watch: the clause has two literals */

typedef struct {
    PyObject_HEAD
    i32 variables, room;
    int consistent, heaping, closed;
    signed char *value; /* by literal: 1 true, -1 false, 0 open */
    i32 *level, *reason, *position; /* by variable; position in the heap, or NONE */
    unsigned char *phase, *seen, *always, *model;
    uint32_t *relevant, stamp;
    double *activity, step;
    Watches *watches; /* by literal */
    i32 *fan; /* by variable: where its inputs stand in `inputs` (their number first), or NONE */
    Ints inputs, arena, trail, limits, heap, learnt, standing, assumed, asked, core, scratch, stack, levels, domain, leaves;
    i32 head, wasted, temporary, first_new, leaf;
    uint64_t conflicts, propagations;
    i32 keep, modelled;
    int64_t budget;
} Solver;

#define VAR(x) ((x) >> 1)
#define NOT(x) ((x) ^ 1)
#define LITERAL(n) ((n) > 0 ? 2 * (n) : 2 * -(n) + 1)
#define SIGNED(x) ((x) & 1 ? -VAR(x) : VAR(x))
#define SIZE(c) (s->arena.at[c])
#define FLAGS(c) (s->arena.at[(c) + 1])
#define DISTANCE(c) (s->arena.at[(c) + 2])
#define USED(c) (s->arena.at[(c) + 3])
#define LITS(c) (&s->arena.at[(c) + HEAD])
#define NOW (s->limits.size)
#define ACTIVE(v) (s->activity[v] * 1e6 > s->step) /* it took part in one of the last hundreds of conflicts */

static void *grown(void *at, size_t bytes) {
    void *fresh = realloc(at, bytes ? bytes : 1);
    if (fresh == NULL) Py_FatalError("obligato: out of memory in the SAT solver");
    return fresh;
}

static inline void push(Solver *s, Ints *list, i32 x) {
    if (list->size == list->room) {
        list->room = list->room ? 2 * list->room : 64;
        list->at = grown(list->at, sizeof(i32) * (size_t)list->room);
    }
    list->at[list->size++] = x;
}

static inline void watch(Solver *s, i32 literal, i32 clause, i32 blocker) {
    Watches *w = &s->watches[literal];
    if (w->size == w->room) {
        w->room = w->room ? 2 * w->room : 4;
        w->at = grown(w->at, sizeof(Watch) * (size_t)w->room);
    }
    w->at[w->size].clause = clause;
    w->at[w->size++].blocker = blocker;
}

static void have(Solver *s, i32 variable) { /* make room for a variable */
    if (variable < s->variables) return;
    if (variable >= s->room) {
        size_t old = (size_t)s->room, n = 2 * (size_t)variable + 64;
        s->value = grown(s->value, 2 * n);
        s->level = grown(s->level, sizeof(i32) * n);
        s->reason = grown(s->reason, sizeof(i32) * n);
        s->position = grown(s->position, sizeof(i32) * n);
        s->phase = grown(s->phase, n);
        s->seen = grown(s->seen, n);
        s->always = grown(s->always, n);
        s->model = grown(s->model, n);
        s->relevant = grown(s->relevant, sizeof(uint32_t) * n);
        s->activity = grown(s->activity, sizeof(double) * n);
        s->fan = grown(s->fan, sizeof(i32) * n);
        s->watches = grown(s->watches, 2 * sizeof(Watches) * n);
        memset(s->value + 2 * old, 0, 2 * (n - old));
        memset(s->phase + old, 0, n - old);
        memset(s->seen + old, 0, n - old);
        memset(s->always + old, 0, n - old);
        memset(s->relevant + old, 0, sizeof(uint32_t) * (n - old));
        memset(s->watches + 2 * old, 0, 2 * sizeof(Watches) * (n - old));
        for (size_t v = old; v < n; v++) {
            s->level[v] = 0; s->reason[v] = NONE; s->position[v] = NONE; s->fan[v] = NONE; s->activity[v] = 0;
        }
        s->room = (i32)n;
    }
    s->variables = variable + 1;
}

/* -- the order of decisions: a heap of the open relevant variables that took part in conflicts ----------------------- */

static void up(Solver *s, i32 i) {
    i32 *heap = s->heap.at, v = heap[i];
    while (i > 0) {
        i32 parent = (i - 1) >> 1;
        if (s->activity[heap[parent]] >= s->activity[v]) break;
        heap[i] = heap[parent]; s->position[heap[i]] = i;
        i = parent;
    }
    heap[i] = v; s->position[v] = i;
}

static void down(Solver *s, i32 i) {
    i32 *heap = s->heap.at, n = s->heap.size, v = heap[i];
    for (;;) {
        i32 child = 2 * i + 1;
        if (child >= n) break;
        if (child + 1 < n && s->activity[heap[child + 1]] > s->activity[heap[child]]) child++;
        if (s->activity[heap[child]] <= s->activity[v]) break;
        heap[i] = heap[child]; s->position[heap[i]] = i;
        i = child;
    }
    heap[i] = v; s->position[v] = i;
}

static void insert(Solver *s, i32 v) {
    if (s->position[v] != NONE) return;
    push(s, &s->heap, v);
    s->position[v] = s->heap.size - 1;
    up(s, s->heap.size - 1);
}

static i32 taken(Solver *s) { /* the open variable of highest activity, or NONE */
    while (s->heap.size) {
        i32 v = s->heap.at[0], last = s->heap.at[--s->heap.size];
        s->position[v] = NONE;
        if (s->heap.size) { s->heap.at[0] = last; s->position[last] = 0; down(s, 0); }
        if (!s->value[2 * v]) return v;
    }
    return NONE;
}

static void bump(Solver *s, i32 v) {
    if ((s->activity[v] += s->step) > 1e100) {
        for (i32 u = 0; u < s->variables; u++) s->activity[u] *= 1e-100;
        s->step *= 1e-100;
    }
    if (s->position[v] != NONE) up(s, s->position[v]);
}

/* -- the trail ------------------------------------------------------------------------------------------------------ */

static inline void enqueue(Solver *s, i32 literal, i32 reason) {
    i32 v = VAR(literal);
    s->value[literal] = 1; s->value[NOT(literal)] = -1;
    s->level[v] = NOW; s->reason[v] = reason;
    push(s, &s->trail, literal);
}

static void back_to(Solver *s, i32 level) {
    if (NOW <= level) return;
    i32 from = s->limits.at[level];
    for (i32 i = s->trail.size - 1; i >= from; i--) {
        i32 x = s->trail.at[i], v = VAR(x);
        s->value[x] = s->value[NOT(x)] = 0;
        s->phase[v] = !(x & 1);
        if (s->heaping && ACTIVE(v)) insert(s, v);
    }
    s->trail.size = from; s->limits.size = level; s->head = from; s->leaf = 0;
}

static i32 stopped(Watches *w, Watch *from, Watch *to, Watch *end, i32 conflict) { /* keep the watches that are left */
    while (from < end) *to++ = *from++;
    w->size = (i32)(to - w->at);
    return conflict;
}

static i32 propagate(Solver *s) { /* the clause that is violated, or NONE */
    while (s->head < s->trail.size) {
        i32 p = s->trail.at[s->head++], no = NOT(p);
        Watches *w = &s->watches[no];
        Watch *from = w->at, *to = w->at, *end = w->at + w->size;
        s->propagations++;
        while (from < end) {
            i32 c = from->clause, blocker = from->blocker, value = s->value[blocker];
            from++;
            if (value > 0 || (value == 0 && NOW && s->relevant[VAR(blocker)] != s->stamp)) { /* irrelevant: it stays open */
                to->clause = c; to->blocker = blocker; to++;
                continue;
            }
            if (c & BINARY) { /* the blocker is all the rest; only those of the temporary literal are ever deleted */
                if ((blocker <= 1 || no <= 1) && FLAGS(c ^ BINARY) & DELETED) continue;
                to->clause = c; to->blocker = blocker; to++;
                if (value < 0) return stopped(w, from, to, end, c ^ BINARY);
                enqueue(s, blocker, c ^ BINARY);
                continue;
            }
            if (FLAGS(c) & DELETED) continue;
            i32 *lits = LITS(c), size = SIZE(c);
            if (lits[0] == no) { lits[0] = lits[1]; lits[1] = no; }
            i32 first = lits[0], k = 2;
            value = s->value[first];
            if (value <= 0) while (k < size && s->value[lits[k]] < 0) k++;
            if (value <= 0 && k < size) {
                lits[1] = lits[k]; lits[k] = no;
                watch(s, lits[1], c, first);
                continue;
            }
            to->clause = c; to->blocker = first; to++;
            if (value < 0) return stopped(w, from, to, end, c);
            if (value == 0 && (NOW == 0 || s->relevant[VAR(first)] == s->stamp)) enqueue(s, first, c);
        }
        w->size = (i32)(to - w->at);
    }
    return NONE;
}

/* -- clauses -------------------------------------------------------------------------------------------------------- */

static i32 stored(Solver *s, const i32 *lits, i32 size, i32 flags) {
    i32 c = s->arena.size;
    push(s, &s->arena, size); push(s, &s->arena, flags); push(s, &s->arena, 0); push(s, &s->arena, 0);
    for (i32 i = 0; i < size; i++) push(s, &s->arena, lits[i]);
    i32 mark = size == 2 ? c | BINARY : c;
    watch(s, lits[0], mark, lits[1]);
    watch(s, lits[1], mark, lits[0]);
    return c;
}

static void drop(Solver *s, i32 c) {
    FLAGS(c) |= DELETED;
    s->wasted += SIZE(c) + HEAD;
}

static void compact(Solver *s) { /* forget deleted clauses; requires decision level 0 */
    Ints old = s->arena;
    memset(&s->arena, 0, sizeof(Ints));
    for (i32 x = 0; x < 2 * s->variables; x++) s->watches[x].size = 0;
    for (i32 i = 0; i < s->trail.size; i++) s->reason[VAR(s->trail.at[i])] = NONE; /* facts need no reason */
    s->learnt.size = 0;
    for (i32 c = 0; c < old.size; c += HEAD + old.at[c]) {
        i32 size = old.at[c], *lits = &old.at[c + HEAD], kept = 0, satisfied = 0;
        if (old.at[c + 1] & DELETED) continue;
        s->scratch.size = 0;
        for (i32 i = 0; i < size; i++) {
            if (s->value[lits[i]] > 0) { satisfied = 1; break; }
            if (s->value[lits[i]] == 0) { push(s, &s->scratch, lits[i]); kept++; }
        }
        if (satisfied || kept < 2) continue; /* a unit has been propagated */
        i32 fresh = stored(s, s->scratch.at, kept, old.at[c + 1]);
        s->arena.at[fresh + 2] = old.at[c + 2]; s->arena.at[fresh + 3] = old.at[c + 3];
        if (old.at[c + 1] & LEARNT) push(s, &s->learnt, fresh);
    }
    free(old.at);
    s->wasted = 0;
}

static void fact(Solver *s, i32 literal) {
    if (s->value[literal] > 0) return;
    if (s->value[literal] < 0) { s->consistent = 0; return; }
    enqueue(s, literal, NONE);
    if (propagate(s) != NONE) s->consistent = 0;
}

static int normal(Solver *s, const i32 *lits, i32 size) { /* what is open of a clause is in scratch; 0: it holds. Level 0. */
    int holds = 0;
    s->scratch.size = 0;
    for (i32 i = 0; i < size; i++) {
        i32 x = lits[i], side = 1 + (x & 1);
        if (s->value[x] > 0 || s->seen[VAR(x)] == 3 - side) { holds = 1; break; }
        if (s->value[x] < 0 || s->seen[VAR(x)] == side) continue;
        s->seen[VAR(x)] = (unsigned char)side;
        push(s, &s->scratch, x);
    }
    for (i32 i = 0; i < s->scratch.size; i++) s->seen[VAR(s->scratch.at[i])] = 0;
    return !holds;
}

static void add(Solver *s, const i32 *lits, i32 size) { /* requires decision level 0 */
    if (!normal(s, lits, size)) return;
    if (s->scratch.size == 0) s->consistent = 0;
    else if (s->scratch.size == 1) fact(s, s->scratch.at[0]);
    else stored(s, s->scratch.at, s->scratch.size, 0);
}

static int worse(Solver *s, i32 x, i32 y) { /* negative: x is to be forgotten before y */
    if (DISTANCE(x) != DISTANCE(y)) return DISTANCE(x) > DISTANCE(y) ? -1 : 1;
    return USED(x) < USED(y) ? -1 : USED(x) > USED(y);
}

static void merge_sort(Solver *s, i32 *at, i32 *spare, i32 n) {
    if (n < 2) return;
    i32 half = n / 2, i = 0, j = half, k = 0;
    merge_sort(s, at, spare, half);
    merge_sort(s, at + half, spare, n - half);
    memcpy(spare, at, sizeof(i32) * (size_t)n);
    while (i < half && j < n) at[k++] = worse(s, spare[i], spare[j]) <= 0 ? spare[i++] : spare[j++];
    while (i < half) at[k++] = spare[i++];
    while (j < n) at[k++] = spare[j++];
}

static void forget_half(Solver *s) {
    i32 n = s->learnt.size, kept = 0;
    i32 *spare = grown(NULL, sizeof(i32) * (size_t)n);
    merge_sort(s, s->learnt.at, spare, n);
    free(spare);
    for (i32 i = 0; i < n; i++) {
        i32 c = s->learnt.at[i];
        int locked = s->value[LITS(c)[0]] > 0 && s->reason[VAR(LITS(c)[0])] == c;
        if (i < n / 2 && DISTANCE(c) > 2 && !locked) drop(s, c);
        else s->learnt.at[kept++] = c;
    }
    s->learnt.size = kept;
    s->first_new = 0; /* all of them may be new now */
}
