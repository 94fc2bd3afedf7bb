"""Text of the input in reports of other formats:
names, statements and messages may hold anything."""

from __future__ import annotations

import re

# What XML 1.0 cannot hold, not even as a character reference.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """The text without characters that XML cannot hold: they are written as in Python.
    Markup is escaped by who writes XML."""
    return _NOT_XML.sub(lambda m: f"\\x{ord(m[0]):02x}", text)


def plain_name(name: str) -> str:
    """A name for formats that separate words by blanks:
    visible ASCII, and no $ at its beginning."""
    text = "".join(c if "!" <= c <= "~" else "_" for c in name)
    return f"_{text[1:]}" if text.startswith("$") else text or "_"
