// expected: is not supported
int main(void) { __int128 x = 3; switch (x) { case 3: return 1; } return 0; }
