// expected: pragma redefine_extname is not supported
void reach_error(void);
int f(void) { return 1; }
#pragma redefine_extname g f
int g(void);

int main(void) {
  if (g() != 1) reach_error();
  return 0;
}
