extern void reach_error(void);

int main(){ for(int i=0;i<2;i++){ if(i==1) goto L; int y=5; y++; L: if(i==1&&y!=6) reach_error(); } return 0;}
