// property: termination
int main(void){unsigned char c=0; do { c+=5; } while(c!=0); return 0;}
