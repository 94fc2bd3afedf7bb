"""The command line, run in this process."""

from __future__ import annotations

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from unittest.mock import patch

import pytest

from obligato.cli.main import main


def run(*args: str) -> tuple[int, str, str]:
    """The command in this process (its work still in a child): exit status, standard output,
    standard error.
    """
    out, err = StringIO(), StringIO()
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        patch("sys.argv", ["obligato", *args]),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    return int(ended.value.code or 0), out.getvalue(), err.getvalue()
