#ifndef OBLIGATO_STDNORETURN_H
#define OBLIGATO_STDNORETURN_H
#define noreturn _Noreturn
#endif
