"""Examples in the help of commands: a line each, as it is typed, with what it is for."""

from __future__ import annotations

VERBATIM = "\b\n"  # what follows, up to an empty line, is not wrapped


def examples(*lines: tuple[str, str], after: str = "") -> str:
    """The end of a command's help."""
    shown = "\n".join(f"  {command}\n      {about}" for command, about in lines)
    return f"{VERBATIM}Examples:\n{shown}" + (f"\n\n{after}" if after else "")
