struct ring@ { #{unsigned char|int|short} slots[#{4|3|5}]; unsigned head, count; };
#{static|} struct ring@ queue@; enum { SIZE@ = sizeof queue@.slots / sizeof queue@.slots[0] };
static int put@(struct ring@ *r, int v) { if (r->count == SIZE@) return 0; r->slots[(r->head + r->count++)
    % SIZE@] = v; return 1; }
static int take@(struct ring@ *r, int *v) { if (!r->count) return -1; *v = r->slots[r->head];
    r->head = (r->head + 1) % SIZE@; return --r->count, 1; }
static unsigned ring@(int x, int y) { struct ring@ mine = #{{{0}}|{.count = 0}|queue@},
    *r = x & 1 ? &queue@ : &mine; int v = 0, i; unsigned h = 0;
  for (i = 0; i < 6; i++) { if ((y >> i) & 1) h += put@(r, x + i); else { int t = take@(r, &v); h = h * 7 + t + v; } }
    mine = *r; observe(mine.head + 10 * mine.count);
  #{queue@ = mine;|*r = queue@;|r->slots[mine.head] = 3;} return h + queue@.slots[#{0|1|2}]; }
