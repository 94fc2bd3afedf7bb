// the sign of a comparison of strings is known, and what it leads to is refuted
extern void reach_error(void);
extern char __VERIFIER_nondet_char(void);
extern int strcmp(const char *, const char *);

int main(void) {
  char s[2] = {__VERIFIER_nondet_char(), 0};
  if (strcmp(s, "a") > 0 && strcmp("b", s) > 0) reach_error();
  if (strcmp(s, "a") == 0) reach_error();
  return 0;
}
