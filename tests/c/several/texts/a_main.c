#include "part.h"
int result; static int step; static struct pair made(int n) { struct pair p = {n, TWICE(n)}; step++; return p; }
int main(void) { for (int i = 0; i < LIMIT; i++) { int n = count(names[i], 'a'); n += measure(made(i)); result = result * 5 + n + larger(i, step); } return 0; }
