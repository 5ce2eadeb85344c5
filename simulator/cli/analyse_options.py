"""The options of `simulator analyse`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from simulator.cli.options import File, Forces, Initial, MovesOptions, Numbers, WrittenOptions, with_reading_options

if TYPE_CHECKING:
    from simulator.formats.options import ReadingOptions


@with_reading_options
def analyse(
    file: File,
    *,
    moves: MovesOptions,
    numbers: Numbers = None,
    initial: Initial = None,
    force: Forces = None,
    written: WrittenOptions,
    options: ReadingOptions,
) -> None:
    """Positions without time: move axes and report motion, efforts and reactions at each position."""
    from simulator.cli.analyse_command import analyse_document
    from simulator.session.text.settings import typed_settings

    settings = typed_settings(None, initial, forces=force, numbers=numbers)
    raise typer.Exit(analyse_document(file, settings, options, moves, written))
