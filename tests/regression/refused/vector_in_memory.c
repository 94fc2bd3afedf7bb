// expected: an object of type __attribute__
extern void reach_error(void);
typedef int v4si __attribute__((vector_size(16)));
int main(void) {
  v4si a = {0, 1, 2, 3};
  if (((int *)&a)[1] != 1) reach_error();
  return 0;
}
