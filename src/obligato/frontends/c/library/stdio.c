/* <stdio.h> [C11, 7.21]: texts by formats, and what is read from streams, which is any input (fgetc). Conversions of floating
   numbers and pointers give any characters here (__obligato_choice): that may prove, but refutes nothing. */
static __SIZE_TYPE__ __obligato_fill(char *s, __SIZE_TYPE__ n, __SIZE_TYPE__ at, char c, int count)
{
    for (; count > 0; count--) {
        if (at + 1 < n)
            s[at] = c;
        at++;
    }
    return at;
}
static __SIZE_TYPE__ __obligato_text(char *s, __SIZE_TYPE__ n, __SIZE_TYPE__ at, const char *text, int most, int width, int left)
{
    int length = 0;
    while (length != most && text[length])
        length++;
    if (!left)
        at = __obligato_fill(s, n, at, ' ', width - length);
    for (int i = 0; i < length; i++)
        at = __obligato_fill(s, n, at, text[i], 1);
    return left ? __obligato_fill(s, n, at, ' ', width - length) : at;
}
static __SIZE_TYPE__ __obligato_digits(char *s, __SIZE_TYPE__ n, __SIZE_TYPE__ at, unsigned long long value, unsigned int base,
                                       char ten, const char *prefix, int least, int width, int left, int zero)
{
    char digits[24];
    int count = 0, before = 0;
    for (; value; value /= base) {
        unsigned int digit = (unsigned int)(value % base);
        digits[count++] = (char)(digit < 10 ? '0' + digit : ten + (digit - 10));
    }
    while (prefix[before])
        before++;
    if (least < 0)
        least = zero && !left && width - before > 1 ? width - before : 1;
    if (least < count)
        least = count;
    if (!left)
        at = __obligato_fill(s, n, at, ' ', width - before - least);
    for (int i = 0; i < before; i++)
        at = __obligato_fill(s, n, at, prefix[i], 1);
    at = __obligato_fill(s, n, at, '0', least - count);
    width -= before + least;
    while (count > 0)
        at = __obligato_fill(s, n, at, digits[--count], 1);
    return left ? __obligato_fill(s, n, at, ' ', width) : at;
}
static __SIZE_TYPE__ __obligato_anything(char *s, __SIZE_TYPE__ n, __SIZE_TYPE__ at)
{
    int __obligato_choice(void);
    do {
        char c = (char)__obligato_choice();
        at = __obligato_fill(s, n, at, c ? c : '0', 1);
    } while (__obligato_choice());
    return at;
}
int vsnprintf(char *s, __SIZE_TYPE__ n, const char *f, __builtin_va_list list)
{
    __SIZE_TYPE__ at = 0;
    while (*f) {
        int left = 0, plus = 0, space = 0, other = 0, zero = 0, width = 0, least = -1, size = 0;
        if (*f != '%') {
            at = __obligato_fill(s, n, at, *f++, 1);
            continue;
        }
        for (f++; *f == '-' || *f == '+' || *f == ' ' || *f == '#' || *f == '0'; f++) {
            left |= *f == '-';
            plus |= *f == '+';
            space |= *f == ' ';
            other |= *f == '#';
            zero |= *f == '0';
        }
        if (*f == '*') {
            width = __builtin_va_arg(list, int);
            if (width < 0) {
                left = 1;
                width = -width;
            }
            f++;
        }
        while (*f >= '0' && *f <= '9')
            width = 10 * width + (*f++ - '0');
        if (*f == '.') {
            least = 0;
            f++;
            if (*f == '*') {
                least = __builtin_va_arg(list, int);
                f++;
            }
            while (*f >= '0' && *f <= '9')
                least = 10 * least + (*f++ - '0');
        }
        for (; *f == 'h' || *f == 'l' || *f == 'z' || *f == 'j' || *f == 't' || *f == 'L'; f++)
            size += *f == 'h' ? -1 : *f == 'l' ? 1 : *f == 'j' ? 2 : *f == 'L' ? 9 : sizeof(__SIZE_TYPE__) == sizeof(long) ? 1 : 0;
        char kind = *f;
        if (kind)
            f++;
        if (kind == 'd' || kind == 'i') {
            long long value = size >= 2 ? __builtin_va_arg(list, long long)
                              : size == 1 ? __builtin_va_arg(list, long) : __builtin_va_arg(list, int);
            value = size == -1 ? (short)value : size == -2 ? (signed char)value : value;
            unsigned long long amount = value < 0 ? 0ull - (unsigned long long)value : (unsigned long long)value;
            at = __obligato_digits(s, n, at, amount, 10, 'a', value < 0 ? "-" : plus ? "+" : space ? " " : "", least, width,
                                   left, zero);
        } else if (kind == 'u' || kind == 'x' || kind == 'X' || kind == 'o') {
            unsigned long long value = size >= 2 ? __builtin_va_arg(list, unsigned long long)
                                       : size == 1 ? __builtin_va_arg(list, unsigned long)
                                                   : __builtin_va_arg(list, unsigned int);
            value = size == -1 ? (unsigned short)value : size == -2 ? (unsigned char)value : value;
            if (other && kind == 'o')
                at = __obligato_anything(s, n, at);
            else
                at = __obligato_digits(s, n, at, value, kind == 'u' ? 10 : kind == 'o' ? 8 : 16, kind == 'X' ? 'A' : 'a',
                                       !other || !value || kind == 'u' ? "" : kind == 'X' ? "0X" : "0x", least, width, left, zero);
        } else if (kind == 'c' && size == 0) {
            char c = (char)__builtin_va_arg(list, int);
            at = left ? at : __obligato_fill(s, n, at, ' ', width - 1);
            at = __obligato_fill(s, n, at, c, 1);
            at = left ? __obligato_fill(s, n, at, ' ', width - 1) : at;
        } else if (kind == 's' && size == 0) {
            at = __obligato_text(s, n, at, __builtin_va_arg(list, const char *), least, width, left);
        } else if (kind == '%') {
            at = __obligato_fill(s, n, at, '%', 1);
        } else if (kind == 'p' && size == 0) {
            (void)__builtin_va_arg(list, void *);
            at = __obligato_anything(s, n, at);
        } else if ((size == 0 || size == 1 || size == 9) && (kind == 'f' || kind == 'F' || kind == 'e' || kind == 'E' ||
                                                            kind == 'g' || kind == 'G' || kind == 'a' || kind == 'A')) {
            if (size == 9)
                (void)__builtin_va_arg(list, long double);
            else
                (void)__builtin_va_arg(list, double);
            at = __obligato_anything(s, n, at);
        } else {
            int __obligato_unmodelled(void); /* %n, wide characters, extensions */
            __obligato_unmodelled();
        }
    }
    if (n)
        s[at < n ? at : n - 1] = 0;
    return (int)at;
}
int vsprintf(char *s, const char *f, __builtin_va_list list)
{
    return vsnprintf(s, (__SIZE_TYPE__)-1, f, list);
}
int snprintf(char *s, __SIZE_TYPE__ n, const char *f, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, f);
    int length = vsnprintf(s, n, f, list);
    __builtin_va_end(list);
    return length;
}
int sprintf(char *s, const char *f, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, f);
    int length = vsnprintf(s, (__SIZE_TYPE__)-1, f, list);
    __builtin_va_end(list);
    return length;
}
char *fgets(char *s, int n, FILE *stream)
{
    int i = 0;
    if (n < 1)
        return (char *)0;
    while (i < n - 1) {
        int __obligato_choice(void);
        int c = fgetc(stream);
        if (c < 0 && i > 0 && __obligato_choice())
            return (char *)0; /* an error, after which the text has no end */
        if (c < 0)
            break;
        s[i++] = (char)c;
        if (c == '\n')
            break;
    }
    if (i == 0 && n > 1)
        return (char *)0;
    s[i] = 0;
    return s;
}
__SIZE_TYPE__ fread(void *to, __SIZE_TYPE__ size, __SIZE_TYPE__ count, FILE *stream)
{
    unsigned char *p = to;
    for (__SIZE_TYPE__ i = 0; i < count; i++)
        for (__SIZE_TYPE__ j = 0; j < size; j++) {
            int c = fgetc(stream);
            if (c < 0)
                return i;
            p[i * size + j] = (unsigned char)c;
        }
    return size ? count : 0;
}
