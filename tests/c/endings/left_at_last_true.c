/* The same with a way out at the end. */
int main(void)
{
    unsigned char i = 0, j = 0;
    while (1) {
        if (j == i) {
            j = 0;
            i++;
            if (i > 200)
                break;
        } else {
            j++;
        }
    }
    return 0;
}
