"""Workers that make the samples: threads, processes, or a Dask cluster. All of them give the same rows.

A worker receives a packed task and a span of samples. Only a few spans are submitted ahead of the finished ones, so
that memory does not grow with the study.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import threading
import time
from collections import Counter
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from typing import TYPE_CHECKING, Any

from simulator.diagnostics import counted
from simulator.errors import EngineDiedError, MissingLibraryError, SimulatorError, UsageError
from simulator.records import dataclass
from simulator.studies.samples import rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from simulator.studies.samples import SampleRows

Span = tuple[Any, ...]
"""The first sample and one after the last; then the points of each, if a method has chosen them."""
AHEAD = 2
"""Number of spans that wait at each worker."""
TRIES = 3
"""How often a span may lose its worker."""
PATIENCE = 120.0
"""Seconds in which a lost cluster may come back."""


@dataclass(frozen=True)
class Workers:
    """Threads of this process by default; `processes` of this machine, or those of a Dask scheduler at an address
    (`dask`; "local" starts one with that many processes)."""

    threads: int = 1
    processes: int = 0
    dask: str = ""

    def __post_init__(self) -> None:
        if self.threads < 1 or self.processes < 0:
            raise UsageError("a study needs at least one worker")


class Pool:
    """An executor that can be replaced when its workers die."""

    def __init__(self, workers: Workers) -> None:
        self._workers, self._stack = workers, contextlib.ExitStack()
        self._client: Any = None
        self._threads = 0
        self.link = ""
        self._executor = self._made()

    @property
    def size(self) -> int:
        """Number of samples that are made at a time."""
        if self._client is not None:
            return max(1, self._threads_of_cluster())
        return self._workers.processes or self._workers.threads

    def news(self) -> str:
        """A sentence if workers have left or joined a cluster since the last call, else empty."""
        if self._client is None or (now := self._threads_of_cluster()) == self._threads:
            return ""
        before = self._threads
        self._threads = now
        return f"the cluster has {counted(now, 'worker')}, {before} before" if before else ""

    def _threads_of_cluster(self) -> int:
        return int(sum(self._client.nthreads().values()))

    @property
    def hint(self) -> str:
        """A hint for workers that end again and again."""
        guard = ' (a script must start processes below `if __name__ == "__main__":`)'
        return guard if self._workers.processes and not self._workers.dask else ""

    def submit(self, packed: bytes, span: Span) -> Future[SampleRows]:
        """Submit a span."""
        found: Future[SampleRows] = self._executor.submit(rows_of, packed, *span)
        return found

    def renew(self) -> None:
        """Replace lost workers. Raises EngineDiedError if there are none."""
        self.close()
        self._stack = contextlib.ExitStack()
        self._executor = self._made()

    def close(self) -> None:
        """End it, and cancel waiting spans."""
        with contextlib.suppress(Exception):
            self._executor.shutdown(wait=False, cancel_futures=True)
        with contextlib.suppress(Exception):
            self._stack.close()

    def kill(self) -> None:
        """End processes of this machine at once, whatever they do; waiting spans raise."""
        # ProcessPoolExecutor.kill_workers of Python 3.14 does the same.
        processes = getattr(self._executor, "_processes", None) if self._workers.processes else None
        for process in list((processes or {}).values()):
            process.kill()

    def _made(self) -> Any:
        if self._workers.dask:
            return self._of_cluster()
        if self._workers.processes:
            # A fork would copy locks that threads hold.
            context = multiprocessing.get_context("spawn")
            return ProcessPoolExecutor(self._workers.processes, mp_context=context, initializer=_end_with_parent)
        return ThreadPoolExecutor(self._workers.threads)

    def _of_cluster(self) -> Any:
        try:
            import distributed as found
        except ImportError as error:
            raise MissingLibraryError("--dask needs dask: pip install 'simulator[dask]'") from error
        distributed: Any = found
        self._stack.enter_context(_unlogged())
        if self._workers.dask == "local":
            count = max(self._workers.processes, 1)
            cluster = distributed.LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=":0")
            self._stack.enter_context(cluster)
            self._client = self._stack.enter_context(distributed.Client(cluster))
        else:
            self._client = self._stack.enter_context(self._connected(distributed))
        self.link = str(self._client.dashboard_link or "")
        return self._client.get_executor(pure=False, retries=TRIES)

    def _connected(self, distributed: Any) -> Any:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return distributed.Client(self._workers.dask, timeout=5)
            except (OSError, TimeoutError) as error:
                if self._client is None or time.monotonic() > until:
                    told = f"there is no Dask scheduler at '{self._workers.dask}': {error}"
                    raise EngineDiedError(told) from error
                time.sleep(1.0)


def _end_with_parent() -> None:
    """End this worker when the process that started it is gone, however that ended: the queue of tasks never does."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "only workers call this"

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, name="parent", daemon=True).start()


