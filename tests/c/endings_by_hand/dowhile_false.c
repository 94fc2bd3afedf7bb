// property: termination
int main(void){unsigned char c=1; do { c+=2; } while(c!=0); return 0;}
