"""The text of a C program for those who write about it: where its statements and calls are, and
what fits where.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from obligato.errors import InputError
from obligato.frontends.c.linking import linked
from obligato.frontends.c.markers import Marker, instrumented
from obligato.frontends.c.nodes import Tree
from obligato.frontends.c.positions import Positions
from obligato.frontends.c.source import RECURSION_LIMIT, Source, parse, read_source, with_stack
from obligato.frontends.preprocessing import DEFAULT, Preprocessing


class Text:
    """A parsed program; close it, or use it in a `with` statement."""

    def __init__(self, path: Path, data_model: str, how: Preprocessing) -> None:
        self._data_model = data_model
        files = [path, *(Path(p) for p in how.others)]
        several = bool(how.others)
        self.source: Source = (
            with_stack(lambda: linked(files, data_model, how))
            if several
            else read_source(path, data_model, how)
        )
        self._unit = with_stack(lambda: parse(self.source, data_model))
        self._limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(self._limit, RECURSION_LIMIT))
        self.positions = with_stack(lambda: Positions(Tree(self._unit)))

    def accepts(self, markers: tuple[Marker, ...]) -> bool:
        """Is the program with these markers still C?"""
        try:
            source, _ = instrumented(self.source, self.positions, markers)
            with_stack(lambda: parse(source, self._data_model)).close()
        except InputError:
            return False
        return True

    def __enter__(self) -> Text:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        sys.setrecursionlimit(self._limit)
        self._unit.close()


def of_options(file: str, options: Mapping[str, Any]) -> Text:
    """The program in a file, read as the options of an outcome say."""
    how = Preprocessing.of_json(options["preprocessing"]) if "preprocessing" in options else DEFAULT
    return Text(Path(file), str(options.get("data_model", "LP64")), how)
