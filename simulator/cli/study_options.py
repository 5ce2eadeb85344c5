"""Options that the commands about studies have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

StudyFile = Annotated[Path, typer.Argument(metavar="STUDY.toml", help="what varies, and what is measured")]
Threads = Annotated[int | None, typer.Option("--workers", metavar="N", min=1, help="threads; one a core by default")]
Processes = Annotated[int, typer.Option("--processes", metavar="N", min=0, help="so many processes instead of threads")]
Dask = Annotated[
    str, typer.Option("--dask", metavar="ADDRESS", help="a Dask scheduler, or `local` for one with --processes N")
]
Resume = Annotated[bool, typer.Option("--resume", help="continue from the results in FOLDER")]
OutputFolder = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FOLDER", help="a folder for all samples; none by default")
]
AsJson = Annotated[bool, typer.Option("--json", help="one JSON object instead of the table")]
