// expected: cosf is not declared, and compilers know its type
// gcc takes it for float cosf(float), not for int cosf(), whose results would be whole numbers.
extern void reach_error(void);
int main(void) {
  float r = cosf(1.0f);
  if (r > 0.0f && r < 1.0f)
    reach_error();
  return 0;
}
