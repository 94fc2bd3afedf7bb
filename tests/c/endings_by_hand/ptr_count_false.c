// property: termination
int main(void){int x=3; int*p=&x; while(*p>0){ int q=*p; *p=q-1; if(q==2) x=3; } return 0;}
