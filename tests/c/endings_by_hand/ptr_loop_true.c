// property: termination
int a[8]; int main(void){int*p=a; while(p<a+8) *p++=1; return 0;}
