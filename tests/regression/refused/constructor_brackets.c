// expected: attribute constructor is not supported
void reach_error(void);
int g;
[[gnu::constructor]] void init(void) { g = 1; }

int main(void) {
  if (g) reach_error();
  return 0;
}
