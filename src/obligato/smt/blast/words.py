"""Circuits on words: a word is a tuple of literals,
least significant first (two's complement, SMT-LIB semantics).

Adders ripple; a sum takes its addends with signs, a subtraction is the complement plus one carried
in. Products are shifted sums, with a constant factor recoded to few signed digits. Division is the
restoring divider; division by zero needs no case: its quotient comes out as all ones and its
remainder as the dividend, as SMT-LIB wants. Shifts by a variable are barrel shifters.
"""

from __future__ import annotations

from collections.abc import Sequence

from obligato.smt.blast.gates import Gates

Word = tuple[int, ...]


def constant(value: int, width: int) -> Word:
    """The word of a number."""
    return tuple([1 if value >> i & 1 else -1 for i in range(width)])


def invert(a: Word) -> Word:
    """Bitwise complement."""
    return tuple([-x for x in a])


def add(g: Gates, a: Word, b: Word, carry: int = -1) -> tuple[Word, int]:
    """a + b + carry, and the carry out."""
    xor3, maj = g.xor3, g.maj
    out = []
    for x, y in zip(a, b, strict=True):
        out.append(xor3(x, y, carry))
        carry = maj(x, y, carry)
    return tuple(out), carry


def negate(g: Gates, a: Word) -> Word:
    """-a."""
    return add(g, invert(a), constant(0, len(a)), 1)[0]


def weighted_sum(g: Gates, parts: Sequence[tuple[int, Word]], offset: int, width: int) -> Word:
    """The sum of c * word over `parts`, plus `offset`:
    plain addends first, so that sums share their common prefix."""
    addends = [shifted for c, word in parts for shifted in _digits(c, word, width)]
    acc: Word | None = None
    for negative, word in sorted(addends, key=lambda signed: signed[0]):
        if acc is not None:
            acc = add(g, acc, invert(word), 1)[0] if negative else add(g, acc, word)[0]
        elif negative:
            acc, offset = invert(word), offset + 1
        else:
            acc = word
    offset &= (1 << width) - 1
    if acc is None:
        return constant(offset, width)
    return add(g, acc, constant(offset, width))[0] if offset else acc


def _digits(c: int, word: Word, width: int) -> list[tuple[bool, Word]]:
    """c * word as signed shifts of word: c in non-adjacent form."""
    c &= (1 << width) - 1
    out: list[tuple[bool, Word]] = []
    shift = 0
    while c and shift < width:
        if c & 1:
            negative = c & 3 == 3
            out.append((negative, _shift_up(word, shift)))
            c += 1 if negative else -1
        c >>= 1
        shift += 1
    return out


def _shift_up(word: Word, by: int) -> Word:
    return (-1,) * by + word[: len(word) - by]


def multiply(g: Gates, a: Word, b: Word) -> Word:
    """a * b modulo 2^width; the operand with more constant bits selects the rows."""
    if sum(abs(x) == 1 for x in a) > sum(abs(x) == 1 for x in b):
        a, b = b, a
    width, and_ = len(a), g.and_
    acc = constant(0, width)
    for i, y in enumerate(b):
        if y == -1:
            continue
        row = tuple([and_(x, y) for x in a[: width - i]])
        acc = acc[:i] + add(g, acc[i:], row)[0]
    return acc


def divide(g: Gates, a: Word, b: Word) -> tuple[Word, Word]:
    """Unsigned quotient and remainder; by zero: all ones and a."""
    width = len(a)
    power = _power_of_two(b)
    if power is not None:
        return a[power:] + (-1,) * power, a[:power] + (-1,) * (width - power)
    minus_b = invert((*b, -1))
    quotient: list[int] = []
    rest = constant(0, width)
    for bit in reversed(a):
        rest = (bit, *rest)  # one bit wider: rest < 2 * b, or anything if b = 0
        difference, not_less = add(g, rest, minus_b, 1)
        quotient.append(not_less)
        rest = select(g, not_less, difference, rest)[:width]
    result = tuple(reversed(quotient))
    # the remainder is less than the divisor
    g.tell(g.or_(less(g, rest, b, False), -g.any_of(b)), rest)
    g.tell(-less(g, a, rest, False), rest)  # and not more than the dividend
    # nor is the quotient, but by zero
    g.tell(g.or_(-less(g, a, result, False), -g.any_of(b)), result)
    return result, rest


def _power_of_two(b: Word) -> int | None:
    ones = [i for i, x in enumerate(b) if x != -1]
    return ones[0] if len(ones) == 1 and b[ones[0]] == 1 else None


def select(g: Gates, c: int, a: Word, b: Word) -> Word:
    """c ? a : b."""
    ite = g.ite
    return tuple([ite(c, x, y) for x, y in zip(a, b, strict=True)])


def magnitude(g: Gates, a: Word) -> Word:
    """|a| as an unsigned word."""
    return select(g, a[-1], negate(g, a), a)


def signed_divide(g: Gates, a: Word, b: Word) -> Word:
    """The quotient truncated towards zero."""
    quotient = divide(g, magnitude(g, a), magnitude(g, b))[0]
    return select(g, g.xor(a[-1], b[-1]), negate(g, quotient), quotient)


def signed_remainder(g: Gates, a: Word, b: Word) -> Word:
    """The remainder with the dividend's sign."""
    rest = divide(g, magnitude(g, a), magnitude(g, b))[1]
    return select(g, a[-1], negate(g, rest), rest)


def signed_modulo(g: Gates, a: Word, b: Word) -> Word:
    """The remainder with the divisor's sign:
    the truncated one, plus b where it is not zero and the signs differ."""
    rest = signed_remainder(g, a, b)
    correct = g.and_(g.any_of(rest), g.xor(a[-1], b[-1]))
    return add(g, rest, tuple([g.and_(correct, x) for x in b]))[0]


def shift(g: Gates, a: Word, amount: Word, fill: int, left: bool) -> Word:
    """a shifted by a variable amount;
    `fill` comes in (0 or the sign), and all of it if the amount is too large."""
    width, ite = len(a), g.ite
    word = tuple(reversed(a)) if left else a
    stages = (width - 1).bit_length()
    for i, c in enumerate(amount[:stages]):
        by = 1 << i
        moved = word[by:] + (fill,) * by
        word = tuple([ite(c, x, y) for x, y in zip(moved, word, strict=True)])
    too_large = g.any_of(amount[stages:])
    word = tuple([ite(too_large, fill, x) for x in word])
    return tuple(reversed(word)) if left else word


def equal(g: Gates, a: Word, b: Word) -> int:
    """a = b."""
    xor = g.xor
    return g.all_of([-xor(x, y) for x, y in zip(a, b, strict=True)])


def less(g: Gates, a: Word, b: Word, signed: bool) -> int:
    """a < b: from the low end, a bit decides where the operands differ in it,
    else what was below does."""
    if signed:
        a, b = (*a[:-1], -a[-1]), (*b[:-1], -b[-1])
    if all(x == 1 or x == -1 for x in b):
        return _less_constant(g, a, b)
    maj = g.maj
    below = -1
    for x, y in zip(a, b, strict=True):
        below = maj(-x, y, below)
    return below


def _less_constant(g: Gates, a: Word, b: Word) -> int:
    """a < k with one gate per run of equal bits of k."""
    below, run = -1, [-a[0]]
    for i in range(1, len(a) + 1):
        if i == len(a) or b[i] != b[i - 1]:
            below = g.any_of([*run, below]) if b[i - 1] == 1 else g.all_of([*run, below])
            run = []
        if i < len(a):
            run.append(-a[i])
    return below
