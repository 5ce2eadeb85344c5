"""Start of the physics process. Nothing heavy is imported before it runs: the window starts it first of all."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


def wait_for_job(pipe: Connection) -> None:
    """Load the common libraries, receive the `Job`, and work on it until it ends; None instead of a job, or a
    closed pipe, ends at once."""
    from simulator.session.run.worker import load_kernels, work

    with suppress(EOFError, ConnectionError):  # the window closed before it had a document
        if not pipe.poll():
            load_kernels()
        job = pipe.recv()
        if job is not None:
            work(job, pipe)
