void __assert_fail(void); void reach_error(void){ __assert_fail(); }
int main(){ void(*p)(void)=reach_error; p(); return 0;}
