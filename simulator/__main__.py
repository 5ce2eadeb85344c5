"""`python -m simulator` and the console script `simulator`."""

from __future__ import annotations

import os
import signal
import sys

INTERRUPTED = 130
"""What shells give a command that Ctrl-C ended."""


def main() -> None:
    """Run the command line and leave with its exit code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    sys.exit(_run())


def _run() -> int:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices are small here, and its threads spin from the start
    from simulator.cli.faults import report_fault, require_memory
    from simulator.cli.streams import open_streams
    from simulator.collector import collector_paused

    open_streams()
    try:
        require_memory()
        with collector_paused():
            from simulator.cli.app import run_app
        return run_app(sys.argv[1:])
    except BaseException as error:
        return report_fault(error)


def _leave(*_: object) -> None:
    """Ctrl-C before there is anything to save. As an exception it would get lost: foreign imports catch everything."""
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
