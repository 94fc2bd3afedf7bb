// property: memsafety
// expected: memory safety of printf with a pointer
int printf(const char *format, ...);

int main(void)
{
    char text[3] = "abc"; /* exactly three characters are read, which is not modelled */
    printf("%.3s\n", text);
    return 0;
}
