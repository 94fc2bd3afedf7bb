// property: termination
int id(int x){ if(x<=0) return 0; return id(x-1); } int f(int x){ id(x); return f(x)+1; } int main(void){ return f(3); }
