/* Ends of all kinds: errors, assumptions, assertions, exits, also through pointers; inputs of all types. */
extern void reach_error(void); extern void abort(void); extern void exit(int); extern void __VERIFIER_assume(int);
extern void __assert_fail(const char *, const char *, unsigned int, const char *);
extern int __VERIFIER_nondet_int(void); extern _Bool __VERIFIER_nondet_bool(void); extern char __VERIFIER_nondet_char(void);
extern unsigned short __VERIFIER_nondet_ushort(void); extern long long __VERIFIER_nondet_longlong(void);
extern float __VERIFIER_nondet_float(void); extern unsigned long __VERIFIER_nondet_ulong(void);
int count; _Bool flag; double mean; long long wide; unsigned short little; char letter; unsigned long big;
static void fails(int why) { count += why; reach_error(); }
static void (*const ends[3])(int) = {fails, exit, 0};
int main(void) {
  int kind = __VERIFIER_nondet_int() & 15;
  flag = __VERIFIER_nondet_bool(); letter = __VERIFIER_nondet_char(); little = __VERIFIER_nondet_ushort();
  wide = __VERIFIER_nondet_longlong() >> 3; mean = __VERIFIER_nondet_float() / 2; big = __VERIFIER_nondet_ulong() % 1000;
  if (kind == 0) reach_error();
  if (kind == 1) __VERIFIER_assume(flag && letter > 3);
  if (kind == 2) { if (!(little > 7)) __assert_fail("little > 7", "endings.c", 1, "main"); }
  if (kind == 3) abort();
  if (kind == 4) exit(3);
  if (kind == 5) ends[flag](letter);
  if (kind == 6) __builtin_unreachable();
  if (kind == 8) return kind;
  count = kind + flag; wide += letter; mean = mean > 1 ? mean : -mean;
  return count;
}
