"""The text of a C program for those who write about it: where its statements and calls are, and
what fits where.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from obligato.errors import InputError
from obligato.frontends.c.linking import linked, marks
from obligato.frontends.c.markers import Marker, instrumented
from obligato.frontends.c.nodes import Tree
from obligato.frontends.c.positions import Positions
from obligato.frontends.c.source import RECURSION_LIMIT, Source, parse, read_source, with_stack
from obligato.frontends.preprocessing import DEFAULT, Preprocessing

_NO_NAME = re.compile(
    r"\b[0-9][\w.]*|\b__builtin_\w+|\b(?:unsigned|signed|char|short|int|long|float|double)\b"
)
_NAME = re.compile(r"[A-Za-z_]\w*")


class Text:
    """A parsed program; close it, or use it in a `with` statement."""

    def __init__(self, path: Path, data_model: str, how: Preprocessing) -> None:
        self._data_model = data_model
        files = [path, *(Path(p) for p in how.others)]
        several = bool(how.others)
        self._marks = dict(zip(map(str, files), marks(files), strict=True)) if several else {}
        self._words: dict[str, frozenset[str]] = {}  # by file, of several
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
        """Is the program with these markers still C, as the user has written it?"""
        if self._marks and not all(self._is_known(m) for m in markers):
            return False
        try:
            source, _ = instrumented(self.source, self.positions, markers)
            with_stack(lambda: parse(source, self._data_model)).close()
        except InputError:
            return False
        return True

    def written(self, text: str, file: str) -> str:
        """An expression, or a name, as the user's file has it: where several files are put together,
        names that only one of them knows have got that of their file.
        """
        mark = self._marks.get(file)
        return text if mark is None else re.sub(rf"{mark}\b", "", text)

    def _is_known(self, marker: Marker) -> bool:
        """Has the user's file, of several, the names in the text of a marker?"""
        if marker.file not in self._words:
            file = Path(marker.file)
            text = file.read_text(encoding="latin-1") if file.is_file() else ""
            self._words[marker.file] = frozenset(_NAME.findall(text))
        names = _NAME.findall(_NO_NAME.sub("", self.written(marker.text, marker.file)))
        return self._words[marker.file].issuperset(names)

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
