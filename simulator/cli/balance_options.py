"""The options of `simulator equilibrium` and `simulator linearise`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from simulator.cli.options import (
    File,
    Forces,
    Initial,
    InitialVelocity,
    Numbers,
    with_reading_options,
)

if TYPE_CHECKING:
    from simulator.formats.options import ReadingOptions

Hold = Annotated[bool, typer.Option("--hold", help="around the start, held there by efforts on its axes")]
Response = Annotated[
    str | None,
    typer.Option(
        "--response",
        metavar="FROM:TO[:N]",
        help="also the frequency response: N frequencies [Hz] from FROM to TO, evenly spaced on a "
        "logarithmic scale (25)",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="print an object instead of the table")]


@with_reading_options
def equilibrium(
    file: File,
    numbers: Numbers = None,
    initial: Initial = None,
    initial_velocity: InitialVelocity = None,
    force: Forces = None,
    as_json: AsJson = False,
    *,
    options: ReadingOptions,
) -> None:
    """Stable poses, and the efforts that hold the start; axes with an initial velocity retain it."""
    from simulator.cli.balance_command import report_equilibrium
    from simulator.session.text.settings import typed_settings

    settings = typed_settings(None, initial, initial_velocity, forces=force, numbers=numbers)
    raise typer.Exit(report_equilibrium(file, settings, options, as_json=as_json))


@with_reading_options
def linearise(
    file: File,
    numbers: Numbers = None,
    initial: Initial = None,
    initial_velocity: InitialVelocity = None,
    force: Forces = None,
    hold: Hold = False,
    response: Response = None,
    as_json: AsJson = False,
    *,
    options: ReadingOptions,
) -> None:
    """Small motion around the start: matrices A, B, C, D, eigenvalues, modes and frequency response."""
    from simulator.cli.balance_command import report_linear
    from simulator.session.batch.analysing import parsed_frequencies
    from simulator.session.text.settings import typed_settings

    settings = typed_settings(None, initial, initial_velocity, forces=force, numbers=numbers)
    frequencies = parsed_frequencies(response) if response else ()
    raise typer.Exit(report_linear(file, settings, options, hold=hold, frequencies=frequencies, as_json=as_json))
