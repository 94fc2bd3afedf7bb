// expected: a number that fits no signed type: compilers differ
void reach_error(void);

int main(void) {
    const char *text = "9223372036854775808 is passed over, and so is 18446744073709551615u";
    if (!(text[0] == '9' && 9223372036854775808 > 0))
        reach_error();
    return 0;
}
