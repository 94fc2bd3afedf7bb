extern void reach_error(void);

int main(){ for(int i=0;i<2;i++){ switch(i){ int y; case 0: y=5; break; case 1: if(y!=5) reach_error(); } } return 0;}
