// Structs are values: assignment, parameters and results copy.
struct P { int x, y; char name[4]; }; struct L { struct P a, b; short k; };
struct P make(int x, int y) { struct P p = {x, y, "ab"}; p.name[2] = 'c'; return p; }
int sum(struct P p) { p.x += 100; return p.x + p.y + p.name[0]; }
struct L wrap(struct P p) { struct L l; l.a = p; l.b = make(p.y, p.x); l.k = -1; return l; }
struct P garr[3];
int main(void) {
  struct P p = make(1, 2), q, *r = &q; struct L l; int i = 1;
  q = p; q.x = 50; observe(p.x); observe(q.x); observe(sum(p)); observe(p.x); observe(p.name[2]); observe(p.name[3]); l = wrap(q); observe(l.a.x); observe(l.b.x); observe(l.b.name[1]); observe(l.k);
  *r = make(7, 8); observe(q.y); garr[i] = q; garr[i].x++; observe(garr[1].x); observe(q.x); observe(garr[0].x); garr[2] = garr[1]; observe(garr[2].name[1]); r = &garr[2]; r->y = 9;
  observe(sum(garr[2])); observe(make(3, 4).y); l.a = l.b = p; observe(l.a.x + l.b.y); observe((i ? p : q).x); observe(sizeof(struct L)); p = *&p; observe(p.x);
  return 0;
}
