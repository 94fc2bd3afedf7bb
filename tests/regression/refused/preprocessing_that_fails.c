// expected: preprocessing failed
#include "there_is_no_such_file.h"
int main(void) { return 0; }
