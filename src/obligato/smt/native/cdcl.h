/* A small CDCL solver for the questions of IC3: many, easy, over the gates of one circuit [arXiv 2501.18612].
 *
 * What it has and MiniSat behind python-sat has not:
 * - It decides and propagates only relevant variables: those on which the question's literals depend through the gates, and
 *   those in clauses that are no gates (lemmas). Every other gate is a function of its inputs, so a model of the relevant part
 *   extends to all of it. Facts (decision level 0) are propagated everywhere.
 * - A temporary clause costs no variable: it stands under literal 0, which is assumed, and goes with all that was learnt by it.
 * - Variables that were in no recent conflict are not decided unless they are leaves: the leaves determine all gates.
 * - Gates are defined by kind and inputs in one call; a model is a string of bytes.
 *
 * Otherwise it is textbook: two watched literals with blockers, first unique implication point, activities, saved
 * phases, Luby restarts that keep the assumptions, half of the learnt clauses thrown away now and then.
 * Variable v has the literals 2v (true) and 2v + 1 (false); variable 0 is the temporary clause's.
 * Answers are checked by whoever uses them: a proof is certified and a run replayed without this solver.
 */
#include "store.h"

/* -- conflicts ------------------------------------------------------------------------------------------------------ */

static int redundant(Solver *s, i32 literal) { /* is it implied by the others of the learnt clause, in one step? */
    i32 c = s->reason[VAR(literal)];
    if (c == NONE) return 0;
    i32 *lits = LITS(c);
    for (i32 i = 0; i < SIZE(c); i++) {
        i32 v = VAR(lits[i]);
        if (v != VAR(literal) && !s->seen[v] && s->level[v] > 0) return 0;
    }
    return 1;
}

static i32 analyse(Solver *s, i32 conflict) { /* the learnt clause is in scratch; the level to go back to */
    i32 open = 0, index = s->trail.size - 1, p = NONE;
    s->scratch.size = 0;
    push(s, &s->scratch, 0);
    do {
        if (FLAGS(conflict) & LEARNT) USED(conflict) = (i32)s->conflicts;
        i32 *lits = LITS(conflict);
        for (i32 i = 0; i < SIZE(conflict); i++) {
            i32 q = lits[i], v = VAR(q);
            if (q == p || s->seen[v] || s->level[v] == 0) continue;
            s->seen[v] = 1;
            bump(s, v);
            if (s->level[v] >= NOW) open++;
            else push(s, &s->scratch, q);
        }
        while (!s->seen[VAR(s->trail.at[index])]) index--;
        p = s->trail.at[index--];
        conflict = s->reason[VAR(p)];
        s->seen[VAR(p)] = 0;
        open--;
    } while (open > 0);
    i32 *out = s->scratch.at, kept = 1, size = s->scratch.size;
    out[0] = NOT(p);
    s->stack.size = 0;
    for (i32 i = 1; i < size; i++) push(s, &s->stack, out[i]);
    for (i32 i = 1; i < size; i++) if (!redundant(s, out[i])) out[kept++] = out[i];
    for (i32 i = 0; i < s->stack.size; i++) s->seen[VAR(s->stack.at[i])] = 0;
    s->scratch.size = kept;
    i32 target = 0;
    for (i32 i = 1; i < kept; i++) if (s->level[VAR(out[i])] > target) {
        target = s->level[VAR(out[i])];
        i32 t = out[1]; out[1] = out[i]; out[i] = t;
    }
    return target;
}

static i32 distance(Solver *s) { /* on how many levels the literals of scratch are */
    i32 n = 0;
    s->levels.size = 0;
    for (i32 i = 0; i < s->scratch.size && n < 8; i++) {
        i32 level = s->level[VAR(s->scratch.at[i])], j = 0;
        while (j < s->levels.size && s->levels.at[j] != level) j++;
        if (j == s->levels.size) { push(s, &s->levels, level); n++; }
    }
    return n;
}

static void learn(Solver *s, i32 target) {
    i32 near = distance(s);
    back_to(s, target);
    if (s->scratch.size == 1) { enqueue(s, s->scratch.at[0], NONE); return; }
    i32 c = stored(s, s->scratch.at, s->scratch.size, LEARNT);
    DISTANCE(c) = near; USED(c) = (i32)s->conflicts;
    push(s, &s->learnt, c);
    enqueue(s, s->scratch.at[0], c);
}

static void blame(Solver *s, i32 literal) { /* the assumptions that make `literal` false are the core, it included */
    push(s, &s->core, literal);
    if (s->level[VAR(literal)] == 0) return;
    s->seen[VAR(literal)] = 1;
    for (i32 i = s->trail.size - 1; i >= s->limits.at[0]; i--) {
        i32 x = s->trail.at[i], v = VAR(x);
        if (!s->seen[v]) continue;
        s->seen[v] = 0;
        if (s->reason[v] == NONE) { if (x != literal) push(s, &s->core, x); continue; }
        i32 c = s->reason[v], *lits = LITS(c);
        for (i32 k = 0; k < SIZE(c); k++) if (s->level[VAR(lits[k])] > 0) s->seen[VAR(lits[k])] = 1;
        s->seen[v] = 0;
    }
}

/* -- what is relevant ----------------------------------------------------------------------------------------------- */

static void cone(Solver *s, i32 variable) {
    if (s->relevant[variable] == s->stamp) return;
    s->relevant[variable] = s->stamp;
    push(s, &s->stack, variable);
    while (s->stack.size) {
        i32 v = s->stack.at[--s->stack.size];
        push(s, &s->domain, v);
        if (s->fan[v] == NONE) continue;
        i32 *in = &s->inputs.at[s->fan[v]];
        for (i32 i = 1; i <= in[0]; i++) if (s->relevant[in[i]] != s->stamp) {
            s->relevant[in[i]] = s->stamp;
            push(s, &s->stack, in[i]);
        }
    }
}

