"""A counterexample of a C program as C: definitions of the functions that gave it its inputs.

    obligato verify program.c --report harness=harness.c
    gcc program.c harness.c && ./a.out

Compiled beside the program, the harness gives it the inputs of the trace in their order, and the
error is reached. Definitions are weak: a program that defines `reach_error` itself keeps its own.
Variables that the program does not initialise have in the trace some value that a compiled program
need not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from obligato.errors import InputError, Unsupported
from obligato.results.outcome import Outcome, StepReport, TraceReport

MAX_INPUTS = 1_000_000
NONDET = "__VERIFIER_nondet_"
TYPES = {
    "int": "int",
    "uint": "unsigned int",
    "unsigned": "unsigned int",
    "unsigned_int": "unsigned int",
    "char": "char",
    "schar": "signed char",
    "uchar": "unsigned char",
    "unsigned_char": "unsigned char",
    "short": "short",
    "ushort": "unsigned short",
    "long": "long",
    "ulong": "unsigned long",
    "longlong": "long long",
    "ulonglong": "unsigned long long",
    "bool": "_Bool",
    "_Bool": "_Bool",
    "float": "float",
    "double": "double",
    "size_t": "__SIZE_TYPE__",
    "u8": "unsigned char",
    "u16": "unsigned short",
    "u32": "unsigned int",
    "u64": "unsigned long long",
    "s8": "signed char",
    "s16": "short",
    "s32": "int",
    "s64": "long long",
    "loff_t": "long long",
    "pointer": "void *",
}
_INTEGERS = {1: "char", 2: "short", 4: "int", 8: "long long"}
_HEAD = """/* The inputs of a run that violates the property, for the compiler: cc PROGRAM THIS_FILE && ./a.out */
int printf(const char *, ...);
void abort(void);
void exit(int);
__attribute__((weak)) void reach_error(void) { printf("the error is reached\\n"); abort(); }
__attribute__((weak)) void __VERIFIER_error(void) { printf("the error is reached\\n"); abort(); }
__attribute__((weak)) void __VERIFIER_assume(int condition) { if (!condition) exit(0); }
"""


def harness_text(outcome: Outcome) -> str:
    """The harness of a violated property; a comment where there is none."""
    if outcome.trace is None:
        return f"/* There is no counterexample: {outcome.verdict.value} */\n"
    try:
        asked = _asked(outcome.trace)
    except Unsupported as limit:
        return f"/* There is no harness: {limit.message} */\n"
    others = [name for name in asked if _type_of(name) is None]
    types = _declared(outcome, others) if others else {}
    return _HEAD + "".join(
        _function(name, values, _type_of(name) or types.get(name)) for name, values in asked.items()
    )


def _type_of(name: str) -> str | None:
    """The type of a function whose name says it."""
    return TYPES.get(name.removeprefix(NONDET)) if name.startswith(NONDET) else None


def _declared(outcome: Outcome, names: list[str]) -> dict[str, str]:
    """The types of functions that the program declares, or calls without a declaration:
    any C type of that kind and size."""
    from obligato.frontends.c.text import of_options
    from obligato.frontends.c.types import FloatType, IntType, PointerType

    try:
        with of_options(outcome.file, outcome.options) as text:
            types = {c.name: c.type for c in text.positions.calls if c.name in names}
    except (InputError, OSError):  # the source is not there any more
        return {}
    out: dict[str, str] = {}
    for name, t in types.items():
        if isinstance(t, IntType):
            out[name] = (
                f"{'' if t.signed else 'unsigned '}{_INTEGERS[t.size]}"
                if t.size in _INTEGERS
                else ""
            )
        elif isinstance(t, FloatType | PointerType):
            out[name] = (
                "void *"
                if isinstance(t, PointerType)
                else {4: "float", 8: "double"}.get(t.size, "")
            )
    return {name: t for name, t in out.items() if t}


def _asked(trace: TraceReport) -> dict[str, list[Any]]:
    """The values that the functions of the environment return, in order."""
    found: dict[str, list[Any]] = {}
    if trace.cut and trace.script is not None:
        return _of_script(trace, trace.script["values"])
    for step in unrolled(trace):
        if step.call:
            found.setdefault(step.call, []).extend(step.inputs.values())
    return found


def _of_script(trace: TraceReport, values: list[list[Any]]) -> dict[str, list[Any]]:
    """The same of a run whose last steps are not told:
    the steps that are told say which function sets which variable."""
    asks = {name: step.call for step in trace.steps for name in step.inputs}
    if len(values) > MAX_INPUTS or any(name not in asks for name, _ in values):
        raise Unsupported(
            "the trace does not name all inputs of the run: its last steps are left out",
            construct="long run",
        )
    found: dict[str, list[Any]] = {call: [] for call in asks.values() if call}
    for name, value in values:
        if asks[name]:
            found[asks[name]].append(value)
    return found


def unrolled(trace: TraceReport, most: int = MAX_INPUTS) -> Iterator[StepReport]:
    """The steps, those of rounds that are written once as often as they are taken;
    refused if that asks for too many inputs."""
    place = 0
    for start, end, times in trace.repeats:
        yield from trace.steps[place:start]
        asks = [s for s in trace.steps[start:end] if s.call]
        if asks and times * len(asks) > most:
            raise Unsupported(
                f"the run reads {times * len(asks)} inputs in one loop, which is too long for a harness",
                construct="long run",
            )
        for _ in range(times if asks else 0):
            yield from asks
        place = end
    yield from trace.steps[place:]


def _function(name: str, values: list[Any], c: str | None) -> str:
    if c is None:
        return f"/* {name} returns: {', '.join(map(_number, values))} */\n"
    numbers = ", ".join(map(_number, values))
    table = (
        f"    static const unsigned long long given[] = {{{numbers}}};\n    static unsigned int"
        " asked;\n"
    )
    parameters = "void" if name.startswith(NONDET) else ""
    return f"{c} {name}({parameters})\n{{\n{table}{''.join(_returns(c, len(values)))}}}\n"


def _returns(c: str, count: int) -> Iterator[str]:
    yield f"    unsigned long long bits = asked < {count} ? given[asked++] : 0;\n"
    if c in ("float", "double"):
        yield (
            f"    union {{ {'unsigned int' if c == 'float' else 'unsigned long long'} word; {c}"
            " value; } u = {bits};\n"
        )
        yield "    return u.value;\n"
    else:
        yield f"    return ({c}){'(__UINTPTR_TYPE__)' if c.endswith('*') else ''}bits;\n"


def _number(value: Any) -> str:
    """A value as an unsigned number of 64 bits; of a float its pattern."""
    if isinstance(value, bool):
        return f"{int(value)}ull"
    pattern = re.search(r"\((0x[0-9a-f]+)\)", value) if isinstance(value, str) else None
    return f"{int(pattern[1], 16)}ull" if pattern else f"{int(value) % (1 << 64)}ull"
