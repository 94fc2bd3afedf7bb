// property: termination
struct {int a; int b;} s; int main(void){ while(1){ s.a++; s.b=0; } }
