// expected: this expression is not supported: && end
int main(void) { void *p = &&end; goto *p; end: return 0; }
