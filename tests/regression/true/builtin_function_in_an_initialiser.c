extern void reach_error(void);

int main(void) {
  float x = __builtin_fabsf(-1.0f) + __builtin_inff();
  if (x < 1.0f)
    reach_error();
  return 0;
}
