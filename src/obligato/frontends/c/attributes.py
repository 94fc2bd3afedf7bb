"""Attributes and pragmas, found among the tokens of the parser: what is not known to be harmless is
refused by name.

An attribute may change the layout of a type, the initial value of a variable, or make code run that
nothing calls.  So there is a list of those that change nothing of the kind, or that are modelled:
layout comes from the compiler (packed, aligned, mode), functions that do not return end a run, and
weak names are refused where they are used (entities.py). Unknown pragmas mean nothing to compilers;
those that do something are listed.
"""

from __future__ import annotations

import ctypes
import re
import struct

from obligato.errors import Unsupported
from obligato.frontends.c.libclang import CXToken
from obligato.frontends.c.source import Unit

HARMLESS = frozenset(
    (
        # modelled, or done by the parser
        "packed",
        "aligned",
        "mode",
        "noreturn",
        "weak",
        "transparent_union",
        "vector_size",
        "gcc_struct",
        # for optimisers and warnings
        "access",
        "alloc_align",
        "alloc_size",
        "always_inline",
        "artificial",
        "assume_aligned",
        "cold",
        "common",
        "const",
        "counted_by",
        "deprecated",
        "designated_init",
        "error",
        "externally_visible",
        "fallthrough",
        "fd_arg",
        "fd_arg_read",
        "fd_arg_write",
        "flag_enum",
        "flatten",
        "format",
        "format_arg",
        "gnu_inline",
        "hot",
        "leaf",
        "likely",
        "malloc",
        "may_alias",
        "maybe_unused",
        "no_icf",
        "no_instrument_function",
        "no_reorder",
        "no_sanitize",
        "no_sanitize_address",
        "no_sanitize_undefined",
        "no_split_stack",
        "no_stack_protector",
        "no_stack_limit",
        "noclone",
        "nocommon",
        "nodiscard",
        "noinline",
        "noipa",
        "nonnull",
        "nonstring",
        "noplt",
        "nothrow",
        "null_terminated_string_arg",
        "pure",
        "regparm",
        "reproducible",
        "retain",
        "returns_nonnull",
        "returns_twice",
        "sentinel",
        "stack_protect",
        "tls_model",
        "unavailable",
        "unlikely",
        "unsequenced",
        "unused",
        "used",
        "visibility",
        "warn_if_not_aligned",
        "warn_unused_result",
        "warning",
        # calling conventions
        "cdecl",
        "fastcall",
        "force_align_arg_pointer",
        "ms_abi",
        "sseregparm",
        "stdcall",
        "sysv_abi",
        "thiscall",
    )
)
ACTING_PRAGMAS = frozenset(
    (
        "weak",
        "redefine_extname",
        "scalar_storage_order",
        "ms_struct",
        "options",
        "align",
        "float_control",
        "clang fp",
        "STDC FENV_ROUND",
        "extern_prefix",
        "GCC optimize",
        "GCC target",
        "STDC CX_LIMITED_RANGE",
    )
)
_WORDS = ("__attribute__", "__attribute", "pragma", "_Pragma")
_SECTIONS = (
    ".data",
    ".bss",
    ".rodata",
    ".text",
)  # others may be lists of functions that run before or after main
_BRACKETS, _SPLICE = (
    re.compile(rb"\[\s*[\[/\\]|<:"),
    re.compile(rb"\\[ \t\v\f]*[\r\n]"),
)  # of [[, and inside a word
_PUNCTUATION, _KEYWORD, _IDENTIFIER, _COMMENT = 0, 1, 2, 4
_WORD_KINDS = (_KEYWORD, _IDENTIFIER)
_OPENING, _CLOSING = ("(", "[", "{", "<:"), (")", "]", "}", ":>")
# of CXToken: kind, location, length, unused; a pointer that tells the name
_TOKEN = struct.Struct("=IIIIQ")


def refuse_unmodelled(unit: Unit) -> None:
    """Raise for the first attribute or pragma that is not known to be harmless; a text without any
    sign of one has none.
    """
    text = unit.source.text
    brackets, spliced = _BRACKETS.search(text) is not None, _SPLICE.search(text) is not None
    if brackets or spliced or b"__attribute" in text or b"ragma" in text:
        _Tokens(unit).check(brackets)


