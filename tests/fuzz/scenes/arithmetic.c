static #{unsigned char|signed char|short} narrow@(#{int|long|unsigned} v) { return v; }
    static #A wide@ = #{-1|200|70000};
static unsigned arithmetic@(int x, int y) { #A a = x; #B b = y * 77; #C c = narrow@(x * 300); a ^= b;
    b = a / (y | 1 ? 7 : 3); c += a % 9; wide@ = wide@ + c; a = -(a % 1000);
    unsigned s = (unsigned)x << (y & 15); int q = x >> #{2|5};
  #{a = x < 0u;|b = (short)x == x;|c = sizeof(x) > -1;} long long big = (long long)x * y * 100003;
    unsigned long long ub = (unsigned long long)big >> #{7|33}; s ^= (unsigned)ub;
    #{c = !a + ~b;|c = (x && y) || a > b;|c = x ? y : c, b;} q += c++ - --b;
    return s + q + (unsigned)a + (unsigned)b * 3 + (unsigned)c * 5 + (unsigned)wide@ + (unsigned)(big % 97)
    + (a < b) * 2 + (b < c); }
