/* strings in initialiser lists: for the array itself, or for its first part */
struct T { char n[4]; int v; };
char *one[1] = {"abc"};
struct T first[1] = {"ab"};
struct { struct T x[2]; int k; } elided = {"p", 1, "q", 2, 3};
char two[1][3] = {"xy"}, three[1][1][3] = {"uv"}, plain[] = {"w"};
struct { char *p[2]; } pointers = {"a", "b"};

int main(void) {
  observe(one[0][1]);
  observe(first[0].n[1]);
  observe(elided.x[1].n[0]);
  observe(elided.k);
  observe(two[0][1]);
  observe(three[0][0][1]);
  observe(plain[0]);
  observe(pointers.p[1][0]);
  return 0;
}
