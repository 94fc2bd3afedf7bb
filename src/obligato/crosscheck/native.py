"""Compiling the original and the printed program with the machine's compiler,
and running them under limits.

The original is compiled as it is, with sanitizers; its ``main`` is renamed and its error functions
are replaced in the object file, so that its text stays untouched.  For ILP32 where the compiler has
no libraries for 32 bits, a small library of our own (runtime/freestanding.h) takes their place;
then undefined behaviour still ends a run, but stray accesses within the stack or among globals do
not.
"""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from obligato.bench.limited import Limits, start
from obligato.crosscheck.observation import Observed
from obligato.errors import ConfigError

INPUTS = 400  # per run
STEPS = 200_000
MILLISECONDS = 300
COMPILE_S = 600
_BASE = ("-O0", "-w", "-std=gnu11", "-fno-strict-aliasing", "-ffp-contract=off", "-fno-builtin")
_SANITIZED = ("-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all")
_TRAPPING = ("-fsanitize=undefined,float-cast-overflow", "-fsanitize-undefined-trap-on-error")
_BITS_32 = ("-m32", "-msse2", "-mfpmath=sse", "-fexcess-precision=standard")
_BARE = (*_BITS_32, "-ffreestanding", "-fno-pic", "-fno-stack-protector", "-mno-stackrealign")
ERRORS = ("reach_error", "__VERIFIER_error")
RENAMED = ("main", "abort", "exit", "_exit", "_Exit", "__assert_fail")
# address sanitizer reserves that much address space; what it uses is limited in the harness
_ASAN_SPACE_MB = 20_000_000


class CannotCompile(Exception):
    """The compiler refuses a program, or takes too long; `missing` are names that nothing defines."""

    def __init__(self, told: str, missing: tuple[str, ...] = ()) -> None:
        super().__init__(told)
        self.missing = missing


# What uninitialised variables hold, by the name that gcc has for it.
_BYTES = {"pattern": 0xFE, "zero": 0}
_MISSING = re.compile(rb"undefined reference to `(\w+)'")  # as the linker says it


@dataclass(frozen=True, slots=True)
class Toolchain:
    """How programs of one data model are built here;
    `remark` says what is missing, for the report."""

    compiler: str
    data_model: str
    hosted: bool
    sanitized: bool
    remark: str = ""


@lru_cache
def toolchain(data_model: str) -> Toolchain:
    """The toolchain for a data model; raises `ConfigError` where there is none."""
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None or shutil.which("objcopy") is None:
        raise ConfigError(
            "crosscheck needs a C compiler (gcc or clang) and objcopy, and they are not installed"
        )
    if data_model == "LP64":
        return Toolchain(compiler, data_model, hosted=True, sanitized=True)
    if _builds(compiler, (*_BITS_32, *_SANITIZED)):
        return Toolchain(compiler, data_model, hosted=True, sanitized=True)
    if not _builds(compiler, (*_BARE, "-nostdlib", "-static", "-Wl,-emain")):
        raise ConfigError(f"{compiler} cannot build programs for ILP32 (-m32) here")
    remark = (
        "no 32-bit libraries here (gcc-multilib): a small library of our own, without address"
        " sanitizer"
    )
    return Toolchain(compiler, data_model, hosted=False, sanitized=False, remark=remark)


def _builds(compiler: str, flags: Sequence[str]) -> bool:
    run = subprocess.run(
        [compiler, *flags, "-x", "c", "-o", "/dev/null", "-"],
        input=b"int main(void) { return 0; }",
        capture_output=True,
        check=False,
        timeout=COMPILE_S,
    )
    return run.returncode == 0


