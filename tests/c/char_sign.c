// Plain char is signed here.
char g = '\xff';
int main(void) {
  char c = 200; signed char s = 200; unsigned char u = 200; char *str = "\x80\177z"; const unsigned char *us = (const unsigned char *)str;
  observe(c); observe(s); observe(u); observe(c == s); observe(c == u); observe(g); observe(str[0]); observe(us[0]); observe(str[1]); observe(str[2]); observe(str[3]);
  observe('\xfe'); observe((unsigned)c); observe((unsigned short)s); observe(c < 0); observe((unsigned char)c > 100); observe(sizeof("abc")); observe('ab');
  return 0;
}
