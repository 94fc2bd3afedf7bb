// expected: with arguments that are not one int
int isdigit();
int main(void) { return isdigit(1, 2); }
