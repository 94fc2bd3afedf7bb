"""Where the benchmark corpus is: OBLIGATO_CORPUS, by default ../shared/corpus beside the
repository.
"""

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent


def corpus_location() -> Path:
    """The folder that should hold the corpus, whether it exists or not."""
    return Path(os.environ.get("OBLIGATO_CORPUS") or REPOSITORY.parent / "shared" / "corpus")


def corpus_root() -> Path | None:
    """The corpus, or None where it is absent; for parametrising tests at collection time."""
    location = corpus_location()
    return location if (location / "tasks.csv").is_file() else None
