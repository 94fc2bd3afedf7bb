/* <string.h> beyond the functions that have models of their own (memcpy, memset, strlen, strcmp, ...) [C11, 7.24]. */
void *memchr(const void *s, int c, __SIZE_TYPE__ n)
{
    const unsigned char *p = s;
    for (__SIZE_TYPE__ i = 0; i < n; i++)
        if (p[i] == (unsigned char)c)
            return (void *)(p + i);
    return (void *)0;
}
__SIZE_TYPE__ strnlen(const char *s, __SIZE_TYPE__ n)
{
    __SIZE_TYPE__ i = 0;
    while (i < n && s[i])
        i++;
    return i;
}
char *strchr(const char *s, int c)
{
    while (*s != (char)c) {
        if (!*s)
            return (char *)0;
        s++;
    }
    return (char *)s;
}
char *strrchr(const char *s, int c)
{
    const char *found = (const char *)0;
    while (1) {
        if (*s == (char)c)
            found = s;
        if (!*s)
            return (char *)found;
        s++;
    }
}
char *strncat(char *to, const char *from, __SIZE_TYPE__ n)
{
    __SIZE_TYPE__ end = 0, i = 0;
    while (to[end])
        end++;
    while (i < n && from[i]) {
        to[end + i] = from[i];
        i++;
    }
    to[end + i] = 0;
    return to;
}
char *strstr(const char *text, const char *part)
{
    while (1) {
        __SIZE_TYPE__ i = 0;
        while (part[i] && text[i] == part[i])
            i++;
        if (!part[i])
            return (char *)text;
        if (!*text)
            return (char *)0;
        text++;
    }
}
__SIZE_TYPE__ strspn(const char *s, const char *set)
{
    __SIZE_TYPE__ n = 0;
    while (s[n]) {
        __SIZE_TYPE__ i = 0;
        while (set[i] && set[i] != s[n])
            i++;
        if (!set[i])
            return n;
        n++;
    }
    return n;
}
__SIZE_TYPE__ strcspn(const char *s, const char *set)
{
    __SIZE_TYPE__ n = 0;
    while (s[n]) {
        __SIZE_TYPE__ i = 0;
        while (set[i] && set[i] != s[n])
            i++;
        if (set[i])
            return n;
        n++;
    }
    return n;
}
char *strpbrk(const char *s, const char *set)
{
    while (*s) {
        __SIZE_TYPE__ i = 0;
        while (set[i] && set[i] != *s)
            i++;
        if (set[i])
            return (char *)s;
        s++;
    }
    return (char *)0;
}
char *strtok_r(char *s, const char *set, char **rest)
{
    char *start;
    if (!s)
        s = *rest;
    while (*s) {
        __SIZE_TYPE__ i = 0;
        while (set[i] && set[i] != *s)
            i++;
        if (!set[i])
            break;
        s++;
    }
    if (!*s) {
        *rest = s;
        return (char *)0;
    }
    start = s;
    while (*s) {
        __SIZE_TYPE__ i = 0;
        while (set[i] && set[i] != *s)
            i++;
        if (set[i]) {
            *s = 0;
            *rest = s + 1;
            return start;
        }
        s++;
    }
    *rest = s;
    return start;
}
char *strtok(char *s, const char *set)
{
    static char *rest;
    return strtok_r(s, set, &rest);
}
char *strdup(const char *s)
{
    __SIZE_TYPE__ size = 1;
    while (s[size - 1])
        size++;
    char *copy = __builtin_malloc(size);
    for (__SIZE_TYPE__ i = 0; i < size; i++)
        copy[i] = s[i];
    return copy;
}
char *strndup(const char *s, __SIZE_TYPE__ n)
{
    __SIZE_TYPE__ length = 0;
    while (length < n && s[length])
        length++;
    char *copy = __builtin_malloc(length + 1);
    for (__SIZE_TYPE__ i = 0; i < length; i++)
        copy[i] = s[i];
    copy[length] = 0;
    return copy;
}
