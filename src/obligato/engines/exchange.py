"""What the engines of a portfolio tell each other, each about its own model.

News are about the input as it was read (`models.facts`). An `Exchange` is one engine's end: `out`
states formulas at locations of the engine's model about the input, `into` states a fact about the
model; where a model is made of another one, its exchange is made of that one's (`within`). The model
of an engine on transition systems has one location, 0.

Nothing that arrives is believed. Formulas are candidates, of which `kept` and `houdini` leave what is
inductive on the receiver's own model, and what is used becomes part of the certificate, which is
checked as a whole. A bound may only have a depth skipped where no claim depends on it. Moments to
tell and to hear are counted in questions to solvers, and so is the work for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from obligato.models.facts import Bound, Fact, News

if TYPE_CHECKING:
    from obligato.engines.environment import Environment
    from obligato.terms import Term

Formulas = Mapping[int, Sequence["Term"]]

EVERY = 100  # questions of a search between two moments to tell and to hear
FIRST = (
    200  # questions before lemmas are looked at for the first time, then twice as many each time
)
SHARE = 10  # one question for so many of the search may be asked to find what is inductive
LEAST = 20  # but so many at least
CALLS = 100  # of the solver, for what arrives at once or is sent at once
MOST = 300  # formulas that are sent, or tried, at once
AUTO = "auto"  # the solver that suits the sorts
LONGEST = 2000  # characters of a fact
SHORTEST = 4  # the least bound that is told; then those that are a quarter larger


class Mail:
    """A worker's letter box, and what it has sent and heard so far."""

    def __init__(
        self, inbox: Callable[[], Sequence[Sequence[News]]], send: Callable[[list[News]], None]
    ) -> None:
        self._inbox, self._send = inbox, send
        self._heard: list[News] = []
        self._sent: dict[News, None] = {}

    def heard(self) -> Sequence[News]:
        """All that has arrived."""
        for message in self._inbox():
            self._heard += message
        return self._heard

    def send(self, news: Iterable[News]) -> int:
        """Send what has not been sent or heard before; how many that are."""
        old = {*self._sent, *self._heard}
        new = [n for n in dict.fromkeys(news) if n not in old]
        self._sent |= dict.fromkeys(new)
        if new:
            self._send(new)
        return len(new)


class Exchange:
    """One engine's end. `about`: the properties that its bounds are about; none where a step of the
    engine is no transition of the input.
    """

    def __init__(
        self,
        mail: Mail,
        out: Callable[[Formulas], list[Fact]],
        into: Callable[[Fact], Formulas],
        about: tuple[str, ...] = (),
    ) -> None:
        self.mail, self.out, self.into, self.about = mail, out, into, about
        self._next, self._due = EVERY, FIRST
        self._read, self._told = 0, SHORTEST - 1
        self.bound = -1  # the largest that was heard

    def within(
        self, out: Callable[[Formulas], Formulas], into: Callable[[Formulas], Formulas]
    ) -> Exchange:
        """The exchange of an engine on a model that is made of this one's."""
        return Exchange(self.mail, lambda fs: self.out(out(fs)), lambda fact: into(self.into(fact)))

    def tell(self, formulas: Formulas, env: Environment) -> None:
        """Send formulas that hold whenever their location is reached."""
        some = {loc: list(fs)[:MOST] for loc, fs in formulas.items() if fs}
        facts = [f for f in self.out(some) if len(f.formula) <= LONGEST] if some else []
        env.count("facts_sent", self.mail.send(facts[:MOST]))

    def tell_bound(self, steps: int, env: Environment) -> None:
        """Send that no run of so many transitions is a violation, if that is much more than before."""
        if self.about and steps > self._told:
            self._told = steps + steps // 4
            env.count("bounds_sent", self.mail.send([Bound(steps, self.about)]))

    def hear(self, env: Environment) -> dict[int, list[Term]]:
        """What has arrived since the last time: candidates by location; `bound` is up to date."""
        heard = self.mail.heard()
        new, self._read = heard[self._read :], len(heard)
        found: dict[int, dict[Term, None]] = {}
        for news in new:
            if isinstance(news, Fact):
                env.count("facts_arrived")
                for loc, formulas in self.into(news).items():
                    found.setdefault(loc, {}).update(dict.fromkeys(formulas))
            elif self.about and set(self.about) <= set(news.properties):
                self.bound = max(self.bound, news.steps)
        return {loc: list(fs)[:MOST] for loc, fs in found.items() if fs}

    def due(self, env: Environment, share: Callable[[], None]) -> bool:
        """Tell and hear by `share`, if the search has asked enough questions since the last time; was
        it time?
        """
        if env.questions < self._next:
            return False
        share()
        self._next = env.questions + EVERY  # without those of `share`
        return True

    def allowance(self, env: Environment) -> int:
        """How many questions may be asked now to find what is inductive, and can be told; 0: it is
        not yet time again.
        """
        if env.questions < self._due:
            return 0
        self._due = 2 * env.questions
        return min(CALLS, max(LEAST, env.questions // SHARE))


@contextmanager
def silent(env: Environment) -> Iterator[None]:
    """Inside, nothing is told or heard: the model's formulas are not the input's."""
    before, env.exchange = env.exchange, None
    try:
        yield
    finally:
        env.exchange = before
