#pragma once
#define TWICE(x) ((x) * 2)
struct pair { int a, b; }; static inline int larger(int a, int b) { return a > b ? a : b; }
int count(const char *text, char c); int measure(struct pair p); extern const char *const names[LIMIT];
