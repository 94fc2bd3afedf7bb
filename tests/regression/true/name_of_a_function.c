// gcc has the name only, as __func__ has.
extern void reach_error(void);
int main(void) {
  if (sizeof(__PRETTY_FUNCTION__) != 5) reach_error();
  return 0;
}