@contextlib.contextmanager
def _unlogged() -> Iterator[None]:
    """Without the log of Dask, whose tracebacks are about workers that were lost: `make` says so in a sentence."""
    logs = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    levels = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for log, level in zip(logs, levels, strict=True):
            log.setLevel(level)


def make(
    pool: Pool, packed: bytes, spans: Iterable[Span], say: Callable[[str], None] = lambda _: None
) -> Iterator[SampleRows]:
    """Rows of all spans, as they finish. `say`: called with a sentence when workers are lost.

    Raises EngineDiedError for a span that ends its worker each time, and any error of a sample that is not a
    failure of the simulation.
    """
    left = iter(spans)
    tries = Counter[Span]()
    again = list[Span]()
    under_way: dict[Future[SampleRows], Span] = {}
    try:
        while True:
            cause = _give_out(pool, packed, under_way, left, again, say)
            if not under_way and cause is None:
                return
            done = wait(under_way, return_when=FIRST_COMPLETED).done if cause is None else set()
            for future in [one for one in under_way if one in done]:  # those of one worker in their order
                try:
                    rows = future.result()
                except Exception as error:
                    if not _is_loss(error):
                        raise
                    cause = error
                else:
                    del under_way[future]
                    yield rows
            if cause is not None:
                # Other submitted spans are lost too, or made twice, with the same rows.
                again += under_way.values()
                tries.update(again)
                under_way.clear()
                _give_up(tries, pool, cause)
                say(f"workers were lost; {counted(len(again), 'part')} will be repeated")
                pool.renew()
    finally:
        for future in under_way:
            future.cancel()


def _give_out(
    pool: Pool,
    packed: bytes,
    under_way: dict[Future[SampleRows], Span],
    left: Iterator[Span],
    again: list[Span],
    say: Callable[[str], None],
) -> Exception | None:
    """Submit spans to all workers, lost ones first; returns the error if there are no workers any more."""
    try:
        if news := pool.news():
            say(news)
        room = AHEAD * pool.size
        while len(under_way) < room and (span := again[-1] if again else next(left, None)):
            if not again:
                again.append(span)
            under_way[pool.submit(packed, span)] = span
            again.pop()
    except Exception as error:
        return error
    return None


def _give_up(tries: Counter[Span], pool: Pool, cause: Exception) -> None:
    """Raise EngineDiedError if a span has lost its worker too often."""
    span, number = max(tries.items(), key=lambda item: item[1], default=((0, 0), 0))
    if number > TRIES:
        told = f"samples {span[0]} to {span[1] - 1} ended their worker {number} times"
        raise EngineDiedError(f"{told}{pool.hint}: {cause}") from cause


def _is_loss(error: Exception) -> bool:
    """Whether a worker was lost, rather than that a sample raised."""
    if isinstance(error, SimulatorError):
        return False
    lost = isinstance(error, BrokenExecutor | CancelledError | OSError | TimeoutError)
    return lost or type(error).__module__.startswith("distributed")