class _Tokens:
    """The tokens of a file without its comments: four columns, and texts that are asked for
    once.
    """

    def __init__(self, unit: Unit) -> None:
        self.unit, self.lib = unit, unit.lib
        self._tokens, count = ctypes.POINTER(CXToken)(), ctypes.c_uint()
        everything = self.lib.getCursorExtent(self.lib.getTranslationUnitCursor(unit.tu))
        self.lib.tokenize(unit.tu, everything, ctypes.byref(self._tokens), ctypes.byref(count))
        self._total = count.value
        raw = ctypes.string_at(self._tokens, self._total * _TOKEN.size) if self._total else b""
        self._order = [
            (i, kind, at, length, name)
            for i, (kind, at, length, _, name) in enumerate(_TOKEN.iter_unpack(raw))
            if kind != _COMMENT
        ]
        self._names: dict[int, str] = {}
        ends = {self._offset(i) - at for i, _, at, _, _ in self._order[:1] + self._order[-1:]}
        self._start = ends.pop() if len(ends) == 1 else None  # of the file among all locations

    def check(self, brackets: bool) -> None:
        """Look at every word, and at every two brackets if there may be some."""
        try:
            words = {
                name: at
                for at, (_, kind, _, _, name) in enumerate(self._order)
                if kind in _WORD_KINDS
            }
            wanted = {name: self._at(at) for name, at in words.items() if self._at(at) in _WORDS}
            for at, (_, kind, _, _, name) in enumerate(self._order):
                if name in wanted and kind in _WORD_KINDS:
                    self._word(wanted[name], at)
                elif brackets and kind == _PUNCTUATION and self._opens(at - 1) and self._opens(at):
                    self._attributes(at)
        finally:
            self.lib.disposeTokens(self.unit.tu, self._tokens, self._total)

    def _offset(self, i: int) -> int:
        return self.lib.offset(self.lib.getTokenLocation(self.unit.tu, self._tokens[i]))

    def _opens(self, at: int) -> bool:
        return at >= 0 and self._order[at][1] == _PUNCTUATION and self._at(at) in ("[", "<:")

    def _at(self, at: int) -> str:
        """The text of a token."""
        if not 0 <= at < len(self._order):
            return ""
        i, kind, location, length, name = self._order[at]
        # longer: with a line break inside
        if kind == _PUNCTUATION and self._start is not None and length <= 3:
            return self.unit.source.text[
                self._start + location : self._start + location + length
            ].decode("latin-1")
        known = self._names.get(name) if kind in _WORD_KINDS else None
        if known is None:
            known = self.lib.text(self.lib.getTokenSpelling(self.unit.tu, self._tokens[i]))
            if kind in _WORD_KINDS:
                self._names[name] = known
        return known

    def _word(self, word: str, at: int) -> None:
        if word == "pragma":
            if self._at(at - 1) in ("#", "%:"):
                self._pragma([self._at(at + 1), self._at(at + 2)], at)
        elif word == "_Pragma":
            self._pragma(self._at(at + 2).strip('"').split()[:2], at)
        elif self._at(at + 1) == self._at(at + 2) == "(":
            self._attributes(at + 2)
        else:
            raise self._refusal("attribute in a macro", at)

    def _pragma(self, words: list[str], at: int) -> None:
        for name in (words[0] if words else "", " ".join(words)):
            if name in ACTING_PRAGMAS:
                raise self._refusal(f"pragma {name}", at)

    def _attributes(self, start: int) -> None:
        """The attributes of one list, which opens at `start`."""
        depth, at, first = 1, start + 1, True
        while depth and at < len(self._order):
            text = self._at(at)
            if text in _OPENING:
                depth += 1
            elif text in _CLOSING:
                depth -= 1
            elif depth == 1 and text == ",":
                first = True
            elif depth == 1 and first and self._at(at + 1) == "::":
                at += 1
            elif depth == 1 and first:
                self._attribute(text, at)
                first = False
            at += 1

    def _attribute(self, name: str, at: int) -> None:
        plain = name.removeprefix("__").removesuffix("__")
        if plain == "section":
            literal = self._at(at + 2).strip('"')
            if literal.isidentifier() or any(
                literal == s or literal.startswith(s + ".") for s in _SECTIONS
            ):
                return
        elif plain in HARMLESS:
            return
        raise self._refusal(f"attribute {plain}", at)

    def _refusal(self, construct: str, at: int) -> Unsupported:
        location = self.lib.getTokenLocation(self.unit.tu, self._tokens[self._order[at][0]])
        return Unsupported(f"{construct} is not supported", self.unit.span(location), construct)
