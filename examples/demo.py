"""What there is so far: the stages of the pipeline, in order, with their size and purpose."""

import ast
from importlib.metadata import version
from pathlib import Path

STAGES = (
    "errors", "terms", "smt", "program", "models", "analysis", "frontends", "results", "engines", "reports",
    "bench", "cli", "api",
)
SOLVERS = ("z3-solver", "bitwuzla", "cvc5", "python-sat")


def describe(source: Path, stage: str) -> str:
    """One line on a package or module: lines of Python and the first line of its docstring."""
    single = source / f"{stage}.py"
    files = [single] if single.is_file() else sorted((source / stage).rglob("*.py"))
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    empty = all(file.name == "__init__.py" and text.count("\n") <= 1 for file, text in texts.items())
    if empty:
        return f"  {stage:10} not there yet"
    lines = sum(text.count("\n") for text in texts.values())
    head = (ast.get_docstring(ast.parse(texts[files[0]])) or "").partition("\n")[0]
    return f"  {stage:10} {lines:6} lines  {head}"


def main() -> None:
    source = Path(__file__).resolve().parent.parent / "src" / "obligato"
    print("Obligato", version("obligato"), "with", ", ".join(f"{name} {version(name)}" for name in SOLVERS))
    print("\n".join(describe(source, stage) for stage in STAGES))


if __name__ == "__main__":
    main()
