"""Tokens of Lustre: one regular expression, one pass.

Comments are ``-- ...``, ``(* ... *)`` and ``/* ... */``; some of them are annotations and stay in
the stream of tokens: ``--%PROPERTY``, ``--!MAIN`` (also as block comments), and ``(*@contract ...
*)``, whose end is a token, too.
"""

from __future__ import annotations

import re

from obligato.errors import InputError
from obligato.frontends.tokens import Source, Token

KEYWORDS = frozenset(
    (
        "node",
        "function",
        "returns",
        "var",
        "let",
        "tel",
        "type",
        "datatype",
        "struct",
        "enum",
        "subrange",
        "of",
        "subtype",
        "set",
        "map",
        "const",
        "imported",
        "rec",
        "lemma",
        "opaque",
        "transparent",
        "contract",
        "import",
        "mode",
        "assume",
        "guarantee",
        "weakly",
        "require",
        "ensure",
        "con",
        "noc",
        "decreases",
        "assert",
        "check",
        "reachable",
        "provided",
        "invariant",
        "from",
        "within",
        "at",
        "bool",
        "int",
        "real",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "sint",
        "uint",
        "true",
        "false",
        "not",
        "and",
        "or",
        "xor",
        "if",
        "then",
        "else",
        "elsif",
        "fi",
        "when",
        "cond",
        "otherwise",
        "end",
        "frame",
        "pre",
        "fby",
        "last",
        "current",
        "condact",
        "activate",
        "initial",
        "default",
        "every",
        "restart",
        "merge",
        "div",
        "mod",
        "lsh",
        "rsh",
        "forall",
        "exists",
        "any",
        "choose",
        "in",
        "match",
        "with",
        "auto",
    )
)
# words that are names wherever a name can stand; they are keywords only where the grammar asks for
# them
SOFT = frozenset(
    (
        "from",
        "within",
        "at",
        "initial",
        "default",
        "end",
        "rec",
        "last",
        "cond",
        "otherwise",
        "in",
        "lemma",
        "opaque",
        "transparent",
        "auto",
        "con",
        "noc",
        "set",
        "map",
        "require",
        "ensure",
        "mode",
        "weakly",
        "decreases",
        "reachable",
        "provided",
        "invariant",
        "datatype",
        "fi",
        "frame",
    )
)

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n\f\v]+)
    |(?P<note>--[%!]\s*(?:PROPERTY|MAIN)\b|\(\*[%!]\s*(?:PROPERTY|MAIN)\b|/\*[%!]\s*(?:PROPERTY|MAIN)\b)
    |(?P<contract>\(\*@contract\b|/\*@contract\b)
    |(?P<comment>--[^\n]*|\(\*(?s:.*?)\*\)|/\*(?s:.*?)\*/)
    |(?P<close>\*\)|\*/)
    |(?P<real>\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+\.(?!\.)|\.\d+(?:[eE][+-]?\d+)?)
    |(?P<int>\d+)
    |(?P<word>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<string>"[^"\n]*")
    |(?P<op>==>|->|=>|<=|>=|<>|:=|::|&&|\|\||\.\.|[-+*/<>=()\[\]{},;:.^|!?@\#'%])
    """,
    re.VERBOSE,
)


def tokens(source: Source) -> list[Token]:
    """All tokens of a source, an `end` last. Raises InputError at a character that starts none.

    Their kinds are word, keyword, int, real, string, op, PROPERTY, MAIN, contract, close and end.
    """
    text, at, out, blocks = source.text, 0, list[Token](), 0
    while at < len(text):
        m = _TOKEN.match(text, at)
        if m is None:
            what = (
                "a comment that does not end"
                if text.startswith(("(*", "/*"), at)
                else f"character {text[at]!r}"
            )
            raise InputError(f"unexpected {what}", source.span(at))
        kind, lexeme = m.lastgroup or "", m.group()
        if kind == "close" and not blocks:
            kind, lexeme = "op", "*"
            out.append(Token(kind, lexeme, at))
            at += 1
            continue
        if kind not in ("space", "comment"):
            out.append(_token(kind, lexeme, at))
            if kind == "contract" or (kind == "note" and not lexeme.startswith("--")):
                blocks += 1
            elif kind == "close":
                blocks -= 1
        at = m.end()
    out.append(Token("end", "end of file", len(text)))
    return out


def _token(kind: str, lexeme: str, at: int) -> Token:
    if kind == "note":
        return Token("PROPERTY" if lexeme.endswith("Y") else "MAIN", lexeme, at)
    if kind == "word" and lexeme in KEYWORDS:
        return Token("keyword", lexeme, at)
    return Token(kind, lexeme, at)
