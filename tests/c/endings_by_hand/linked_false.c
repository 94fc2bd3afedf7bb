// property: termination
struct n{struct n*next;}; int main(void){struct n a,b; a.next=&b; b.next=&a; struct n*p=&a; while(p) p=p->next; return 0;}
