// expected: setlocale
#include <ctype.h>
#include <locale.h>
int main(void) {
  setlocale(LC_ALL, "");
  return isalpha(0xe9);
}
