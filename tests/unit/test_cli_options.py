"""Options that commands share: one declaration, the same everywhere."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from obligato.cli.options import Limits, Reading, Shown, grouped, seconds


@dataclass(frozen=True)
class Size:
    """A group with one option."""

    width: Annotated[int, typer.Option("--wide", help="how wide")] = 3


def test_a_group_becomes_one_option_for_each_field_in_order() -> None:
    @grouped
    def command(name: str, size: Size, limits: Limits, last: bool = False) -> None:
        """What it does."""

    assert list(inspect.signature(command).parameters) == [
        "name",
        "width",
        "timeout",
        "memory",
        "last",
    ]
    assert command.__doc__ == "What it does."


def test_the_command_gets_the_group() -> None:
    seen: list[tuple[str, Size, float | None]] = []
    app = typer.Typer()

    @app.command()
    @grouped
    def command(name: str, size: Size, limits: Limits) -> None:
        seen.append((name, size, limits.timeout))

    runner = CliRunner()
    assert runner.invoke(app, ["a"]).exit_code == 0
    assert runner.invoke(app, ["b", "--wide", "7", "--timeout", "2.5"]).exit_code == 0
    assert seen == [("a", Size(3), None), ("b", Size(7), 2.5)]
    assert runner.invoke(app, ["c", "--wide", "many"]).exit_code == 2


def test_verify_and_check_and_show_read_c_alike() -> None:
    from obligato.cli import check, show, verify

    for command, groups in (
        (verify.verify, (Reading, Limits, Shown)),
        (check.check, (Reading, Limits, Shown)),
        (show.show, (Reading,)),
    ):
        names = inspect.signature(command).parameters
        for group in groups:
            assert set(inspect.signature(group).parameters) <= set(names)


@pytest.mark.parametrize(
    ("given", "wanted"), [("90", 90.0), ("1.5s", 1.5), ("10m", 600.0), ("1h", 3600.0)]
)
def test_times_have_units(given: str, wanted: float) -> None:
    assert seconds(given) == wanted


@pytest.mark.parametrize("given", ["", "h", "1x", "1h30"])
def test_what_is_no_time_is_refused_with_the_units(given: str) -> None:
    with pytest.raises(typer.BadParameter, match="90s, 10m, 1h"):
        seconds(given)
