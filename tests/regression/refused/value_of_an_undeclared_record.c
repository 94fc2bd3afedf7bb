// expected: an lvalue of the kind
struct s { int a; } x, y;
int main(void) { return __builtin_choose_expr(1, x, y).a + (x, y).a + (*&(struct s){1}).a; }
