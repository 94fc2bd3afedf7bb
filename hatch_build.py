"""Compile the optional SAT solver (src/obligato/smt/native) when the package is built or installed.

A C compiler is looked for in this order: $CC, cc, gcc, clang, then the one in the package `ziglang`
(`pip install ziglang` brings it where the system has none). Without one the package is pure Python
and says so; everything works, more slowly. `python hatch_build.py` compiles in place.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # only to compile in place
    BuildHookInterface = object  # type: ignore[assignment, misc]

ROOT = Path(__file__).resolve().parent
SOURCE = Path("src", "obligato", "smt", "native", "cdcl.c")
TARGET = Path("src", "obligato", "smt", f"_cdcl{sysconfig.get_config_var('EXT_SUFFIX') or '.so'}")

NOT_COMPILED = "the optional SAT solver was not compiled, obligato is pure Python"


def compilers() -> list[list[str]]:
    """The commands that may compile C, best first."""
    found = [shlex.split(os.environ["CC"])] if os.environ.get("CC") else []
    found += [[name] for name in ("cc", "gcc", "clang") if shutil.which(name)]
    if importlib.util.find_spec("ziglang") is not None:
        found.append([sys.executable, "-m", "ziglang", "cc"])
    return found


def compile_solver() -> str:
    """Compile in place; empty if it is there afterwards, else why not."""
    options = ["-O2", "-DNDEBUG", "-shared", "-fPIC", f"-I{sysconfig.get_path('include')}"]
    complaint = "there is no C compiler ($CC, cc, gcc, clang, or the package ziglang)"
    for command in compilers():
        fresh = ROOT / TARGET.with_suffix(".new")
        whole = [*command, *options, str(ROOT / SOURCE), "-o", str(fresh)]
        done = subprocess.run(whole, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            fresh.replace(ROOT / TARGET)
            return ""
        complaint = f"{shlex.join(command)}: {(done.stderr.strip().splitlines() or ['failed'])[0]}"
    return complaint


class CustomBuildHook(BuildHookInterface):
    """Puts the compiled solver into a wheel, which is then one for this platform; or leaves the
    wheel pure.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel is made, also that of an editable installation."""
        why = compile_solver()
        if why:
            self.app.display_warning(f"{NOT_COMPILED}: {why}")
        else:
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
            build_data["artifacts"].append(f"/{TARGET.as_posix()}")


def main() -> int:
    """Compile in place, and say what happened."""
    why = compile_solver()
    sys.stdout.write(f"setup: {NOT_COMPILED}: {why}\n" if why else f"setup: compiled {TARGET}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
