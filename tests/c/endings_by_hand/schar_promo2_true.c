// property: termination
int main(void){signed char c=0; while(c+100<200) c++; return 0;}
