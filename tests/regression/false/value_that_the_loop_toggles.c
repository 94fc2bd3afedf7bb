// property: ltl: CHECK( init(main()), LTL( G("y==0") ) )
// After the violation the formula looks at nothing, but y must come back for the loop to be one.
int x = 0;
int main(void) {
    int y = 0;
    while (1) {
        y = x;
        x = !x;
    }
}