@dataclass(frozen=True, slots=True)
class Stub:
    """A function of the environment: its name and the bits of its result (0: none);
    `floating` if they are a float's."""

    name: str
    width: int
    floating: bool = False

    def text(self) -> str:
        """Its definition, as seen by the harness."""
        if self.width == 0:
            return f"void {self.name}(void) {{ }}"
        asked = f'cc_input("{self.name}", {self.width})'
        if not self.floating:
            return f"uint64_t {self.name}(void) {{ return {asked}; }}"
        t, word = ("float", "uint32_t") if self.width == 32 else ("double", "uint64_t")
        return (
            f"{t} {self.name}(void) {{ union {{ {word} w; {t} f; }} u; u.w = ({word}){asked};"
            " return u.f; }"
        )


@dataclass(frozen=True, slots=True)
class Original:
    """What is needed to build the original besides its text:
    its environment, what to look at, whether main returns."""

    stubs: tuple[Stub, ...] = ()
    observed: tuple[Observed, ...] = ()
    returns: bool = True
    more: str = ""  # C text after the harness's
    # signed arithmetic wraps, as we read it; else sanitizers end a run that overflows
    wraps: bool = True


def build_original(
    source: Path, how: Original, tools: Toolchain, folder: Path, runs: int, fill: str = "pattern"
) -> Path:
    """The original with the harness;
    `fill` (pattern or zero) is what uninitialised variables hold."""
    model = (_BITS_32 if tools.hosted else _BARE) if tools.data_model == "ILP32" else ("-m64",)
    object_file, binary = folder / f"original-{fill}.o", folder / f"original-{fill}"
    _compile(source, how, tools, model, object_file, fill)
    harness, environment = folder / f"harness-{fill}.c", folder / f"environment-{fill}.c"
    harness.write_text(_harness(tools.hosted, runs, fill), encoding="utf-8")
    sanitizers = _SANITIZED if tools.sanitized else ()
    link = ("-lm",) if tools.hosted else ("-nostdlib", "-static", "-no-pie")
    sources = map(str, (harness, environment, object_file))
    command = [tools.compiler, *_BASE, *model, *sanitizers, *sources, "-o", str(binary), *link]
    try:
        environment.write_text(_environment(how), encoding="utf-8")
        _run(command)
    except CannotCompile as problem:
        if not problem.missing:
            raise
        # what is missing is named where, as we read the program, no run comes
        environment.write_text(_environment(how, problem.missing), encoding="utf-8")
        _run(command)
    return binary


def _compile(
    source: Path,
    how: Original,
    tools: Toolchain,
    model: tuple[str, ...],
    object_file: Path,
    fill: str,
) -> None:
    """The original alone, with names that leave room for those of the harness."""
    wrapping = ("-fwrapv",) if how.wraps else ()
    sanitizers = _SANITIZED if tools.sanitized else _TRAPPING
    _run(
        [
            tools.compiler,
            *_BASE,
            *wrapping,
            *model,
            *sanitizers,
            f"-ftrivial-auto-var-init={fill}",
            "-I",
            str(source.parent),
            "-x",
            "c",
            "-c",
            str(source),
            "-o",
            str(object_file),
        ]
    )
    changes = [x for name in RENAMED for x in ("--redefine-sym", f"{name}=original_{name}")]
    changes += [x for name in ERRORS for x in ("--weaken-symbol", name)]
    changes += [x for o in how.observed for x in ("--globalize-symbol", o.object)]
    _run(["objcopy", *changes, str(object_file)])


def _environment(how: Original, unforeseen: Iterable[str] = ()) -> str:
    """What the original calls, and the function ``program`` that calls its main and reports what it
    leaves; a run that gets to something `unforeseen` ends as none of ours does."""
    lines = [
        files("obligato.crosscheck").joinpath("runtime/original.c").read_text(encoding="utf-8")
    ]
    lines += [*(s.text() for s in how.stubs), how.more]
    lines += [f'void {name}(void) {{ cc_ends("unforeseen", "{name}"); }}' for name in unforeseen]
    objects = {o: f"object{i}" for i, o in enumerate(dict.fromkeys(x.object for x in how.observed))}
    lines += [f'extern const unsigned char {c}[] __asm__("{o}");' for o, c in objects.items()]
    call = "original_main(1, arguments, arguments + 1)"
    lines += [
        "void cc_program(void) {",
        '    static char *arguments[] = {"program", 0};',
        f'    cc_result("return", (uint32_t){call});' if how.returns else f"    {call};",
    ]
    for x in how.observed:
        part = f"part({objects[x.object]}, {x.offset}, {x.width})"
        lines.append(
            f'    cc_result("{x.label}", {f"number({part}, {x.width})" if x.floating else part});'
        )
    return "\n".join([*lines, '    cc_ends("return", "");', "}", ""])


