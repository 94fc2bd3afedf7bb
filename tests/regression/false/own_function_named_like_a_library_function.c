extern void reach_error(void);
int calls;
int labs(int x) { calls++; return x + 1; }

int main(void) {
  labs(3);
  if (calls == 1)
    reach_error();
  return 0;
}
