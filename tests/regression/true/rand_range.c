extern void reach_error(void);

extern int rand(void);
int main(){ int c=rand(); if(c<0) reach_error(); return 0;}
