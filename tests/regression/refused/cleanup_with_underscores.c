// expected: attribute cleanup
extern void reach_error(void);
int g;
void c(int *p) { g = *p; }
int main(void) {
  { int x __attribute__((unused, __cleanup__(c))) = 3; }
  if (g == 3) reach_error();
  return 0;
}
