// property: termination
struct{unsigned a:3;}s; int main(void){s.a=1; while(s.a) s.a++; return 0;}
