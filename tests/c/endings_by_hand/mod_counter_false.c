// property: termination
int main(void){unsigned i=0; int a[4]={0}; while(1){ a[i%4]=1; i++; } }
