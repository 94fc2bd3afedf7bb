struct msg@ { #{char tag|short tag}; #{int|long} len; char data[#{8|6}]; int keep; };
static unsigned messages@(int x, int y) { struct msg@ a = {'t', x, "data", 9}, b = {1, 2, {3}, y}, m[2];
    unsigned h = 0, i; m[0] = a; m[1] = b;
  #{memcpy(&b, &a, __builtin_offsetof(struct msg@, keep));|memcpy(&b.data, a.data, a.data[1] & 3);|memset(&b,
    0, __builtin_offsetof(struct msg@, data));|memcpy(&b, &a, sizeof a.tag);} #{memset(a.data, a.data[0] & 3,
    a.data[1] & 3);|memset(&m[0], 0, sizeof m[0]);|memmove(&m[1], &m[0], sizeof m[0]);|memcpy(m, &b,
    sizeof b);|memmove(m[0].data, m[0].data + 1, 4);}
  #{m[m[0].keep == 9] = b;|b = m[b.keep & 1];|a = *(x & 1 ? &m[0] : &b);} struct msg@ *all[] = {&a, &b,
    &m[0], &m[1]}; for (i = 0; i < 4; i++) { const struct msg@ *p = all[i]; unsigned k;
    h = h * 31 + p->tag + (unsigned)p->len * 3 + p->keep; for (k = 0; k < sizeof p->data; k++)
    h = h * 5 + p->data[k]; observe(h); }
  return h + (memcmp(a.data, b.data, 4) == 0); }
