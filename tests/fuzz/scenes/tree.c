struct tree@ { struct tree@ *kids[2]; int key; unsigned char depth; };
static struct tree@ *insert@(struct tree@ *t, int key, int depth) { if (!t) { t = #{calloc(1,
    sizeof *t)|malloc(sizeof *t)}; #{t->kids[0] = t->kids[1] = 0;|*t = (struct tree@){.key = key};|}
    t->kids[0] = 0; t->kids[1] = 0; t->key = key; t->depth = depth; return t; }
  if (key != t->key) t->kids[key > t->key] = insert@(t->kids[key > t->key], key, depth + 1); return t; }
static int total@(const struct tree@ *t) { return t ? total@(t->kids[0])
    * 2 + t->key + t->depth - total@(t->kids[1]) : 1; }
static unsigned tree@(int x, int y) { struct tree@ *root = 0; int i; for (i = 0; i < #{3|4|5}; i++)
    root = insert@(root, (x * (i + 1) + y) & 15, 0); return total@(root); }
