// expected: the result depends on an unspecified order of evaluation (of accesses to n)
void reach_error(void);
int n = 3;
static int next(void) { return n++; }

int main(void) {
    int table[n][next()];
    if (sizeof table != 36)
        reach_error();
    return 0;
}
