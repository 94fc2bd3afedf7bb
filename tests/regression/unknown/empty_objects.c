// expected: where objects lie in memory
// Objects without bytes may lie at one address.
extern void reach_error(void);
struct {
} a, b;
int main(void) {
  if ((void *)&a == (void *)&b) reach_error();
  return 0;
}
