"""Garbage is collected in the thread of the window: a widget that dies in another one takes the program with it."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from simulator.collector import keep_all
from simulator.gui.own_collector import EVERY, OwnCollector


class Cycle:
    """Holds itself, and says which thread it died in."""

    def __init__(self, died_in: list[threading.Thread]) -> None:
        self.me = self
        self._died_in = died_in

    def __del__(self) -> None:
        self._died_in.append(threading.current_thread())


@pytest.fixture
def collector() -> Iterator[OwnCollector]:
    made = OwnCollector()
    yield made
    made.stop()


def busy() -> None:
    """Makes what sets off automatic collections of all generations."""
    for _ in range(100):
        kept = [[] for _ in range(1000)]
        kept.clear()


def test_a_busy_thread_collects_nothing_and_the_window_does(qtbot: QtBot, collector: OwnCollector) -> None:
    died_in: list[threading.Thread] = []
    Cycle(died_in)
    thread = threading.Thread(target=busy)
    thread.start()
    thread.join()
    assert not died_in
    more = [[] for _ in range(2 * gc.get_threshold()[0])]  # beyond the threshold, as in a session
    qtbot.waitUntil(lambda: bool(died_in), timeout=20 * EVERY)
    assert died_in == [threading.main_thread()]
    assert more


def test_what_was_kept_goes_once_it_is_in_use_no_more() -> None:
    """Of a document that has been left for another one nothing stays for good."""
    died_in: list[threading.Thread] = []
    left = Cycle(died_in)
    keep_all()
    del left
    gc.collect()
    assert not died_in
    keep_all()
    assert len(died_in) == 1


def test_afterwards_collections_are_automatic_again(qapp: object) -> None:
    OwnCollector().stop()
    assert gc.isenabled()
