// property: termination
int a[8]; int main(void){int*p=a; while(p<a+8){ *p=1; if(p==a+3) p=a; p++; } return 0;}
