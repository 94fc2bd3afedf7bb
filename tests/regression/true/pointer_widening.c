// data model: ILP32
extern void reach_error(void);

int main(){ char*p=(char*)0xFFFFFFFFu; long long x=(long long)p; if(x!=-1) reach_error(); return 0;}
