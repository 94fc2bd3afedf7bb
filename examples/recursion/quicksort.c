// Quicksort on four numbers of two bits: they are in order afterwards.
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
void reach_error(void) { abort(); }

unsigned a[4];

void sort(int low, int high) {
  if (low >= high) return;
  unsigned pivot = a[high];
  int at = low;
  for (int i = low; i < high; i++)
    if (a[i] < pivot) {
      unsigned t = a[i];
      a[i] = a[at];
      a[at] = t;
      at++;
    }
  a[high] = a[at];
  a[at] = pivot;
  sort(low, at - 1);
  sort(at + 1, high);
}

int main(void) {
  for (int i = 0; i < 4; i++) a[i] = __VERIFIER_nondet_uint() & 3;
  sort(0, 3);
  for (int i = 0; i < 3; i++)
    if (a[i] > a[i + 1]) reach_error();
  return 0;
}
