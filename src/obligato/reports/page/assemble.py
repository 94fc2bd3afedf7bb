"""One HTML page from a template, styles, scripts and data; it refers to nothing outside itself.

What comes from an input is in the page only as JSON in a data block, in which no character has a
meaning for HTML; the scripts put it into the page as text. The policy in the head lets run the
page's own scripts only, which it names by their hashes, and forbids every connection, so that
nothing in an input can become code or be sent anywhere.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from obligato.reports.json_report import json_text

_SPECIAL = {ord(c): f"\\u{ord(c):04x}" for c in "<>&'\u2028\u2029\x7f"}


def assemble(title: str, data: Any, styles: Sequence[str], scripts: Sequence[str]) -> str:
    """The page; `styles` and `scripts` are names of files in `assets`."""
    style = "\n".join(map(_asset, styles))
    script = '(() => {\n"use strict";\n' + "\n".join(map(_asset, scripts)) + "\n})();"
    parts = {
        "POLICY": _policy(style, script),
        "TITLE": escape(title),
        "STYLE": style,
        "DATA": embedded(data),
        "SCRIPT": script,
    }
    first, *rest = _asset("page.html").split("{{")
    return "".join(
        [first, *(parts[name] + text for name, text in (x.split("}}", 1) for x in rest))]
    )


def embedded(data: Any) -> str:
    """Data as JSON that may stand in a script element, whatever its texts are."""
    return compact(data).translate(_SPECIAL)


def compact(data: Any) -> str:
    """JSON without spaces; numbers of any length, and what JSON cannot say as a text."""
    try:
        return json.dumps(data, separators=(",", ":"), default=str)
    except ValueError:  # a number of thousands of digits
        return json_text(data)


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src"
        " data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _asset(name: str) -> str:
    return files(__package__).joinpath("assets", name).read_text(encoding="utf-8").strip()
