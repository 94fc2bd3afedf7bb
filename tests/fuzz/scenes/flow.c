static unsigned flow@(int x, int y) { int i, j, n = 0; unsigned char k = #{250|3};
  for (i = 0; i < 4; ++i) { for (j = i; ; j++) { if (j > 4) break; if ((j ^ x) & 1) continue; n += j;
    #{if (n > 12) goto out;|} } #{while (k++ < 253) n++;|do n--; while (k-- > 2);|n <<= 1;} }
out:  switch (y & 7) { case 0: case 3: n++; #{break;|} case 1: n += 2; default: n ^= 5; break; case 5: #{{
    int z = n; n = z * 2; }|n = -n;} } 
  return n + k + (x > y ? x : y == 2 ? 7 : #{i|j}); }
