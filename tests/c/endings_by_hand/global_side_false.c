// property: termination
int g; int step(void){ g^=1; return g; } int main(void){ while(step()||!g); return 0;}
