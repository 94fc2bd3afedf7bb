// property: termination
int main(void){char c='a'; while(c!=200) c++; return 0;}
