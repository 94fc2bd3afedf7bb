/* What may happen to the driver: bytes arrive and the main loop runs, in any order, for ever. */
#include <assert.h>

#include "uart.h"

extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);

static uart_t uart;

int main(void)
{
    uart_init(&uart);
    for (;;) {
        if (__VERIFIER_nondet_bool()) {
            uart_receive_isr(&uart, __VERIFIER_nondet_uchar());
        } else {
            uart_poll(&uart);
        }
        /* the ring: no byte more than it has room for, and the indices agree with the count */
        assert(uart.rx.count <= RING_SIZE);
        assert(((uart.rx.tail + uart.rx.count) & (RING_SIZE - 1u)) == uart.rx.head);
        /* the parser: never more bytes than announced, which are no more than there is room for */
        assert(uart.parser.length <= FRAME_MAX);
        assert(uart.parser.state != WAIT_PAYLOAD || uart.parser.received < uart.parser.length);
        assert(uart.parser.state == WAIT_PAYLOAD || uart.parser.state == WAIT_CHECKSUM || uart.parser.received == 0u);
    }
}
