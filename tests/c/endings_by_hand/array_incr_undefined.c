// property: termination
int a[4]; int main(void){unsigned i=0; while(1){ a[i%4]++; i++; } }
