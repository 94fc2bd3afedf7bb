// expected: expression of the kind AddrLabelExpr is not supported
int main(void) { void *p = &&end; goto *p; end: return 0; }
