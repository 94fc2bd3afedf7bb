// There is no directive here, but there are macros: a file has its own name in them.
extern void reach_error(void);
int first = __COUNTER__, second = __COUNTER__;
const char *file = __FILE__;
int main(void) {
  int last = 0;
  for (const char *p = file; *p; p++) last = *p;
  if (first == second || __LINE__ != 8 || last != 'c' || file[0] == 'i') reach_error();
  return 0;
}
