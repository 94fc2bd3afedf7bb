extern void abort(void); extern void reach_error(void);
int main(){ void(*p)(void)=abort; p(); reach_error(); return 0;}
