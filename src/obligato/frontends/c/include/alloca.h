#ifndef OBLIGATO_ALLOCA_H
#define OBLIGATO_ALLOCA_H
#include <stddef.h>
void *alloca(size_t);
#endif
