// property: termination
unsigned n; void tick(void){ n++; } int main(void){ while(1) tick(); }
