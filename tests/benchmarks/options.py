"""Command-line options of the programs of scripts/bench, in the same words for all of them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass

FEWEST = 3
"""Rounds below which a median says nothing."""


@dataclass(frozen=True)
class Options:
    """`program` and `doc` (a module's docstring) head the help; `known` are the names of one `kind` that it takes,
    `rounds` and `seconds` what it does unless told otherwise; it refuses less than `fewest` rounds."""

    program: str
    doc: str
    kind: str
    known: Sequence[str]
    rounds: int
    seconds: float
    seconds_of: str
    fewest: int = 1

    def parser(self) -> argparse.ArgumentParser:
        """`names`, `--rounds`, `--seconds`, `--json`; a program adds its own."""
        parser = argparse.ArgumentParser(prog=self.program, description=self.doc.split("\n", maxsplit=1)[0])
        offered = f"some of: {', '.join(self.known)} (default: all)"
        rounds = f"rounds in which all take turns, at least {self.fewest}"
        parser.add_argument("names", nargs="*", metavar=self.kind, help=offered)
        parser.add_argument("--rounds", type=int, default=self.rounds, help=rounds)
        parser.add_argument("--seconds", type=float, default=self.seconds, help=self.seconds_of)
        parser.add_argument("--json", action="store_true", help="JSON with every round instead of the table")
        return parser

    def checked(self, parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> argparse.Namespace:
        """What was asked for; ends the program where there are too few rounds or a name is not known."""
        options = parser.parse_args(arguments)
        if options.rounds < self.fewest:
            sys.exit(f"at least {self.fewest} rounds: with fewer, a median says nothing")
        unknown = [name for name in options.names if name not in self.known]
        if unknown:
            sys.exit(f"no {self.kind} is named '{unknown[0]}'. Available: {', '.join(self.known)}")
        return options


def offer_page(parser: argparse.ArgumentParser, page: str) -> None:
    """`--page`."""
    parser.add_argument("--page", action="store_true", help=f"write the table into {page} as well")
