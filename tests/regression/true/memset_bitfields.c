extern void reach_error(void);

extern void*memset(void*,int,unsigned); struct S{unsigned a:4; unsigned b:4; unsigned c:8;};
int main(){ struct S s; memset(&s,0x0F,sizeof s); if(s.a!=15||s.b!=0||s.c!=15) reach_error(); return 0;}
