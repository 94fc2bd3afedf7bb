// property: termination
#include <assert.h>
int main(void){int x=0; while(1){ x++; assert(x<10);} }
