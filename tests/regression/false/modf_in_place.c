// The argument is overwritten before the fraction is computed.
extern void reach_error(void);
double modf(double, double *);
int main(void) {
  double x = 3.75;
  if (modf(x, &x) == 0.75) reach_error();
  return 0;
}
