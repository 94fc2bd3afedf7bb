/* Runs a program many times, each in a process of its own: argv is a file of 64-bit inputs and a file for the log.
 * RUNS and INPUTS say how many runs there are and how many inputs each gets; MILLISECONDS is the time of one run.
 * The log has per run the lines "run N", one per event ("input NAME VALUE", "result NAME VALUE", "HOW DETAIL"), "done STATUS".
 */
#include <stdint.h>
#ifdef FREESTANDING
#include "freestanding.h"
#else
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

void cc_program(void); /* one run */

static uint64_t words[INPUTS];
static int next_word, log_file;
static long steps;

static char line[1000];
static int filled;
static void text(const char *s) { /* whole lines only: a run may end at any time */
    for (; *s; s++) {
        if (filled < (int)sizeof line) line[filled++] = *s;
        if (*s != '\n') continue;
        line[filled - 1] = '\n';
        if (write(log_file, line, filled) < 0) _exit(78);
        filled = 0;
    }
}
static void number(uint64_t v) {
    char digits[24], *p = digits + 23;
    *p = 0;
    do *--p = (char)('0' + v % 10); while (v /= 10);
    text(p);
}
static void event(const char *how, const char *name, uint64_t value) { text(how); text(" "); text(name); text(" "); number(value); text("\n"); }

_Noreturn void cc_ends(const char *how, const char *detail) { text(how); text(" "); text(detail); text("\n"); _exit(77); }
void cc_result(const char *name, uint64_t value) { event("result", name, value); }
void cc_beyond(const char *limit) { /* said once */
    static int said;
    if (!said++) { text("beyond "); text(limit); text("\n"); }
}
unsigned cc_choose(unsigned count) { (void)count; return 0; }
void cc_step(void) { if (++steps > STEPS) cc_ends("steps", ""); }

static int same(const char *a, const char *b) { while (*a && *a == *b) a++, b++; return *a == *b; }
static int one_of(const char *name, const char *const *names) { while (*names) if (same(name, *names++)) return 1; return 0; }
static const char *const booleans[] = {"__VERIFIER_nondet_bool", "__VERIFIER_nondet__Bool", 0};
static const char *const naturals[] = {"rand", "random", "lrand48", 0};
static const char *const bytes[] = {"getchar", "fgetc", "getc", 0};

uint64_t cc_input(const char *name, unsigned width) {
    if (next_word == INPUTS) cc_ends("inputs", "");
    uint64_t v = words[next_word++];
    if (one_of(name, booleans)) v &= 1;
    else if (one_of(name, naturals)) v &= 0x7FFFFFFF;
    else if (one_of(name, bytes)) v = v % 257 - 1;
    if (width < 64) v &= ((uint64_t)1 << width) - 1;
    event("input", name, v);
    return v;
}

#ifndef FREESTANDING /* sanitizers: quiet about leaks, strict about memory */
const char *__asan_default_options(void) {
    return "detect_leaks=0:detect_stack_use_after_return=1:hard_rss_limit_mb=400:allocator_may_return_null=1:max_malloc_fill_size=1000000:malloc_fill_byte=" FILL;
}
#endif

static void child(void) {
    struct itimerval limit = {{0, 0}, {MILLISECONDS / 1000, MILLISECONDS % 1000 * 1000}};
    setitimer(ITIMER_PROF, &limit, 0);
#ifndef FREESTANDING
    dup2(log_file, 2); /* what sanitizers say */
#endif
    cc_program();
    _exit(79);
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    int source = open(argv[1], O_RDONLY);
    log_file = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (source < 0 || log_file < 0) return 2;
    for (int run = 0; run < RUNS; run++) {
        int status = 0;
        if (read(source, words, sizeof words) != (long)sizeof words) return 2;
        text("run "); number(run); text("\n");
        int pid = fork();
        if (pid < 0) return 2;
        if (pid == 0) child();
        waitpid(pid, &status, 0);
        text("done "); number(status & 0x7F ? 256 + (status & 0x7F) : status >> 8 & 0xFF); text("\n");
    }
    return 0;
}
