// property: memsafety
struct entry { int next, value; } table[2] = {{1, 10}, {5, 20}};

int main(void) {
  struct entry e = table[0];
  e = table[e.next];
  return e.value;
}
