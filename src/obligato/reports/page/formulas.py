"""Formulas of the event log, which are SMT-LIB, in the language of the input,
so that its author can read them.

A picture (`api.drawing`) knows the sorts and the user's names of variables. What it does not know
(a program counter that an engine has made up, say) and what the language cannot say is left as it
is, without the bars around names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from obligato.errors import ObligatoError
from obligato.frontends.registry import find_language
from obligato.terms import Kind, Op, Term, TermStore
from obligato.terms.c_printer import c_text
from obligato.terms.printer import symbol, to_smtlib
from obligato.terms.smtlib import Scope, Source, TermReader, iter_sexprs

MOST = 160  # characters of one formula
MOST_OF_CLAUSE = 2000
LONGEST = 100_000  # characters of a formula that is read at all


class Readable:
    """Prints formulas over the variables of a picture, and their negations."""

    def __init__(self, picture: Mapping[str, Any], file: str) -> None:
        self.store = TermStore()
        self.scope = Scope.initial(self.store)
        self.names = {name: shown for name, (_, shown) in picture.get("variables", {}).items()}
        # hardware has no signs
        words = self.names if "inputs" in picture else picture.get("unsigned", ())
        self.unsigned = frozenset(words)
        language = find_language(file)
        self.printer = (language and language.hook("formula")) or c_text
        for name, (sort, _) in picture.get("variables", {}).items():
            (atom,) = iter_sexprs(Source(symbol(name)))
            self.scope.constants[str(atom)] = self.store.var(name, self._sort(sort))

    def _sort(self, text: str) -> Any:
        source = Source(text)
        (sexpr,) = iter_sexprs(source)
        return TermReader(self.store, self.scope, source).read_sort(sexpr)

    def pair(self, text: str) -> tuple[str, str]:
        """A formula and its negation."""
        term = self._term(text)
        if term is None:
            return _plain(text)
        return self._text(term, text), self._text(self.store.not_(term), f"not {text}")

    def conjuncts(self, text: str) -> list[str]:
        """The parts of a conjunction at its top."""
        term = self._term(text)
        if term is None:
            return [text.replace("|", "")]
        return [
            self._text(part, to_smtlib(part))
            for part in (term.args if term.op is Op.AND else (term,))
        ]

    def _bit(self, term: Term) -> tuple[str, str] | None:
        """x[3], or x if it has one bit, for a formula about a single bit of a word,
        and its negation."""
        if term.op is Op.NOT:
            bit = self._bit(term.args[0])
            return None if bit is None else bit[::-1]
        if (
            term.op is not Op.EQ
            or term.args[0].sort.kind is not Kind.BITVEC
            or term.args[0].sort.width != 1
        ):
            return None
        word, value = term.args if term.args[1].is_const else term.args[::-1]
        inner, index = (word.args[0], f"[{word.data[1]}]") if word.op is Op.EXTRACT else (word, "")  # type: ignore[index]
        if inner.op is not Op.VAR or not value.is_const:
            return None
        name = f"{self.names.get(inner.name, inner.name)}{index}"
        return (name, f"!{name}") if value.data else (f"!{name}", name)

    def _term(self, text: str) -> Term | None:
        if len(text) > LONGEST:
            return None
        source = Source(text)
        try:
            (sexpr,) = iter_sexprs(source)
            return TermReader(self.store, self.scope, source).read(sexpr)
        except (ObligatoError, ValueError):
            return None

    def _text(self, term: Term, smtlib: str) -> str:
        bit = self._bit(term)
        if bit is not None:
            return bit[0]
        # a clause over bits
        if term.op is Op.OR and any(self._bit(x) is not None for x in term.args):
            return clipped(
                " || ".join(self._text(x, to_smtlib(x)) for x in term.args), MOST_OF_CLAUSE
            )
        found: str | None = self.printer(term, self.names, self.unsigned)
        return clipped(smtlib.replace("|", "") if found is None else found)


_WORD = re.compile(r"\(= (\S+) #b([01]+)\)")


def _plain(text: str) -> tuple[str, str]:
    """A formula that is about other variables, and its negation."""
    word = _WORD.fullmatch(text)
    if word is not None:
        name, value = word[1].strip("|"), int(word[2], 2)
        return f"{name} = {value}", f"{name} != {value}"
    plain = text.replace("|", "")
    return clipped(plain), clipped(f"not {plain}")


def clipped(text: str, most: int = MOST) -> str:
    """The text, or its beginning."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
