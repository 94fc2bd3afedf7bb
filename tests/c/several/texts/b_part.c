#include "part.h"
const char *const names[LIMIT] = {"banana", "ananas", "kiwi"}; static int step = 100;
#ifdef OTHER
static int made = 1;
#endif
static int made(const char *t) { return *t; }
int count(const char *text, char c) { int n = 0; for (; made(text); text++) n += *text == c; step -= n; return n; }
int measure(struct pair p) { return larger(p.a, p.b) + step; }
