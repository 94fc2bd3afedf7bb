// property: termination
int a[4]; int main(void){unsigned i=0; while(1){ if(a[i%4]<5) a[i%4]++; i++; } }
