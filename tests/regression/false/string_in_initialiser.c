// String literals have their contents before variables are initialised.
extern void reach_error(void);
int g = "yz"[1];
int main(void) {
  if (g == 'z') reach_error();
  return 0;
}
