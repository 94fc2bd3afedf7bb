/* ends: three has an inverse modulo 2^8, so steps of three hit zero */
int main(void) { unsigned char x = 1; while (x != 0) x += 3; return 0; }
