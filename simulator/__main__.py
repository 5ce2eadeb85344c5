"""`python -m simulator` and the console script `simulator`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    from simulator.cli.app import run_from_shell

    sys.exit(run_from_shell(sys.argv[1:]))


if __name__ == "__main__":
    main()
