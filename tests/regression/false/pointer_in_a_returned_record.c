// property: memsafety
// A record that is returned holds pointers of two types, one of them to a variable that has ended.
struct result {
  const char *name;
  int *value;
};
static struct result get(int v) {
  int x = v;
  struct result r = {"x", &x};
  return r;
}
int main(void) {
  struct result r = get(1);
  return *r.value;
}
