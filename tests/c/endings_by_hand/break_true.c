// property: termination
int main(void){int i=0; while(1){ i++; if(i>20) break; } return 0;}
