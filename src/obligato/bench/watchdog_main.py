"""The watchdog as a program: orders on standard input, a line each,
and the end of each command as a line on standard output.

    python -m obligato.bench.watchdog_main PARENT < orders > ended

One command after the other. It ends with whoever started it (`die_with_parent`),
and takes its command with it.
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
    """Read orders, obey, report, until there are no more."""
    become_reaper()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent(int(sys.argv[1]), signal.SIGTERM)
    with suppress(BrokenPipeError):
        for line in sys.stdin.buffer:
            _obey(json.loads(line))


def _obey(orders: dict[str, Any]) -> None:
    """Run one command. SIGTERM ends it;
    before and after, while nothing runs, SIGTERM ends the watchdog itself."""
    watchdog = _watchdog(orders)

    def stop(*_: object) -> None:
        watchdog.stopped = True

    signal.signal(signal.SIGTERM, stop)
    ended = watchdog.run()
    sys.stdout.write(json.dumps(asdict(ended)) + "\n")
    sys.stdout.flush()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _watchdog(orders: dict[str, Any]) -> Watchdog:
    what = orders["argv"], orders["folder"], Limits(**orders["limits"])
    if not orders["runexec"]:
        return Watchdog(*what)
    from obligato.bench.runexec import RunexecWatchdog

    return RunexecWatchdog(*what, orders["runexec"])


if __name__ == "__main__":
    main()
