struct flags@ { unsigned a : #{1|3}; int b : #{4|9}; unsigned : #{0|2}; unsigned c : 7;
    #{unsigned char d : 5|_Bool d : 1|short d : 11}; } ; union word@ { struct flags@ f; unsigned whole[2];
    unsigned char bytes[8]; };
static unsigned bits@(int x, int y) { struct flags@ f = {#{1|x}, -3, y}, g; union word@ w; memset(&w, 0,
    sizeof w); f.a += x; f.b -= y; f.d = x; f.c ^= f.a; w.f = f; g = x & 1 ? f : w.f; g.b++; 
  observe(w.f.a + w.f.b * 3 + w.f.c); #{w.bytes[0] ^= 1;|w.whole[0] |= 2;} w.f.c = g.c + 1; observe(w.f.b);
    return g.a * 1000 + g.b * 10 + g.c + g.d * 7 + (f.b < 0) + (f.a > -1) + w.f.c; }
