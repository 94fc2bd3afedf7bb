enum state@ { IDLE@, #{RUN@ = 4|RUN@}, WAIT@, #{DONE@ = -1|DONE@} };
static enum state@ step@(enum state@ s, int c) { switch (s) { case IDLE@: return c & 1 ? RUN@ : IDLE@;
    case RUN@: if (c > 2) return WAIT@; #{/* falls through */|break;|return DONE@;}
  case WAIT@: return c == 0 ? DONE@ : c < 4 ? RUN@ : WAIT@;
    #{default: return DONE@;|case DONE@: return IDLE@;} } return IDLE@; }
static unsigned machine@(int x, int y) { enum state@ s = IDLE@; int i, seen = 0; for (i = 0; i < #{5|6}; i++)
    { s = step@(s, (x >> i) & 7); seen = seen * 5 + (int)s; if (s == DONE@ && y & 1) #{break|continue};
    seen ^= i; } return seen; }
