// expected: padding of a record
void reach_error(void);

struct fields {
  unsigned a : 3;
  unsigned b : 5;
  unsigned : 8;
  unsigned c : 3;
};

int main(void) {
  struct fields f = {5, 2, 3};
  unsigned char *bytes = (unsigned char *)&f;
  if (bytes[2] == 3 && bytes[1] == 0)
    return 0;
  reach_error();
  return 0;
}
