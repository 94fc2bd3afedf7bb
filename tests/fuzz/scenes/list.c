struct node@ { #{int v; struct node@ *next;|struct node@ *next; short v;|char tag; struct node@ *next;
    int v;} };
static struct node@ *push@(struct node@ *l, int v) { struct node@ *n = malloc(sizeof #{*n|(struct node@)});
    n->v = v; n->next = l; #{|} return n; }
static void append@(struct node@ **l, int v) { while (*l) l = &(*l)->next; *l = push@(0, v); }
static struct node@ *turned@(struct node@ *l) { struct node@ *r = 0; while (l) { struct node@ *n = l->next;
    l->next = r; r = l; l = n; } return r; }
static void drop@(struct node@ **l, int v) { while (*l) { if ((*l)->v == v) { struct node@ *d = *l;
    *l = d->next; free(d); } else l = &(*l)->next; } }
static unsigned list@(int x, int y) { struct node@ *l = 0, *n; unsigned h = 5; int i;
  for (i = 0; i < (x & 3) + #{1|2}; i++) #{l = push@(l, y & 15);|append@(&l, i * 3);|if (i & 1) append@(&l,
    i); else l = push@(l, x & 7);}
  #{l = turned@(l);|drop@(&l, 3);|append@(&l, 9);} #{drop@(&l, 0);|l = turned@(turned@(l));|}
  for (n = l; n; n = n->next) h = h * 31 + n->v; #{if (l && l->next) { *l = *l->next; observe(l->v);
    l->next = 0; }|observe(l ? l->v : -1);|}
  return h; }
