// expected: expression of kind 120 is not supported
int main(void) { void *p = &&end; goto *p; end: return 0; }
