// property: termination
int main(void){int i=0,j=0; a: i++; b: j++; if(j%3) goto b; if(i<5) goto a; return 0;}
