"""`obligato engines` and `obligato presets`: what there is, each with its paper."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any

import typer

from obligato.api import registry, settings
from obligato.api.request import AUTO
from obligato.cli.main import app


@app.command()
def engines(
    options: Annotated[
        bool, typer.Option("--options", help="list each engine's options, defaults and papers")
    ] = False,
) -> None:
    """List the engines."""
    print(
        f"{AUTO:12} several of these at once, chosen by the input; the first certified verdict wins"
    )
    for e in registry.ENGINES.values():
        print(f"{e.name:12} {e.title} {e.paper}")
        if options:
            print(
                "\n".join(
                    _option(f) for cls in (e.options, settings.PipelineOptions) for f in fields(cls)
                )
            )


def _option(field: Any) -> str:
    about = field.metadata
    values = f" ({', '.join(map(str, about['values']))})" if about.get("values") else ""
    paper = f" {about['paper']}" if about.get("paper") else ""
    return f"    {field.name}={field.default}: {about.get('help', '')}{values}{paper}"


@app.command()
def presets() -> None:
    """List the presets with what they change."""
    for p in settings.presets():
        default = {f.name: f.default for f in fields(registry.engine(p.engine).options)}
        changed = (
            " ".join(f"{k}={v}" for k, v in p.options.items() if v != default.get(k))
            or "the defaults"
        )
        about = f"{p.description}: " if p.description else ""
        print(f"{p.name:12} {p.engine:10} {about}{changed}")
