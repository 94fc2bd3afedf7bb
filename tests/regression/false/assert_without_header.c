extern void assert(int);
int main(){ assert(0); return 0;}
