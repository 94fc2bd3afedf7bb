extern void reach_error(void);

struct S{int a[4]; int z;};
int main(){ struct S s={.a[1]=5,6,7}; if(s.a[1]!=5||s.a[2]!=6||s.a[3]!=7||s.z!=0) reach_error(); return 0;}
