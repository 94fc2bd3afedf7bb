// operations of the compiler on bits
struct R { int small; unsigned char u8; short s16; unsigned long long u64; };
int main(void) {
  unsigned u[] = {0, 1, 2, 0x80000000u, 0xffffffffu, 0x00f0f00fu, 12345678u, 6}; unsigned long long w[] = {0, 1, 1ull << 63, ~0ull, 0x123456789abcdef0ull, 1ull << 33}; int i, j; struct R r = {0}, *p = &r; _Bool o;
  for (i = 0; i < 8; i++) { observe(__builtin_popcount(u[i])); observe(__builtin_parity(u[i])); observe(__builtin_ffs((int)u[i])); observe(__builtin_bswap32(u[i])); if (u[i]) { observe(__builtin_clz(u[i])); observe(__builtin_ctz(u[i])); } observe(__builtin_bswap16((unsigned short)u[i])); }
  for (i = 0; i < 6; i++) { observe(__builtin_popcountll(w[i])); observe(__builtin_parityll(w[i])); observe(__builtin_ffsll((long long)w[i])); observe(__builtin_bswap64(w[i])); if (w[i]) { observe(__builtin_clzll(w[i])); observe(__builtin_ctzll(w[i])); } observe(__builtin_popcountl((unsigned long)w[i])); }
  observe(__builtin_popcount(-1)); observe(__builtin_popcount((signed char)-2)); observe(__builtin_popcountll(-1)); observe(__builtin_clz((unsigned char)3));
  int a[] = {0, 1, -1, 2147483647, -2147483647 - 1, 40000, -70000};
  for (i = 0; i < 7; i++) for (j = 0; j < 7; j++) { observe(__builtin_add_overflow(a[i], a[j], &p->small)); observe(r.small); observe(__builtin_sub_overflow(a[i], a[j], &r.s16)); observe(r.s16); if (i < 4) { observe(__builtin_mul_overflow(a[i], a[j], &p->u8)); observe(r.u8); } }
  for (i = 0; i < 6; i++) { o = __builtin_add_overflow(w[i], w[(i + 1) % 6], &r.u64); observe(o); observe(r.u64); o = __builtin_mul_overflow(w[i], u[i], &p->u64); observe(o); observe(p->u64); observe(__builtin_sub_overflow(u[i], w[i], &r.small)); observe(r.small); }
  observe(__builtin_sadd_overflow(a[3], 1, &r.small)); observe(r.small); observe(__builtin_umul_overflow(u[4], 2u, &u[0])); observe(u[0]); observe(__builtin_usub_overflow(1u, u[1], &u[1])); observe(u[1]); r.small = 7; observe(__builtin_mul_overflow(r.small, r.small, &r.small)); observe(r.small);
  return 0;
}
