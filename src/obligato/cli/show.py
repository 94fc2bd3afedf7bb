"""`obligato show`: look at any stage of the pipeline."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from obligato.api.request import read_property
from obligato.cli.examples import examples
from obligato.cli.main import app
from obligato.cli.options import InputFile, Property, Reading, grouped
from obligato.errors import ConfigError, Unsupported
from obligato.frontends.registry import InputKind, language_of

if TYPE_CHECKING:
    from obligato.models.cfa import CFA
    from obligato.models.transition_system import TransitionSystem
    from obligato.program.syntax import Program

Model = TypeVar("Model")
FORMS = ("ivl", "c", "cfa", "dot", "ts", "vmt", "smv", "btor2", "aiger", "smt2", "chc", "chc-ts")


EXAMPLES = examples(
    ("obligato show file.c --as ivl", "how the program was read"),
    ("obligato show file.c --as dot | dot -Tsvg > file.svg", "its control flow as a picture"),
    ("obligato show model.lus --as vmt", "for another tool"),
)


@app.command(epilog=EXAMPLES)
@grouped
def show(
    file: InputFile,
    how: Reading,
    form: Annotated[
        str,
        typer.Option("--as", help="ivl c cfa dot ts vmt smv btor2 aiger smt2 chc (Horn) chc-ts"),
    ] = "cfa",
    blocks: Annotated[bool, typer.Option("--blocks", help="after large-block encoding")] = False,
    reduction: Annotated[
        int, typer.Option(help="after reductions up to this level, 0 to 3", min=0, max=3)
    ] = 0,
    without_limits: Annotated[
        bool, typer.Option("--without-limits", help="assume limits, use no over-approximation")
    ] = False,
    property: Property = None,
) -> None:
    """Print FILE as it looks at a stage of the pipeline."""
    from obligato.api.reading import original_cfa, select_properties

    if form not in FORMS:
        raise ConfigError(f"--as {form} is unknown; there are: {', '.join(FORMS)}")
    language = language_of(file)
    asked = language.property(read_property(property or ""))
    loaded = language.load(
        file,
        data_model=how.data_model,
        entry=how.entry,
        property=asked,
        preprocessing=how.preprocessing(file),
    )
    if language.kind is InputKind.SYSTEM:
        text = _system_text(select_properties(loaded, asked), form)
    elif language.kind is InputKind.HORN:
        text = _text(loaded.cfa, form, blocks, reduction, without_limits)
    elif form in PROGRAM_FORMS:
        text = PROGRAM_FORMS[form](loaded)
    else:
        text = _text(original_cfa(loaded), form, blocks, reduction, without_limits)
    print(text.rstrip("\n"))


def _ivl_text(program: Program) -> str:
    from obligato.program.printer import program_text

    return program_text(program)


def _c_text(program: Program) -> str:
    from obligato.crosscheck.printing import c_text

    return c_text(program)


PROGRAM_FORMS: dict[str, Callable[[Program], str]] = {"ivl": _ivl_text, "c": _c_text}


def _system_text(system: TransitionSystem, form: str) -> str:
    from obligato.frontends import btor2, smv, vmt
    from obligato.reports import horn, stages

    printers: dict[str, Callable[[TransitionSystem], str]] = {
        "ts": stages.ts_text,
        "vmt": vmt.vmt_text,
        "smv": smv.smv_text,
        "btor2": btor2.btor2_text,
        "aiger": _aiger_text,
        **dict.fromkeys(("smt2", "chc", "chc-ts"), horn.system_horn_text),
    }
    if form not in printers:
        raise ConfigError(
            f"a transition system cannot be shown as {form}; there are: {', '.join(printers)}"
        )
    return _printed(printers[form], system, form)


def _printed(printer: Callable[[Model], str], model: Model, form: str) -> str:
    """The text; what a format cannot say is no fault of the input."""
    try:
        return printer(model)
    except Unsupported as limit:
        raise ConfigError(f"this input cannot be shown as {form}: {limit.message}") from limit


def _aiger_text(system: TransitionSystem) -> str:
    from obligato.frontends import aiger
    from obligato.models.ts_arrays import expand_arrays
    from obligato.models.ts_reduce import reduce_system

    small, _ = expand_arrays(reduce_system(system, 0)[0], limit=4096)
    return aiger.aiger_bytes(small, binary=False).decode("utf-8")


def _text(original: CFA, form: str, blocks: bool, reduction: int, without_limits: bool) -> str:
    from obligato.api.cfa_search import without_limits as dropped
    from obligato.frontends import btor2, smv, vmt
    from obligato.models.cfa_to_ts import to_transition_system
    from obligato.models.dot import to_dot
    from obligato.reports import horn, stages

    if without_limits:
        original = dropped(original)
    limited = any(e.refutes_nothing for e in original.edges)
    printers: dict[str, Callable[[CFA], str]] = {
        "cfa": stages.cfa_text,
        "dot": to_dot,
        **dict.fromkeys(("smt2", "chc"), lambda cfa: horn.horn_text(cfa, limited)),
        "ts": lambda cfa: stages.ts_text(to_transition_system(cfa)[0]),
        "vmt": lambda cfa: vmt.vmt_text(to_transition_system(cfa)[0]),
        "smv": lambda cfa: smv.smv_text(to_transition_system(cfa)[0]),
        "btor2": lambda cfa: btor2.btor2_text(to_transition_system(cfa)[0]),
        "aiger": lambda cfa: _aiger_text(to_transition_system(cfa)[0]),
        "chc-ts": lambda cfa: horn.system_horn_text(to_transition_system(cfa)[0], limited),
    }
    if form not in printers:
        raise ConfigError(
            f"Horn clauses cannot be shown as {form}; there are: {', '.join(printers)}"
        )
    return _printed(printers[form], _cfa(original, form, blocks, reduction), form)


def _cfa(cfa: CFA, form: str, blocks: bool, reduction: int) -> CFA:
    """As it is checked, or as it is proved: simplified, reduced, in large blocks."""
    from obligato.api.reading import reduced
    from obligato.models.blocks import large_blocks

    if form in ("ts", "vmt", "smv", "btor2", "aiger", "chc-ts") or reduction > 0:
        cfa, _ = reduced(cfa, reduction)
    return large_blocks(cfa) if blocks else cfa
