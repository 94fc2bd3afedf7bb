"""Families of transition systems with arrays that are too large to be expanded: memories as
hardware and protocols have them.

Each family is a function of the bits of an index and of an element and of `bug`, which plants a
mistake; it gives a system as the library builds it. `TASKS` are forty members as BTOR2 or VMT, with
what is right. None holds or fails by the names in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from obligato import BOOL, SystemBuilder, array, ite, unsigned
from obligato.frontends.btor2.writer import btor2_text
from obligato.frontends.vmt.writer import vmt_text
from obligato.modelling.expressions import Expr


class Builder(SystemBuilder):
    """A builder with words, memories that hold the same everywhere at first, and variables that
    keep their value.
    """

    def word(self, name: str, bits: int, init: int | None = None) -> Expr:
        """A state variable of so many bits."""
        return self.state(name, unsigned(bits), init)

    def flag(self, name: str, init: bool = False) -> Expr:
        """A Boolean state variable."""
        return self.state(name, BOOL, init)

    def kept(self, name: str, bits: int) -> Expr:
        """A word that has any value at first, and keeps it."""
        x = self.word(name, bits)
        self.next(x, x)
        return x

    def given(self, name: str, bits: int = 0) -> Expr:
        """An input; of no bits: a Boolean."""
        return self.input(name, unsigned(bits) if bits else BOOL)

    def memory(self, name: str, index: int, element: int, init: int | None = None) -> Expr:
        """An array of words."""
        m = self.state(name, array(unsigned(index), unsigned(element)))
        if init is not None:
            store = m.term.store
            self.init(m == Expr(store.const_array(m.term.sort, store.bv(init, element)), m.type))
        return m


def written(memory: Expr, when: Expr, at: Expr, value: Expr) -> Expr:
    """The memory with `value` at a place if a condition holds."""
    return ite(when, memory.set(at, value), memory)


def register_file(i: int, e: int, bug: bool) -> Builder:
    """One address is shadowed by a register. Bug: the file is written when the address differs in
    its lowest bit only.
    """
    s = Builder("register file")
    m, shadow, a = s.memory("m", i, e, 0), s.word("shadow", e, 0), s.kept("a", i)
    we, at, value = s.given("we"), s.given("at", i), s.given("value", e)
    s.next(m, written(m, we, at, value))
    s.next(shadow, ite(we & (((at | 1) == (a | 1)) if bug else (at == a)), value, shadow))
    s.check(m[a] == shadow)
    return s


def read_after_write(i: int, e: int, bug: bool) -> Builder:
    """What was written last is read at its place. Bug: a second port writes what the first one
    remembers, elsewhere.
    """
    s = Builder("read after write")
    m, last = s.memory("m", i, e), s.word("last", i)
    data, known = s.word("data", e), s.flag("known")
    we, at, value, other = s.given("we"), s.given("at", i), s.given("value", e), s.given("other", i)
    second = s.given("second") & ~we & (other != last if not bug else other != last + 1)
    s.next(m, ite(we, m.set(at, value), written(m, second, other, value)))
    s.next(last, ite(we, at, last))
    s.next(data, ite(we, value, data))
    s.next(known, known | we)
    s.check(known.implies(m[last] == data))
    return s


def fifo(i: int, e: int, bug: bool, cells: int | None = None) -> Builder:
    """An element that goes in comes out as it was. Bug: one element too many fits."""
    s = Builder("fifo")
    size = cells or (1 << i) - 1
    m, rd = s.memory("m", i, e), s.word("rd", i, 0)
    wr, count = s.word("wr", i, 0), s.word("count", i + 1, 0)
    push, pop, value, pick = s.given("push"), s.given("pop"), s.given("value", e), s.given("pick")
    on, place, told = s.flag("on"), s.word("place", i), s.word("told", e)
    full = count == size + (1 if bug else 0)
    enter, leave = push & ~full, pop & (count != 0)
    chosen = enter & pick & ~on
    wrap = size - 1

    def after(x: Expr) -> Expr:
        return x + 1 if cells is None else ite(x == wrap, s.constant(0, x.type), x + 1)

    s.next(m, written(m, enter, wr, value))
    s.next(wr, ite(enter, after(wr), wr))
    s.next(rd, ite(leave, after(rd), rd))
    s.next(count, ite(enter & ~leave, count + 1, ite(leave & ~enter, count - 1, count)))
    s.next(on, (on | chosen) & ~(on & leave & (rd == place)))
    s.next(place, ite(chosen, wr, place))
    s.next(told, ite(chosen, value, told))
    s.check((on & leave & (rd == place)).implies(m[rd] == told))
    return s


def parity(i: int, e: int, bug: bool) -> Builder:
    """Each word has its complement beside it; what is read goes to registers. Bug: a clear forgets
    the complement.
    """
    s = Builder("complement")
    m, c = s.memory("m", i, e, 0), s.memory("c", i, e, (1 << e) - 1)
    x, y = s.word("x", e, 0), s.word("y", e, (1 << e) - 1)
    we, clear, at = s.given("we"), s.given("clear"), s.given("at", i)
    value, place, read = s.given("value", e), s.given("place", i), s.given("read")
    zero = value ^ value
    s.next(m, ite(we, m.set(at, value), written(m, clear, at, zero)))
    s.next(
        c, ite(we, c.set(at, ~value), written(c, clear & (at != 3) if bug else clear, at, ~zero))
    )
    s.next(x, ite(read, m[place], x))
    s.next(y, ite(read, c[place], y))
    s.check(x == ~y)
    return s


def stack(i: int, e: int, bug: bool) -> Builder:
    """An element is on top again when all above it are gone. Bug: a push onto a full stack of three
    is written all the same.
    """
    s = Builder("stack")
    m, top = s.memory("m", i, e), s.word("top", i, 0)
    push, pop, value, pick = s.given("push"), s.given("pop"), s.given("value", e), s.given("pick")
    on, place, told = s.flag("on"), s.word("place", i), s.word("told", e)
    full = top == (3 if bug else (1 << i) - 1)
    enter, leave = push & ~full, pop & ~push & (top != 0)
    chosen = enter & pick & ~on
    s.next(
        m,
        (
            ite(push & full, m.set(top - 1, value), written(m, enter, top, value))
            if bug
            else written(m, enter, top, value)
        ),
    )
    s.next(top, ite(enter, top + 1, ite(leave, top - 1, top)))
    s.next(on, (on | chosen) & ~(on & leave & (top == place + 1)))
    s.next(place, ite(chosen, top, place))
    s.next(told, ite(chosen, value, told))
    s.check((on & (top == place + 1)).implies(m[place] == told))
    return s


def cache(i: int, e: int, bug: bool, lines: int = 8) -> Builder:
    """A direct-mapped cache that writes through; a shadow of one address. Bug: writes from outside
    do not invalidate.
    """
    s = Builder("cache")
    tag_bits = i - lines
    m, data = s.memory("m", i, e, 0), s.memory("data", lines, e)
    tag, valid = s.memory("tag", lines, tag_bits), s.memory("valid", lines, 1, 0)
    a, shadow = s.kept("a", i), s.word("shadow", e, 0)
    op, at, value = s.given("op", 2), s.given("at", i), s.given("value", e)
    line, mark = at[lines - 1 : 0], at[i - 1 : lines]
    load, store_, outside = op == 1, op == 2, op == 3
    hit = (valid[line] == 1) & (tag[line] == mark)
    fill = load & ~hit
    s.next(m, written(m, store_ | outside, at, value))
    s.next(data, ite(fill, data.set(line, m[at]), written(data, store_ & hit, line, value)))
    s.next(tag, written(tag, fill, line, mark))
    one = s.constant(1, unsigned(1))
    s.next(
        valid,
        ite(
            fill,
            valid.set(line, one),
            valid if bug else written(valid, outside & hit, line, one - 1),
        ),
    )
    s.next(shadow, ite((store_ | outside) & (at == a), value, shadow))
    own, my = a[lines - 1 : 0], a[i - 1 : lines]
    s.check(((valid[own] == 1) & (tag[own] == my)).implies(data[own] == shadow))
    return s


def scoreboard(i: int, e: int, bug: bool) -> Builder:
    """A register has one writer at a time. Bug: a cancel frees a register whatever it waits for."""
    s = Builder("scoreboard")
    busy, r, count = s.memory("busy", i, 1, 0), s.kept("r", i), s.word("count", e, 0)
    op, at = s.given("op", 2), s.given("at", i)
    one, zero = s.constant(1, unsigned(1)), s.constant(0, unsigned(1))
    issue, done, cancel = (op == 1) & (busy[at] == 0), (op == 2) & (busy[at] == 1), op == 3
    s.next(
        busy,
        ite(
            issue,
            busy.set(at, one),
            ite(done, busy.set(at, zero), written(busy, cancel, at, zero) if bug else busy),
        ),
    )
    s.next(count, ite(issue & (at == r), count + 1, ite(done & (at == r), count - 1, count)))
    s.check(count <= 1)
    return s


def copied(i: int, e: int, bug: bool) -> Builder:
    """What was copied is equal, wherever one looks. Bug: a certain value is not copied."""
    s = Builder("copy")
    source, target, n = s.memory("source", i, e), s.memory("target", i, e), s.word("n", i, 0)
    go, look = s.given("go") & (n != (1 << i) - 1), s.given("look", i)
    s.next(source, source)
    s.next(target, written(target, go & (source[n] != 9) if bug else go, n, source[n]))
    s.next(n, ite(go, n + 1, n))
    s.check((look < n).implies(source[look] == target[look]))
    return s


def filled(i: int, e: int, bug: bool) -> Builder:
    """All cells below a mark hold what they were filled with. Bug: one looks at the mark itself."""
    s = Builder("fill")
    m, n, at = s.memory("m", i, e), s.word("n", i, 0), s.word("at", i, 0)
    seen, bad = s.word("seen", e, 5), s.given("go")
    go = bad & (n != (1 << i) - 1)
    s.next(m, written(m, go, n, s.constant(5, unsigned(e))))
    s.next(n, ite(go, n + 1, n))
    look = at <= n if bug else at < n
    s.next(at, ite(look, at + 1, at))
    s.next(seen, ite(look, m[at], seen))
    s.check(seen == 5)
    return s


def maximum(i: int, e: int, bug: bool) -> Builder:
    """No cell that was looked at is greater than the greatest. Bug: the comparison is strict at the
    wrong end.
    """
    s = Builder("maximum")
    m, n = s.memory("m", i, e), s.word("n", i, 0)
    best, look = s.word("best", e, 0), s.given("look", i)
    go = s.given("go") & (n != (1 << i) - 1)
    s.next(m, m)
    s.next(n, ite(go, n + 1, n))
    s.next(best, ite(go & (m[n] > (best + 1 if bug else best)), m[n], best))
    s.check((look < n).implies(m[look] <= best))
    return s


def sorted_log(i: int, e: int, bug: bool) -> Builder:
    """Only values that are not less than the last are appended, so any two are in order. Bug: the
    last one is not kept.
    """
    s = Builder("sorted log")
    m, n, last = s.memory("m", i, e), s.word("n", i, 0), s.word("last", e, 0)
    value, x, y = s.given("value", e), s.given("x", i), s.given("y", i)
    go = s.given("go") & (n != (1 << i) - 1) & (value >= last)
    s.next(m, written(m, go, n, value))
    s.next(n, ite(go, n + 1, n))
    s.next(last, ite(go & (value != 7) if bug else go, value, last))
    s.check(((x < y) & (y < n)).implies(m[x] <= m[y]))
    return s


def limited(i: int, e: int, bug: bool) -> Builder:
    """No account exceeds the limit. Bug: a transfer does not look at the limit."""
    s = Builder("accounts")
    m, limit = s.memory("m", i, e, 0), 1000
    at, other, value = s.given("at", i), s.given("other", i), s.given("value", e)
    op, look = s.given("op"), s.given("look", i)
    moved = m[at] >= value
    put = m[other] + value
    fits = (value <= limit) & (m[other] <= limit) & (put <= limit) & (at != other)
    paid = (value <= limit) & (m[at] + value <= limit)
    transfer = moved & (at != other) if bug else moved & fits
    s.next(m, ite(op, written(m, paid, at, m[at] + value), written(m, transfer, other, put)))
    s.check(m[look] <= limit)
    return s


def forwarding(i: int, e: int, bug: bool) -> Builder:
    """Writes wait in a buffer; reads look there first. Bug: they do so when the buffer is empty,
    too.
    """
    s = Builder("forwarding")
    m, shadow, a = s.memory("m", i, e, 0), s.word("shadow", e, 0), s.kept("a", i)
    full, place, held = s.flag("full"), s.word("place", i, 0), s.word("held", e, 0)
    mine, out, goal = s.flag("mine"), s.word("out", e, 0), s.word("goal", e, 0)
    we, at, value, read = s.given("we"), s.given("at", i), s.given("value", e), s.given("read")
    s.next(m, written(m, full, place, held))
    s.next(full, we)
    s.next(place, ite(we, at, place + 1 if bug else place))
    s.next(held, ite(we, value, held))
    s.next(shadow, ite(we & (at == a), value, shadow))
    forward = (place == a) if bug else full & (place == a)
    s.next(out, ite(read, ite(forward, held, m[a]), out))
    s.next(goal, ite(read, shadow, goal))
    s.next(mine, read)
    s.check(mine.implies(out == goal))
    return s


def numbered(i: int, e: int, bug: bool) -> Builder:
    """Each cell below the mark holds its number. Bug: a cell may be written twice, with the number
    of the mark.
    """
    s = Builder("numbers")
    m, n, look, at = s.memory("m", i, i), s.word("n", i, 0), s.given("look", i), s.given("at", i)
    go = s.given("go") & (n != (1 << i) - 1)
    again = s.given("again") & ~go & (at < n)
    s.next(m, ite(go, m.set(n, n), written(m, again, at, n if bug else at)))
    s.next(n, ite(go, n + 1, n))
    s.check((look < n).implies(m[look] == look))
    return s


def swapping(i: int, e: int, bug: bool) -> Builder:
    """All words are even, also after swaps. Bug: a swap that meets itself adds one."""
    s = Builder("swaps")
    m, seen = s.memory("m", i, e, 0), s.word("seen", e, 0)
    x, y, value, op = s.given("x", i), s.given("y", i), s.given("value", e), s.given("op")
    swapped = m.set(x, m[y]).set(y, ite(x == y, m[x] + 1, m[x]) if bug else m[x])
    s.next(m, ite(op, m.set(x, value & ((1 << e) - 2)), swapped))
    s.next(seen, m[x])
    s.check((seen & 1) == 0)
    return s


def chase(i: int, e: int, bug: bool) -> Builder:
    """A pointer that follows a table stays below a bound, as all entries do. Bug: the bound is
    checked one too late.
    """
    s = Builder("pointers")
    m, here, bound = s.memory("m", i, i, 0), s.word("here", i, 0), 1000
    we, at, value = s.given("we"), s.given("at", i), s.given("value", i)
    s.next(m, written(m, we & (value <= bound if bug else value < bound), at, value))
    s.next(here, m[here])
    s.check(here < bound)
    return s


def translation(i: int, e: int, bug: bool, lines: int = 7) -> Builder:
    """Entries of a buffer agree with the table that they were read from. Bug: the table changes
    under them.
    """
    s = Builder("translation")
    table, page = s.memory("table", i, e), s.memory("page", lines, i)
    frame = s.memory("frame", lines, e)
    valid = s.memory("valid", lines, 1, 0)
    fill, drop = s.given("fill"), s.given("drop")
    line, look = s.given("line", lines), s.given("look", lines)
    what, value = s.given("what", i), s.given("value", e)
    one = s.constant(1, unsigned(1))
    s.next(table, written(table, ~fill & ~drop, what, value) if bug else table)
    s.next(page, written(page, fill, line, what))
    s.next(frame, written(frame, fill, line, table[what]))
    s.next(valid, ite(fill, valid.set(line, one), written(valid, drop, line, one - 1)))
    s.check((valid[look] == 1).implies(frame[look] == table[page[look]]))
    return s


def twins(i: int, e: int, bug: bool) -> Builder:
    """Two memories that are written alike are equal. Bug: one of them misses a write to its last
    cell.
    """
    s = Builder("twins")
    a, b = s.memory("a", i, e, 0), s.memory("b", i, e, 0)
    we, at, value = s.given("we"), s.given("at", i), s.given("value", e)
    s.next(a, written(a, we, at, value))
    s.next(b, written(b, we & (at != (1 << i) - 1) if bug else we, at, value))
    s.check(a == b)
    return s


def locks(i: int, e: int, bug: bool) -> Builder:
    """A lock has one owner. Bug: the owner 1 may take any lock."""
    s = Builder("locks")
    owner, k, who = s.memory("owner", i, e, 0), s.kept("k", i), s.word("who", e, 0)
    take, at, me = s.given("take"), s.given("at", i), s.given("me", e)
    free = (owner[at] == 0) | (me == 1) if bug else owner[at] == 0
    taken, left = take & free & (me != 0), ~take & (owner[at] == me) & (me != 0)
    s.next(owner, ite(taken, owner.set(at, me), written(owner, left, at, me ^ me)))
    s.next(who, ite(taken & (at == k) & (who == 0), me, ite(left & (at == k), me ^ me, who)))
    s.check(who == owner[k])
    return s


@dataclass(frozen=True)
class Task:
    """A member of a family in a format, and what is right about it."""

    family: Callable[[int, int, bool], Builder]
    index: int
    element: int
    holds: bool
    format: str

    @property
    def name(self) -> str:
        """The name of its file."""
        verdict = "holds" if self.holds else "fails"
        return f"{self.family.__name__}_{self.index}x{self.element}_{verdict}.{self.format}"

    def text(self) -> str:
        """Its text."""
        system = self.family(self.index, self.element, not self.holds).build()
        return btor2_text(system) if self.format == "btor2" else vmt_text(system)


def bounded_fifo(i: int, e: int, bug: bool) -> Builder:
    """A FIFO of five cells in a larger memory."""
    return fifo(i, e, bug, 5)


_PAIRS: tuple[tuple[Callable[[int, int, bool], Builder], int, int], ...] = (
    (register_file, 32, 64),
    (read_after_write, 16, 32),
    (bounded_fifo, 16, 32),
    (parity, 32, 64),
    (stack, 16, 32),
    (cache, 32, 32),
    (scoreboard, 16, 4),
    (copied, 16, 32),
    (filled, 32, 16),
    (maximum, 16, 32),
    (sorted_log, 16, 16),
    (limited, 32, 32),
    (forwarding, 16, 64),
    (numbered, 32, 32),
    (swapping, 16, 32),
    (chase, 16, 16),
    (translation, 20, 24),
    (twins, 16, 64),
    (locks, 32, 8),
)
TASKS = (
    *(
        Task(family, i, e, holds, "btor2" if (n + holds) % 2 else "vmt")
        for n, (family, i, e) in enumerate(_PAIRS)
        for holds in (True, False)
    ),
    Task(fifo, 7, 64, True, "btor2"),
    Task(fifo, 16, 32, True, "vmt"),
)
