"""The watchdog as a program: orders on standard input, the end of the command on standard output.

    python -m obligato.bench.watchdog_main < orders.json > ended.json

It ends with whoever started it (`die_with_parent`), and takes its command with it.
"""

from __future__ import annotations

import json
import signal
import sys
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from obligato.bench.limited import Limits
from obligato.bench.watchdog import Watchdog
from obligato.processes import become_reaper, die_with_parent


def main() -> None:
    """Read the orders, obey, report."""
    orders: dict[str, Any] = json.loads(sys.stdin.buffer.read())
    watchdog = _watchdog(orders)

    def stop(*_: object) -> None:
        watchdog.stopped = True

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    become_reaper()
    die_with_parent(orders["parent"], signal.SIGTERM)
    ended = watchdog.run()
    with suppress(BrokenPipeError):
        sys.stdout.write(json.dumps(asdict(ended)))
        sys.stdout.flush()


def _watchdog(orders: dict[str, Any]) -> Watchdog:
    what = orders["argv"], orders["folder"], Limits(**orders["limits"])
    if not orders["runexec"]:
        return Watchdog(*what)
    from obligato.bench.runexec import RunexecWatchdog

    return RunexecWatchdog(*what, orders["runexec"])


if __name__ == "__main__":
    main()
