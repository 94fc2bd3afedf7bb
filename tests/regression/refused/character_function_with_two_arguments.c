// expected: with other arguments
int isdigit();
int main(void) { return isdigit(1, 2); }
