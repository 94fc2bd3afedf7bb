static double half@(double d) { return d / 2; } static float third@ = 1.0f / 3;
static unsigned floats@(int x, int y) { double d = x * 0.5; float f = y; f = f * third@ + #{0.1|0.1f};
    d += half@(f); int k = (int)d; #{if (d < f) k = -k;|while (d > 1) { d /= 2; k++; }|k += (d == (float)d);}
    observe(k); return (unsigned)(k + (int)(f * 8)) + (d != d) + (f >= 0); }
