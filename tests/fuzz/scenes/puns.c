union number@ { #{unsigned u|int u}; float f; unsigned char b[4]; unsigned short h[2]; };
static unsigned puns@(int x, int y) { union number@ n; n.u = x * 70001; observe(n.b[1]); n.h[#{0|1}] = y;
    observe((unsigned)n.u); n.f = (x & 63) * 0.25f; #{n.b[3] ^= 0x80;|n.b[2] &= 0x7f;}
    return n.u ^ n.b[0] ^ (n.f < 1.0f) ; }
