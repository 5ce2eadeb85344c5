"""Which tests a process runs, with pytest-xdist and `--dist=loadfile`, and how they continue after it has crashed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdist.scheduler import LoadFileScheduling

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController


TOGETHER = "tests/architecture/"


class FilesOnce(LoadFileScheduling):  # type: ignore[misc]  # pytest-xdist has no types
    """Gives the other processes what a crashed one has left of its files, without the test that it crashed in.

    A process runs a test when it knows the next one, or that there is none. pytest-xdist 3.8 lets it wait forever where
    a file brings none: one that a crashed process had finished, or, for the process that replaces it, a first file with
    a single test.
    """

    def _split_scope(self, nodeid: str) -> str:
        """The file of a test; files that look through the same thousand syntax trees are one."""
        file: str = super()._split_scope(nodeid)
        return TOGETHER if file.startswith(TOGETHER) else file

    def remove_node(self, node: WorkerController) -> str | None:
        """Take a process away that has ended; the test that it crashed in, or None."""
        files = self.assigned_work.pop(node)
        left: list[tuple[str, str]] = [
            (file, test) for file, tests in files.items() for test, done in tests.items() if not done
        ]
        if not left:
            return None
        (_, crashed), *again = left
        for file, test in again:
            self.workqueue.setdefault(file, {})[test] = False
        for other in self.assigned_work:
            self._reschedule(other)
        return crashed

    def _reschedule(self, node: WorkerController) -> None:
        if node.shutting_down or node not in self.registered_collections:  # it ends, or has yet to find the tests
            return
        while self.workqueue and self._pending_of(self.assigned_work[node]) <= 2:
            self._assign_work_unit(node)
        if not self.workqueue:
            node.shutdown()
