//// strtol
#include <stdlib.h>
#include <string.h>
static void t(const char *s, int base) { char *e = (char*)1; long v = strtol(s, &e, base); observe(v); observe(e==(char*)1 ? -1 : e - s); unsigned long u = strtoul(s, &e, base); observe(u); observe(strtoll(s,&e,base)); observe(e-s); observe(strtoull(s,0,base)); }
int main(void) {
 const char *w[] = {"0","12","-5","+7","  \t42x","0x1F","0x","0xg","-0x10","077","08","z","","   ","+","-","--3","2147483647","2147483648","-2147483648","-2147483649","9223372036854775807","9223372036854775808","-9223372036854775808","-9223372036854775809","18446744073709551615","18446744073709551616","-18446744073709551615","4294967296","zz","ZZ","1e5","12 34","0b11"};
 for (int i = 0; i < sizeof w / sizeof *w; i++) { t(w[i],10); }
 return 0; }
//// strtol bases
#include <stdlib.h>
static void t(const char *s, int base) { char *e = (char*)s; long v = strtol(s, &e, base); observe(v); observe(e - s); unsigned long u = strtoul(s, &e, base); observe(u); }
int main(void) {
 const char *w[] = {"0x1F","0x","0xg","-0x10","077","08","z","0X0x","+0xfFz","0","00","-00x1","1010","0x 1"," 0x"};
 int b[] = {0,16,8,2,36,3,1,37,-1};
 for (int i = 0; i < sizeof w / sizeof *w; i++) for (int j=0;j<9;j++) t(w[i],b[j]);
 return 0; }
//// atoi
#include <stdlib.h>
int main(void) { observe(atoi("12")); observe(atoi(" -12a")); observe(atoi("")); observe(atoi("+")); observe(atoi("2147483647")); observe(atoi("-2147483648")); observe(atol("77")); observe(atoll("-9999999999")); observe(atoi("\v\f\r 5")); observe(atoi("- 5")); return 0; }
//// snprintf
#include <stdio.h>
#include <string.h>
static void o(const char *s, int n) { for (int i = 0; i < n; i++) observe(s[i]); }
int main(void) { char b[64]; 
#define T(...) do { memset(b,'#',64); observe(snprintf(b, 64, __VA_ARGS__)); o(b,64); memset(b,'#',64); observe(snprintf(b, 5, __VA_ARGS__)); o(b,8);} while (0)
 T("%d|%5d|%-5d|%05d", 1, -2, 3, -4); T("%+d % d %+5d", 5, 6, -7); T("%.3d|%.0d|%5.3d|%-6.2d|%05.2d", 7, 0, -8, 9, 10); T("%x %X %#x %#X %#x", 255, 255, 255, 171, 0); T("%o %#06x %6.4x", 8, 18, 19);
 return 0; }
//// snprintf 2
#include <stdio.h>
#include <string.h>
static void o(const char *s, int n) { for (int i = 0; i < n; i++) observe(s[i]); }
int main(void) { char b[64]; 
#define T(...) do { memset(b,'#',64); observe(snprintf(b, 64, __VA_ARGS__)); o(b,64); memset(b,'#',64); observe(snprintf(b, 5, __VA_ARGS__)); o(b,8);} while (0)
 T("%s|%5s|%-5s|%.2s|%5.1s", "ab", "cd", "ef", "ghi", "jkl"); T("%c|%3c|%-3c|%%", 'a', 'b', 'c'); T("%*d|%-*d|%*d", 5, 1, 5, 2, -5, 3); T("%.*s|%.*d|%.*d", 2, "abc", 3, 7, -3, 8);
 T("%hhd %hd %hhu %hu", 300, 70000, 300, 70000); T("%ld %lu %lld %llx", -5L, 5UL, -1LL<<40, ~0ULL); T("%zu %jd %td", sizeof b, (long long)-3, (b+3)-b); T("%u %i", -1, -2147483647-1);
 observe(snprintf(0, 0, "%d%s", 12345, "xyz")); observe(sprintf(b, "%08.3d|%-08d|%+.2d|% 05d", 5, 6, 7, 8)); o(b, 40); T("%-+5d|%+-5d|%0+5d|%#-6x|", 1,2,3,4); T("a%cb", 0);
 return 0; }
