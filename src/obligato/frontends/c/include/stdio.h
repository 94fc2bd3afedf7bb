#ifndef OBLIGATO_STDIO_H
#define OBLIGATO_STDIO_H
#include <stddef.h>
#include <stdarg.h>
typedef struct obligato_file FILE;
typedef struct { long obligato_place; int obligato_state[2]; } fpos_t;
#define EOF (-1)
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define FOPEN_MAX 16
#define L_tmpnam 20
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
extern FILE *stdin;
extern FILE *stdout;
extern FILE *stderr;
int printf(const char *restrict, ...);
int fprintf(FILE *restrict, const char *restrict, ...);
int sprintf(char *restrict, const char *restrict, ...);
int snprintf(char *restrict, size_t, const char *restrict, ...);
int vprintf(const char *restrict, va_list);
int vfprintf(FILE *restrict, const char *restrict, va_list);
int vsprintf(char *restrict, const char *restrict, va_list);
int vsnprintf(char *restrict, size_t, const char *restrict, va_list);
int scanf(const char *restrict, ...);
int fscanf(FILE *restrict, const char *restrict, ...);
int sscanf(const char *restrict, const char *restrict, ...);
int getchar(void);
int getc(FILE *);
int fgetc(FILE *);
int ungetc(int, FILE *);
char *fgets(char *restrict, int, FILE *restrict);
int putchar(int);
int putc(int, FILE *);
int fputc(int, FILE *);
int puts(const char *);
int fputs(const char *restrict, FILE *restrict);
FILE *fopen(const char *restrict, const char *restrict);
FILE *freopen(const char *restrict, const char *restrict, FILE *restrict);
int fclose(FILE *);
int fflush(FILE *);
int feof(FILE *);
int ferror(FILE *);
void clearerr(FILE *);
size_t fread(void *restrict, size_t, size_t, FILE *restrict);
size_t fwrite(const void *restrict, size_t, size_t, FILE *restrict);
int fseek(FILE *, long, int);
long ftell(FILE *);
void rewind(FILE *);
void perror(const char *);
int remove(const char *);
int rename(const char *, const char *);
void setbuf(FILE *restrict, char *restrict);
int setvbuf(FILE *restrict, char *restrict, int, size_t);
#endif
