// expected: where objects lie in memory
// A member of the element behind the last one.
extern void reach_error(void);
struct pair {
  char first;
  int second;
} a[2], b[2];
int main(void) {
  if (&a[2].first == &b[0].first) reach_error();
  return 0;
}
