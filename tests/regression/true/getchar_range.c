extern void reach_error(void);

extern int getchar(void);
int main(){ int c=getchar(); if(c>300) reach_error(); return 0;}
