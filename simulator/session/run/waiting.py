"""How the physics process begins. Nothing heavy is imported before it runs: the window starts it first of all."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


def wait_for_job(pipe: Connection) -> None:
    """Load what every simulation needs, receive the `Job`, and work on it until it ends; None instead of a job, or a
    pipe that closes, ends at once."""
    from simulator.session.run.worker import load_kernels, work

    with suppress(EOFError, ConnectionError):  # the window has gone before it had anything to simulate
        if not pipe.poll():
            load_kernels()
        job = pipe.recv()
        if job is not None:
            work(job, pipe)
