// property: termination
int n; void tick(void){ n++; } int main(void){ while(1) tick(); }