static void stand(Solver *s, i32 variable) { /* it is relevant to all questions, with its cone */
    s->stack.size = 0;
    if (!s->always[variable]) { s->always[variable] = 1; push(s, &s->stack, variable); }
    while (s->stack.size) {
        i32 v = s->stack.at[--s->stack.size];
        push(s, &s->standing, v);
        if (s->fan[v] == NONE) continue;
        i32 *in = &s->inputs.at[s->fan[v]];
        for (i32 i = 1; i <= in[0]; i++) if (!s->always[in[i]]) { s->always[in[i]] = 1; push(s, &s->stack, in[i]); }
    }
}

/* -- search --------------------------------------------------------------------------------------------------------- */

static i32 luby(i32 i) {
    i32 size = 1, power = 0;
    while (size < i + 1) { power++; size = 2 * size + 1; }
    while (size - 1 != i) { size = (size - 1) / 2; power--; i %= size; }
    return 1 << power;
}

static void fill_heap(Solver *s) { /* only when there is something to decide: assumptions alone often decide a question */
    s->heaping = 1; s->leaves.size = 0; s->leaf = 0;
    for (i32 i = 0; i < s->domain.size; i++) {
        i32 v = s->domain.at[i];
        if (s->value[2 * v]) continue;
        if (ACTIVE(v)) { s->position[v] = s->heap.size; push(s, &s->heap, v); }
        if (s->fan[v] == NONE || s->inputs.at[s->fan[v]] == 0) push(s, &s->leaves, v);
    }
    for (i32 i = s->heap.size / 2 - 1; i >= 0; i--) down(s, i);
}

static i32 chosen(Solver *s) { /* to be decided next: what conflicts were about, then leaves, which determine the rest; or NONE */
    i32 v = taken(s);
    if (v != NONE) return v;
    while (s->leaf < s->leaves.size && s->value[2 * s->leaves.at[s->leaf]]) s->leaf++;
    return s->leaf < s->leaves.size ? s->leaves.at[s->leaf] : NONE;
}

static int search(Solver *s, int64_t budget) { /* 1 sat, 0 unsat, -1 the budget is used up */
    i32 restarts = 0, before_restart = 50;
    for (;;) {
        i32 conflict = propagate(s);
        if (conflict != NONE) {
            s->conflicts++;
            if (NOW == 0) { s->consistent = 0; return 0; }
            learn(s, analyse(s, conflict));
            s->step *= 1 / 0.95;
            before_restart--;
            if (--budget < 0) return -1;
            continue;
        }
        if (before_restart <= 0 && NOW > s->assumed.size) {
            before_restart = 50 * luby(++restarts);
            back_to(s, s->assumed.size);
            continue;
        }
        if (s->learnt.size > s->keep) { forget_half(s); s->keep += s->keep / 10; }
        i32 next = NONE;
        while (NOW < s->assumed.size) {
            i32 p = s->assumed.at[NOW];
            if (s->value[p] > 0) { push(s, &s->limits, s->trail.size); continue; }
            if (s->value[p] < 0) { blame(s, p); return 0; }
            next = p;
            break;
        }
        if (next == NONE) {
            if (!s->heaping) fill_heap(s);
            i32 v = chosen(s);
            if (v == NONE) return 1;
            next = 2 * v + !s->phase[v];
        }
        push(s, &s->limits, s->trail.size);
        enqueue(s, next, NONE);
    }
}

static void begin(Solver *s) { /* what is relevant to the assumptions, to the temporary clause and always */
    if (++s->stamp == 0) {
        memset(s->relevant, 0, sizeof(uint32_t) * (size_t)s->room);
        s->stamp = 1;
    }
    s->domain.size = 0; s->core.size = 0; s->stack.size = 0;
    i32 kept = 0;
    for (i32 i = 0; i < s->standing.size; i++) {
        i32 v = s->standing.at[i];
        if (s->value[2 * v]) continue; /* a fact by now */
        s->standing.at[kept++] = v;
        s->relevant[v] = s->stamp;
        push(s, &s->domain, v);
    }
    s->standing.size = kept;
    for (i32 i = 0; i < s->assumed.size; i++) cone(s, VAR(s->assumed.at[i]));
    for (i32 i = 0; s->temporary != NONE && i < SIZE(s->temporary); i++) cone(s, VAR(LITS(s->temporary)[i]));
}

static void end(Solver *s) { /* back to the facts, without the temporary clause and what was learnt by it */
    for (i32 i = 0; i < s->heap.size; i++) s->position[s->heap.at[i]] = NONE;
    s->heap.size = 0; s->heaping = 0;
    back_to(s, 0);
    if (s->temporary == NONE) return;
    if (s->value[0]) { /* the clause had become a fact against itself */
        i32 kept = 0;
        for (i32 i = 0; i < s->trail.size; i++) if (VAR(s->trail.at[i])) s->trail.at[kept++] = s->trail.at[i];
        s->trail.size = s->head = kept;
        s->value[0] = s->value[1] = 0; s->reason[0] = NONE;
    }
    drop(s, s->temporary);
    s->temporary = NONE;
    i32 kept = s->first_new;
    for (i32 i = s->first_new; i < s->learnt.size; i++) {
        i32 c = s->learnt.at[i], depends = 0;
        for (i32 k = 0; k < SIZE(c); k++) depends |= LITS(c)[k] == 1;
        if (depends) drop(s, c);
        else s->learnt.at[kept++] = c;
    }
    s->learnt.size = kept;
}
