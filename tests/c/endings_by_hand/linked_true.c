// property: termination
struct n{struct n*next;}; int main(void){struct n a,b; a.next=&b; b.next=0; struct n*p=&a; while(p) p=p->next; return 0;}