//// strings
#include <string.h>
int main(void) { char b[32] = "a,b;;c,,d"; char *p = strtok(b, ",;"); while (p) { observe(p - b); observe(strlen(p)); p = strtok(0, ",;"); } observe(strtok(0, ",") == 0);
 char c[16] = "  xy  z"; char *r; p = strtok_r(c, " ", &r); observe(p - c); observe(r - c); p = strtok_r(0, " ", &r); observe(p-c); observe(r-c); observe(strtok_r(0," ",&r)==0); observe(r-c); char e[4]=",,"; observe(strtok(e,",")==0);
 const char *s = "hello world"; observe(strchr(s,'o')-s); observe(strchr(s,0)-s); observe(strchr(s,'z')==0); observe(strchr(s,'o'+256)-s); observe(strrchr(s,'o')-s); observe(strrchr(s,0)-s); observe(strrchr(s,'z')==0); observe(strstr(s,"o w")-s); observe(strstr(s,"")-s); observe(strstr(s,"wx")==0); observe(strstr("aab","ab")!=0);
 observe(strspn(s,"hel")); observe(strcspn(s,"wo")); observe(strspn(s,"")); observe(strcspn(s,"")); observe(strpbrk(s,"xw")-s); observe(strpbrk(s,"")==0); observe(memchr(s,'w',5)==0); observe((const char*)memchr(s,'w',11)-s); observe(memchr(s,0,0)==0); observe(strnlen(s,3)); observe(strnlen(s,30)); char d[20]="ab"; strncat(d,"cdef",2); observe(strlen(d)); strncat(d,"x",5); observe(d[4]); strncat(d,"q",0); observe(strlen(d)); char *q = strdup("xyz"); observe(q[2]); q = strndup("xyz",2); observe(q[1]); observe(q[2]); q=strndup("x",9); observe(q[1]); return 0; }
//// qsort
#include <stdlib.h>
static int up(const void *a, const void *b) { int x=*(const int*)a, y=*(const int*)b; return (x>y)-(x<y); }
static int down(const void *a, const void *b) { return up(b,a); }
struct R { short k; char n[3]; }; static int rec(const void *a, const void *b) { const struct R *x=a,*y=b; return x->k - y->k; }
int main(void) { int a[6]={3,-1,7,0,7,2}; qsort(a,6,sizeof *a,up); for(int i=0;i<6;i++) observe(a[i]); qsort(a+1,4,sizeof(int),down); for(int i=0;i<6;i++) observe(a[i]); qsort(a,0,4,up); qsort(a,1,4,up); observe(a[0]);
 struct R r[4]={{5,"ab"},{-2,"cd"},{9,"ef"},{0,"gh"}}; qsort(r,4,sizeof *r,rec); for(int i=0;i<4;i++) { observe(r[i].k); observe(r[i].n[1]); }
 int b[5]={1,3,5,7,9}, k=7; int *p=bsearch(&k,b,5,sizeof *b,up); observe(p-b); k=4; observe(bsearch(&k,b,5,4,up)==0); k=9; observe((int*)bsearch(&k,b,5,4,up)-b); 
 unsigned char c[4]={4,2,9,1}; int uc(const void*,const void*); qsort(c,4,1,uc); for(int i=0;i<4;i++) observe(c[i]); div_t d=div(-7,2); observe(d.quot); observe(d.rem); ldiv_t l=ldiv(7,-2); observe(l.quot); observe(l.rem); lldiv_t ll=lldiv(-9,4); observe(ll.rem); return 0; }
