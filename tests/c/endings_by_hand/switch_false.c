// property: termination
int main(void){int s=0; while(1){ switch(s){case 0:s=1;break;case 1:s=2;break;case 2:s=0;break;default:return 0;} } }
