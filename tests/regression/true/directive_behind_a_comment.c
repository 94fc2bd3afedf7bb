/* the text below is preprocessed, too */ #include <limits.h>
extern void reach_error(void);
int main(void) {
  if (INT_MAX < 32767) reach_error();
  return 0;
}