int uc(const void *a,const void *b){ return *(const unsigned char*)a - *(const unsigned char*)b; }
//// realloc
#include <stdlib.h>
#include <string.h>
struct V { int n, cap; int *d; }; static void push(struct V *v, int x) { if (v->n == v->cap) { v->cap = v->cap ? 2*v->cap : 1; v->d = realloc(v->d, v->cap * sizeof *v->d); } v->d[v->n++] = x; }
int main(void) { struct V v = {0}; for (int i=0;i<9;i++) push(&v, i*i); int s=0; for (int i=0;i<v.n;i++) s = s*3+v.d[i]; observe(s); observe(v.cap); v.d = realloc(v.d, 3*sizeof(int)); observe(v.d[2]); char *p = malloc(4); strcpy(p,"abc"); p = realloc(p, 10); strcat(p,"def"); observe(strlen(p)); observe(p[5]); free(p); free(v.d); long long *q = realloc(0, 16); q[0]=-1; q[1]=5; q=realloc(q,8); observe(q[0]); free(q); return 0; }
//// varargs
#include <stdarg.h>
static long long sum(const char *f, ...) { va_list a, b; va_start(a, f); long long s = 0; va_copy(b, a); for (; *f; f++) switch (*f) { case 'i': s = s*7 + va_arg(a, int); break; case 'l': s += va_arg(a, long); break; case 'q': s -= va_arg(a, long long); break; case 'd': s += (int)(va_arg(a, double)*4); break; case 'p': s += *va_arg(a, int*); break; case 'u': s += va_arg(a, unsigned); break; case 'D': s += (int)va_arg(a, long double); break; case 's': s += va_arg(a, const char*)[0]; break; } s = s*3 + va_arg(b, int); va_end(b); va_end(a); return s; }
static int vmax(int n, va_list a) { int m = va_arg(a, int); while (--n > 0) { int x = va_arg(a, int); if (x > m) m = x; } return m; }
static int maxi(int n, ...) { va_list a; va_start(a, n); int m = vmax(n, a); va_end(a); va_start(a, n); m = m*100 + va_arg(a,int); va_end(a); return m; }
int main(void) { int x = 9; short sh=-3; float fl=2.5f; char ch='z'; observe(sum("i", 5)); observe(sum("iii", sh, ch, x)); observe(sum("ilqdpuDs", 1, -2L, 3LL<<33, 2.75, &x, 4000000000u, (long double)8.5, "hey")); observe(sum("id", 1, fl)); observe(sum("iu", -1, -1)); observe(maxi(3, 4, 9, 2)); observe(maxi(1,-5)); int (*fp)(int,...) = maxi; observe(fp(2, 7, 8)); return 0; }
//// sscanf-free chars
#include <ctype.h>
int main(void) { for (int c=-1;c<130;c++) { observe(!!isalpha(c)); observe(!!isdigit(c)); observe(!!isspace(c)); observe(!!isupper(c)); observe(!!ispunct(c)); observe(!!isxdigit(c)); observe(!!iscntrl(c)); observe(!!isprint(c)); observe(!!isgraph(c)); observe(toupper(c)); observe(tolower(c)); observe(!!isalnum(c));observe(!!islower(c)); } return 0; }
//// memmove and friends
#include <string.h>
#include <strings.h>
int main(void) { char b[10]="abcdefghi"; memmove(b+2,b,5); for(int i=0;i<10;i++) observe(b[i]); memmove(b,b+3,4); for(int i=0;i<10;i++) observe(b[i]); observe(memcmp("ab","ac",2)<0); observe(memcmp("ab\0x","ab\0y",4)<0); observe(strncmp("abc","abd",2)); observe(strncmp("abc","abd",3)<0); observe(strcmp("\xff","a")>0); observe(ffs(0)); observe(ffs(8)); observe(ffs(-2147483647-1)); char d[8]; memset(d,0x1ff,8); observe(d[3]); strcpy(d,"xy"); observe(strcat(d,"z")==d); observe(d[2]); bzero(d,3); observe(d[1]); observe(d[4]); return 0; }
