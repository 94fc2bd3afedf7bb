/* functions that return pointers to functions and arrays: whose parameters are whose */
int twice(int x) { return 2 * x; }
int thrice(int x) { return 3 * x; }
int (*choose(int i, int j))(int) { observe(i); observe(j); return i == 3 ? twice : thrice; }
int (*row(int k))[2] { static int m[3][2] = {{1, 2}, {3, 4}, {5, 6}}; observe(k); return &m[k]; }
int (*(*deep(char c))(int z))(int) { observe(c); return 0; }

int main(void) {
  observe(choose(3, 4)(7));
  observe(choose(5, 4)(7));
  observe((*row(2))[1]);
  observe(deep(9) == 0);
  return 0;
}
