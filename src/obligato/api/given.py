"""Models that are given as Python objects instead of files: each is an input language of its own,
with one input.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from obligato.errors import ConfigError
from obligato.frontends.registry import InputKind, Language, language_of


@dataclass(frozen=True, slots=True)
class Given(Language):
    """The language of one model: whatever the file is called, `load` returns the model. Formulas
    are printed as in C.
    """

    model: Any = None

    def load(self, file: str | Path, **reading: Any) -> Any:
        """The model that was given, whatever the file is called."""
        return self.model


def given(model: Any) -> Given:
    """A program or a transition system as a language; the engines are those of IVL, and of BTOR2
    (bits) or VMT.
    """
    from obligato.models.transition_system import TransitionSystem
    from obligato.program.syntax import Program
    from obligato.terms import Kind

    if isinstance(model, Program):
        like = language_of("model.ivl")
        return Given(like.name, InputKind.PROGRAM, (), like.engine, like.properties, model=model)
    if isinstance(model, TransitionSystem):
        bits = all(x.sort.kind in (Kind.BOOL, Kind.BITVEC) for x in (*model.state, *model.inputs))
        engine = language_of("model.btor2" if bits else "model.vmt").engine
        return Given("vmt", InputKind.SYSTEM, (), engine, formula=C_TEXT, model=model)
    raise ConfigError(
        f"a Program or a TransitionSystem can be verified, not a {type(model).__name__}"
    )


C_TEXT = "obligato.terms.c_printer:c_text"


def language_for(file: str, model: Any) -> Language:
    """The language of a request's input."""
    return language_of(file) if model is None else given(model)
