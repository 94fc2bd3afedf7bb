// A recursive-descent parser of sums and brackets: 1+(1+1) is 3.
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
void reach_error(void) { abort(); }

const char text[] = "1+(1+1)";
int at = 0;
int expression(void);

int factor(void) {
  if (text[at] == '(') {
    at++;
    int value = expression();
    if (text[at] != ')') return -100;
    at++;
    return value;
  }
  if (text[at] == '1') {
    at++;
    return 1;
  }
  return -100;
}

int expression(void) {
  int value = factor();
  while (text[at] == '+') {
    at++;
    value += factor();
  }
  return value;
}

int main(void) {
  if (expression() != 3 || text[at] != 0) reach_error();
  return 0;
}
