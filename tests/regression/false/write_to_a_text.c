// property: memsafety
int main(void) {
  "hello"[0] = 'x';
  return 0;
}
