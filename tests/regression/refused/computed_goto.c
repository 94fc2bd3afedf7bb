// expected: statement of the kind IndirectGotoStmt is not supported
int main(int c, char **v) { goto *(void *)v; end: return &&end == 0; }
