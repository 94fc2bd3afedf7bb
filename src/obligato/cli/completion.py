"""`obligato completion`: what a shell needs to complete commands, options and their values."""

from __future__ import annotations

from typing import Annotated

import typer

from obligato.cli.examples import examples
from obligato.cli.main import COMPLETE, app
from obligato.errors import ConfigError

SHELLS = ("bash", "zsh", "fish")
EXAMPLES = examples(
    ('eval "$(obligato completion bash)"', "in ~/.bashrc; zsh likewise"),
    ("obligato completion fish > ~/.config/fish/completions/obligato.fish", ""),
)


@app.command(epilog=EXAMPLES)
def completion(
    shell: Annotated[str, typer.Argument(help="bash, zsh or fish", metavar="SHELL")],
) -> None:
    """Print what completes obligato's commands in a shell: bash, zsh or fish."""
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    if shell not in SHELLS:
        raise ConfigError(f"there is no completion for {shell}; there is for {', '.join(SHELLS)}")
    print(get_completion_script(prog_name="obligato", complete_var=COMPLETE, shell=shell))
