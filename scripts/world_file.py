"""Writes the world that a script makes, or compares it with the one that is there."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path


def make(
    document: Callable[[], str], world: Path, purpose: str, arguments: Sequence[str] | None, contents: str = ""
) -> int:
    """Write the document, or compare it with `--check`; returns the exit code. `contents` is said beside its size."""
    parser = argparse.ArgumentParser(description=purpose.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="compare with the file that exists, write nothing")
    parser.add_argument("--out", type=Path, default=world, help="the file")
    options = parser.parse_args(arguments)
    text = document()
    if not options.check:
        options.out.write_text(text, encoding="utf-8")
        print(f"{options.out}: {contents}{len(text)} bytes")
    elif not options.out.is_file() or options.out.read_text(encoding="utf-8") != text:
        print(f"{options.out.name} is not what this script makes", file=sys.stderr)
        return 1
    return 0
