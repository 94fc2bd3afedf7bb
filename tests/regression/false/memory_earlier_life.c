// property: memsafety
// The variable of an earlier call is dead, although the variable of this call looks the same.
int *g;
void f(void) { int x = 1; if (g) *g = 2; g = &x; }
int main(void) { f(); f(); return 0; }
