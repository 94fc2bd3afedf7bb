static unsigned length@(const char *s) { unsigned n = 0; while (*s++) n++; return n; }
static void reverse@(char *s) { unsigned i = 0, k = #{strlen|length@}(s); while (i + 1 < k) { char t = s[i];
    s[i++] = s[--k]; s[k] = t; } }
static unsigned words@(int x, int y) {
  char buf[#{24|32|20}] = #{"ab cd"|"x"|""|{'q', 'r', 0}};
    const char *from = x & 1 ? "hello" : #{"wo rl"|"a"|"zz top"};
  strcat(buf, from); #{reverse@(buf);|buf[0] ^= 32;|reverse@(buf + 1);} unsigned n = 0, in = 0; char *p;
  for (p = buf; *p; p++) { if (*p == ' ') in = 0; else if (!in) { in = 1; n++; }
    #{|if (*p >= 'a' && *p <= 'z') *p -= 32;|if (n > 2) break;} }
  #{strcpy(buf, from);|strncpy(buf, from, 3); buf[3] = 0;|} observe(strlen(buf)); observe(#{strcmp(buf, from)
    == 0|strncmp(buf, from, 2) == 0|strcmp(from, "hello") < 0});
  for (p = buf; *p; ++p) n = n * 31 + *p; return n + (unsigned)(p - buf) + y; }
