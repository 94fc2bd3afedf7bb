static int kind@(int c) { switch (#{c|(signed char)c|(unsigned char)c|c * 3ll|(unsigned)c|(short)c}) { case -5 ... -1: return 1;
  case '0' ... '9': return c; case #{100 ... 107|100 ... 100}: c++; #{break;|} case 'a' ... 'c': return 4; default: return c & 7;
  case 11: ; } return c - 2; }
static unsigned cases@(int x, int y) { unsigned s = 0; int i;
  for (i = 0; i < 6; i++) s = s * 7u + (unsigned)kind@(x + i * #{1|9|50}); for (i = -6; i < #{1|12}; i++) s = s * 3u + (unsigned)kind@(i);
  s += (unsigned)kind@(#{102 + (x & 7)|107|'9' + (y & 1)}) * 1000u; return s + (unsigned)kind@('c' - (y & 1)) * 77u + (unsigned)kind@(y); }
