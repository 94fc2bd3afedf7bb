/* No loop is left, and no state comes back soon: what is tested inside decides nothing. */
int main(void)
{
    int i = 0, j = 0;
    while (1) {
        if (j == i) {
            j = 0;
            i++;
            if (i > 100000)
                i = 0;
        } else {
            j++;
        }
    }
    return 0;
}
