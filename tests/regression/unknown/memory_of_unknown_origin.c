// expected: of unknown origin
// property: memsafety
// Nobody knows whether there is memory at this address.
int main(void) { return *(int *)123456; }
