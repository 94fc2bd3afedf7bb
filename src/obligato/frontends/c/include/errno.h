#ifndef OBLIGATO_ERRNO_H
#define OBLIGATO_ERRNO_H
/* Not a variable: functions without a model, and those of <math.h>, may change it. */
extern int *__errno_location(void);
#define errno (*__errno_location())
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EBADF 9
#define EAGAIN 11
#define ENOMEM 12
#define EACCES 13
#define EFAULT 14
#define EBUSY 16
#define EEXIST 17
#define ENODEV 19
#define EINVAL 22
#define EMFILE 24
#define ENOSPC 28
#define EPIPE 32
#define EDOM 33
#define ERANGE 34
#define ENOSYS 38
#define ETIMEDOUT 110
#define EILSEQ 84
#endif
