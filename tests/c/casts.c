/* casts to types that contain expressions: array lengths and typeof */
#define MAX(a, b) ((typeof(a))((a) > (b) ? (a) : (b)))
int buffer[100];

int main(void) {
  short s = -1;
  long y = 70000;
  int n = 2, i;
  for (i = 0; i < 100; i++) buffer[i] = i;
  int *q = buffer, (*cube)[2][3][4] = (int (*)[2][3][4])q, (*rows)[3] = (int (*)[3])q;
  observe(cube[1][0][2][1]);
  observe((*cube)[1][1][1]);
  observe(rows[1][1]);
  observe((typeof(s))y);
  observe((typeof(n + 1.5))3 / 2 == 1.5);
  observe(MAX(3, 5));
  observe(*(char *)(typeof(&q[n]))&q[1]);
  int (*f)(int[3]) = (int (*)(int[3]))0;
  observe(!f);
  return 0;
}
