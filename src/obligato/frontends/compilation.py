"""What a compilation database (compile_commands.json) says about the files of a C program.

An option that may change what a program means, and that is not known here, is refused by its name:
``-funsigned-char``, ``-fpack-struct``, ``-mthumb``, ``-ffast-math``.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

from obligato.errors import ConfigError
from obligato.frontends.preprocessing import STANDARD, Preprocessing

_COMPILER, _OURS = (
    re.compile(r"(\w.*)-(?:gcc|cc|clang)"),
    ("x86_64", "i386", "i486", "i586", "i686"),
)
MODELS = {"-m32": "ILP32", "-m64": "LP64"}
_FOLDERS = ("-I", "-iquote", "-isystem")
# Options with an argument that changes nothing, and options that change nothing, up to an equals sign.
_WITH_ARGUMENT = ("-o", "-MF", "-MT", "-MQ", "-MJ", "-Xlinker", "-l", "-L")
_HARMLESS = frozenset(
    (
        *("-c", "-S", "-E", "-s", "-v", "-w", "-pipe", "-static", "-shared", "-rdynamic"),
        *(
            "-pedantic",
            "-pedantic-errors",
            "-save-temps",
            "-coverage",
            "--coverage",
            "-Qunused-arguments",
        ),
        *("-O", "-O0", "-O1", "-O2", "-O3", "-Os", "-Og", "-Oz"),
        *("-mtune", "-mno-red-zone", "-mcmodel", "-march=x86-64", "-march=i686", "-mfpmath=sse"),
        *("-msse", "-msse2", "-mno-avx", "-mno-mmx", "-mno-sse3"),
        *("-ffp-contract=off", "-fsigned-char", "-fno-unsigned-char", "-fsigned-bitfields"),
    )
)
_HARMLESS_F = (
    *(
        "PIC",
        "pic",
        "PIE",
        "pie",
        "plt",
        "common",
        "semantic-interposition",
        "ident",
        "lto",
        "fat-lto",
    ),
    *("diagnostics", "color-diagnostics", "ansi-escape-codes", "message-length", "max-errors"),
    *(
        "error-limit",
        "visibility",
        "function-sections",
        "data-sections",
        "asynchronous-unwind-tables",
    ),
    *(
        "unwind-tables",
        "exceptions",
        "omit-frame-pointer",
        "optimize-sibling-calls",
        "inline",
        "keep-inline",
    ),
    *("strict-aliasing", "builtin", "hosted", "freestanding", "stack", "cf-protection", "debug"),
    *("sanitize", "profile", "coverage", "test-coverage", "macro-prefix-map", "file-prefix-map"),
    *(
        "verbose-asm",
        "zero-call-used-regs",
        "math-errno",
        "unroll-loops",
        "tree",
        "ipa",
        "vectorize",
        "slp-vectorize",
    ),
    *(
        "delete-null-pointer-checks",
        "wrapv",
        "strict-overflow",
        "merge-constants",
        "strict-flex-arrays",
    ),
)
# Said in the negative they only turn off what is not modelled.
_OFF = (
    *(
        "short-enums",
        "fast-math",
        "unsafe-math-optimizations",
        "associative-math",
        "openmp",
        "trapv",
    ),
    *("pack-struct", "ms-extensions", "short-wchar", "instrument-functions"),
)


def of_compilation(
    database: Path, file: Path, others: tuple[Path, ...], data_model: str
) -> Preprocessing:
    """What a compilation database says about the files of a program; one that it does not mention,
    or that it compiles in another way than the first one, is refused.
    """
    first = _of_file(database, file, data_model)
    for other in others:
        if _of_file(database, other, data_model) != first:
            raise ConfigError(
                f"{database} compiles {file} and {other} with different options, which is not supported"
            )
    return first


def _of_file(database: Path, file: Path, data_model: str) -> Preprocessing:
    try:
        entries = json.loads(database.read_text(encoding="utf-8"))
        for entry in entries:
            folder = Path(entry["directory"])
            if (folder / entry["file"]).resolve() == file.resolve():
                arguments = (
                    entry["arguments"] if "arguments" in entry else shlex.split(entry["command"])
                )
                words = [str(a) for a in arguments]
                _refuse_machine(words)
                return _of_arguments(words, folder, data_model)
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise ConfigError(f"{database} is no compilation database: {problem!r}") from problem
    raise ConfigError(f"{database} does not mention {file}")


def _refuse_machine(words: list[str]) -> None:
    """A compiler for another machine (``arm-none-eabi-gcc``) has other types; another program may
    stand before it.
    """
    for word in words[:2]:
        m = _COMPILER.match(Path(word).name)
        if m is not None and not m[1].startswith(_OURS):
            raise ConfigError(f"{word} in the compilation database compiles for another machine")


def _of_arguments(arguments: list[str], folder: Path, data_model: str) -> Preprocessing:
    """The options of a compiler's command line that matter here; its paths are relative to
    `folder`.
    """
    found: dict[str, list[Any]] = {"-isystem": [], "-I": [], "-iquote": [], "macros": []}
    included: list[str] = []
    standard, words = STANDARD, iter(arguments[1:])
    for word in words:
        option = next((o for o in _FOLDERS if word.startswith(o)), None)
        if word.startswith("-std="):
            standard = word.removeprefix("-std=")
        elif word == "-ansi":
            standard = "c90"
        elif option is not None:
            found[option].append(str(folder / (word.removeprefix(option) or next(words, ""))))
        elif word == "-include":
            included.append(str(folder / next(words, "")))
        elif word[:2] in ("-D", "-U"):
            found["macros"].append((word[1], word[2:] or next(words, "")))
        elif word == "-pthread":
            found["macros"].append(("D", "_REENTRANT"))
        elif word in MODELS:
            _fit(word, data_model)
        elif word in _WITH_ARGUMENT:
            next(words, "")
        elif word == "-x" and next(words, "") == "c":
            continue
        elif word.startswith(("-", "@")) and not _is_harmless(word):
            raise ConfigError(
                f"{word} in the compilation database may change what the program means, and is not"
                " supported; -I, -D, -U, --include and --std say what is"
            )
    folders = (*found["-iquote"], *found["-I"], *found["-isystem"])
    return Preprocessing(folders, tuple(found["macros"]), tuple(included), standard)


def _fit(word: str, data_model: str) -> None:
    if MODELS[word] != data_model:
        raise ConfigError(
            f"{word} in the compilation database asks for --data-model {MODELS[word]}"
        )


def _is_harmless(word: str) -> bool:
    """Does an option leave the meaning of programs as it is?"""
    if word in _HARMLESS or word.partition("=")[0] in _HARMLESS:
        return True
    if word.startswith(("-W", "-g", "-l", "-L", "-M")):
        return not word.startswith("-Wp,")  # which hands options to the preprocessor
    name = word.removeprefix("-f")
    if name == word:
        return False
    off = name.removeprefix("no-")
    return any(_is_about(off, n) for n in _HARMLESS_F) or (
        off != name and any(_is_about(off, n) for n in _OFF)
    )


def _is_about(name: str, option: str) -> bool:
    return name == option or name.startswith((f"{option}-", f"{option}="))
