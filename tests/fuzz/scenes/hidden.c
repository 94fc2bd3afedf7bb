static int ready@ = 1;
__attribute__ #{/* when it starts */|} ((#{constructor|section(".text.startup"), constructor|unused|used}))
static void begin@(void) { ready@ = #{5|9}; }
static void over@(int *p) { ready@ += *p; }
static unsigned hidden@(int x, int y) {
  { int mine #{__attribute__((cleanup(over@)))|__attribute__((unused))} = x & 3; y += mine; }
  #{int noreturn = x;|int cleanup = x, constructor = 2; x += constructor;|} outside(x);
  return ready@ * 7 + x + y; }
