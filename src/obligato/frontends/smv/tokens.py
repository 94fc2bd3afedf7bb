"""Tokens of SMV: one regular expression, one pass.

A name may hold `-`, `$`, `#` and `\\` inside, so `x-1` is one name; nuXmv's quoted names lose their
quotes. Comments are `--` to the end of the line and `/-- ... --/`. A number such as `0sd8_5` is a
word: its sign, base, width and digits.
"""

from __future__ import annotations

import re

from obligato.errors import InputError, Unsupported
from obligato.frontends.tokens import Source, Token

SECTIONS = frozenset(
    (
        "MODULE",
        "VAR",
        "IVAR",
        "FROZENVAR",
        "DEFINE",
        "CONSTANTS",
        "ASSIGN",
        "INIT",
        "TRANS",
        "INVAR",
        "FAIRNESS",
        "JUSTICE",
        "COMPASSION",
        "SPEC",
        "CTLSPEC",
        "LTLSPEC",
        "INVARSPEC",
        "COMPUTE",
        "PSLSPEC",
        "ISA",
        "PRED",
        "MIRROR",
        "GOTO",
        "CONSTRAINT",
        "SIMPWFF",
        "LTLWFF",
        "CTLWFF",
        "PSLWFF",
        "COMPWFF",
        "COMPID",
        "FUN",
        "PARSYNTH",
        "VALIDATION",
        "ITYPE",
        "DEFINE-ITYPE",
        "TIME_DOMAIN_DECLARATION",
    )
)
FUNCTIONS = frozenset(
    [
        "word1",
        "bool",
        "signed",
        "unsigned",
        "extend",
        "resize",
        "sizeof",
        "uwconst",
        "swconst",
        "toint",
        "count",
        "floor",
        "abs",
        "max",
        "min",
        "READ",
        "WRITE",
        "CONSTARRAY",
    ]
)
KEYWORDS = (
    SECTIONS
    | FUNCTIONS
    | frozenset(
        (
            "array",
            "of",
            "boolean",
            "integer",
            "real",
            "word",
            "typeof",
            "process",
            "case",
            "esac",
            "next",
            "init",
            "union",
            "in",
            "mod",
            "xor",
            "xnor",
            "self",
            "TRUE",
            "FALSE",
            "MIN",
            "MAX",
            "clock",
            "EX",
            "AX",
            "EF",
            "AF",
            "EG",
            "AG",
            "E",
            "A",
            "EBF",
            "ABF",
            "EBG",
            "ABG",
            "BU",
            "X",
            "F",
            "G",
            "U",
            "V",
            "Y",
            "Z",
            "H",
            "O",
            "S",
            "T",
        )
    )
)
# words of nuXmv's functions, which are names where no parenthesis follows
SOFT = frozenset(
    (
        "floor",
        "abs",
        "max",
        "min",
        "count",
        "sizeof",
        "clock",
        "typeof",
        "READ",
        "WRITE",
        "CONSTARRAY",
        "extend",
        "resize",
        "signed",
        "unsigned",
    )
)

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n\f\v]+)
    |(?P<comment>/--(?s:.*?)--/|--[^\n]*)
    |(?P<word>0[us]?[bBdDoOhH]\d*_[0-9a-fA-F_]+)
    |(?P<real>[fF]'-?\d+/\d+|\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)
    |(?P<int>\d+)
    |(?P<name>[A-Za-z_][A-Za-z0-9_$\#\\-]*|"[^"\n]+")
    |(?P<op><->|->|:=|::|<<|>>|<=|>=|!=|\.\.|[-+*/<>=()\[\]{},;:.!&|?@])
    """,
    re.VERBOSE | re.ASCII,
)


_MARKS = "'@"  # of next states and of time, in names of variables
_OPENS = re.compile(r"\s*(?:\(|word\b)")


def tokens(source: Source) -> list[Token]:
    """All tokens of a source, an `end` last. Raises InputError at a character that starts none.

    Their kinds are name, keyword, int, real, word, op and end.
    """
    text, at, out = source.text, 0, list[Token]()
    while at < len(text):
        m = _TOKEN.match(text, at)
        if m is None:
            raise InputError(f"unexpected character {text[at]!r}", source.span(at))
        kind, lexeme = m.lastgroup or "", m.group()
        at = m.end()
        if kind == "name":
            if lexeme in KEYWORDS and not (lexeme in SOFT and not _OPENS.match(text, at)):
                kind = "keyword"
            if lexeme.startswith('"') and any(c in lexeme for c in _MARKS):
                raise Unsupported(
                    f"a name with one of {_MARKS} is not supported", source.span(m.start()), "name"
                )
            lexeme = lexeme.strip('"')
        if kind not in ("space", "comment"):
            out.append(Token(kind, lexeme, m.start()))
    out.append(Token("end", "end of file", len(text)))
    return out