def _harness(hosted: bool, runs: int, fill: str) -> str:
    folder = files("obligato.crosscheck").joinpath("runtime")
    byte = _BYTES[fill]
    text = folder.joinpath("harness.c").read_text(encoding="utf-8")
    if not hosted:
        text = text.replace(
            '#include "freestanding.h"',
            folder.joinpath("freestanding.h").read_text(encoding="utf-8"),
        )
    numbers = {
        "RUNS": runs,
        "INPUTS": INPUTS,
        "STEPS": STEPS,
        "MILLISECONDS": MILLISECONDS,
        "FILL": f'"{byte}"',
        "FILL_BYTE": f"(char){byte}",
        **({} if hosted else {"FREESTANDING": 1}),
    }
    return "".join(f"#define {n} {v}\n" for n, v in numbers.items()) + text


def build_printed(text: str, tools: Toolchain, folder: Path, runs: int, fill: str = "") -> Path:
    """The printed program with the harness; it is the same for all data models.

    What the program leaves open is different junk everywhere; with a `fill` (pattern or zero) it is
    what uninitialised variables of the original hold.
    """
    name = f"printed-{fill}" if fill else "printed"
    source, driver, binary = folder / f"{name}.c", folder / f"{name}-driver.c", folder / name
    source.write_text(text, encoding="utf-8")
    driver.write_text(_harness(True, runs, "pattern"), encoding="utf-8")
    _run(
        [
            tools.compiler,
            "-O1",
            "-w",
            "-std=gnu11",
            "-frounding-math",
            "-ffp-contract=off",
            *([f"-DJUNK={_BYTES[fill]}"] if fill else []),
            str(source),
            str(driver),
            "-o",
            str(binary),
            "-lm",
        ]
    )
    return binary


def run(
    binary: Path, inputs: Sequence[Sequence[int]], tools: Toolchain, folder: Path
) -> list[list[str]]:
    """The lines of each run that ended in time:
    events, what sanitizers say, and last ``done STATUS``.

    The program has the harness; `inputs` are those of each run, `INPUTS` at most.
    """
    data, log = folder / f"{binary.name}.inputs", folder / f"{binary.name}.log"
    data.write_bytes(
        b"".join(
            struct.pack(f"<{INPUTS}Q", *words, *[0] * (INPUTS - len(words))) for words in inputs
        )
    )
    seconds = 5 + len(inputs) * MILLISECONDS / 1000
    memory = _ASAN_SPACE_MB if tools.sanitized and binary.name.startswith("original") else 1000
    start([str(binary), str(data), str(log)], Limits(seconds, 4 * seconds, memory), folder).wait()
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    runs: list[list[str]] = []
    for line in text.splitlines():
        if line.startswith("run "):
            runs.append([])
        else:
            runs[-1].append(line)
    return [r for r in runs if r and r[-1].startswith("done ")]


def _run(command: Iterable[str]) -> None:
    try:
        done = subprocess.run(list(command), capture_output=True, check=False, timeout=COMPILE_S)
    except subprocess.TimeoutExpired:
        raise CannotCompile(f"the compiler needs more than {COMPILE_S} s") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        told = next(
            (x for x in said if "error" in x or "undefined" in x),
            said[0] if said else "unknown reason",
        )
        missing = (m[1].decode() for m in _MISSING.finditer(done.stderr))
        raise CannotCompile(told, tuple(dict.fromkeys(missing)))
