// expected: two stores to one place
extern void reach_error(void);
union number { int whole; short half; } u;
struct pair { int first; union number second; } p;

int main(void)
{
    p.second.whole = p.second.half++;
    if (p.second.whole == 0)
        reach_error();
    return 0;
}
