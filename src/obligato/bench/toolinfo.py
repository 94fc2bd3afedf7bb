"""The tool-info module of BenchExec:
`<benchmark tool="obligato.bench.toolinfo">`, where both are installed together.

Tasks are those of SV-COMP: one or more C files, a property file,
and the data model as an option of the task definition.
"""

from __future__ import annotations

from typing import Any

from benchexec import result
from benchexec.tools.template import BaseTool2
from benchexec.tools.template import UnsupportedFeatureException as Unsupported

_PARTS = {
    "unreach-call": result.RESULT_FALSE_REACH,
    "no-overflow": result.RESULT_FALSE_OVERFLOW,
    "valid-deref": result.RESULT_FALSE_DEREF,
    "valid-free": result.RESULT_FALSE_FREE,
    "valid-memtrack": result.RESULT_FALSE_MEMTRACK,
}


class Tool(BaseTool2):  # type: ignore[misc,unused-ignore]
    """How BenchExec calls Obligato, and what it makes of its last line."""

    def name(self) -> str:
        """The tool's name."""
        return "Obligato"

    def project_url(self) -> str:
        """The project's address; none is published."""
        return ""

    def executable(self, tool_locator: Any) -> str:
        """The command."""
        found: str = tool_locator.find_executable("obligato", subdir="bin")
        return found

    def version(self, executable: str) -> str:
        """What `obligato --version` says."""
        said: str = self._version_from_tool(executable)
        return said.removeprefix("obligato").strip()

    def cmdline(self, executable: str, options: list[str], task: Any, rlimits: Any) -> list[str]:
        """The command for a task."""
        model = (task.options or {}).get("data_model") if isinstance(task.options, dict) else None
        if model not in (None, "ILP32", "LP64"):
            raise Unsupported(f"the data model {model}")
        command = [executable, "verify", *options]
        command += ["--property", task.property_file] if task.property_file else []
        command += ["--data-model", model, "--set", "externals=pure"] if model else []
        command += ["--timeout", str(rlimits.cputime)] if rlimits.cputime else []
        return [*command, *task.input_files_or_identifier]

    def determine_result(self, run: Any) -> str:
        """The verdict, which is the last line; how a run ended without one."""
        last = next((line.strip() for line in reversed(list(run.output)) if line.strip()), "")
        if last == "true":
            return str(result.RESULT_TRUE_PROP)
        if last.startswith("false(") and last.endswith(")"):
            return str(_PARTS.get(last[6:-1], f"{result.RESULT_FALSE_PROP}({last[6:-1]})"))
        if last == "unknown":
            return str(result.RESULT_UNKNOWN)
        code = run.exit_code.value
        return {2: "ERROR (usage)", 3: "ERROR (refused)", 4: "ERROR (internal)"}.get(
            code, str(result.RESULT_ERROR)
        )
