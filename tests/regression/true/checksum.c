// CRC-8 of nine known bytes, and of two unknown ones with their checksum behind them.
#include <assert.h>
#include <stdint.h>
extern uint8_t __VERIFIER_nondet_uchar(void);
static uint8_t crc8(const uint8_t *p, int n) {
  uint8_t c = 0;
  for (int i = 0; i < n; i++) {
    c ^= p[i];
    for (int j = 0; j < 8; j++) c = (c & 0x80) ? (uint8_t)((c << 1) ^ 0x07) : (uint8_t)(c << 1);
  }
  return c;
}
int main(void) {
  uint8_t text[9] = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  assert(crc8(text, 9) == 0xF4);
  uint8_t m[3] = {__VERIFIER_nondet_uchar(), __VERIFIER_nondet_uchar()};
  m[2] = crc8(m, 2);
  assert(crc8(m, 3) == 0);
  return 0;
}
