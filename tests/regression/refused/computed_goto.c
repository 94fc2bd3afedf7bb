// expected: statement of kind 211 is not supported
int main(int c, char **v) { goto *(void *)v; end: return &&end == 0; }
