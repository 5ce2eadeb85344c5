"""Kernels let other threads run: a thread that sleeps for an instant wakes up while another one is still inside a
kernel."""

from __future__ import annotations

import threading
import time

import pytest

from simulator.native.library import mode
from simulator.physics.compiled.model import CompiledMechanism
from tests.helpers.four_bars import bars

NAPS = 20
STEPS = 400_000
"""About a second; a kernel that kept the interpreter's lock would let the first nap end only when it is done."""


@pytest.mark.skipif(mode() == "python", reason="kernels that run as Python hold the interpreter's lock")
def test_a_kernel_keeps_nobody_waiting() -> None:
    model = CompiledMechanism(bars(0.4, 0.1, 0.35, 0.3))
    model.step(1e-4)
    thread = threading.Thread(target=model.step, args=(1e-6, STEPS))
    thread.start()
    for _ in range(NAPS):
        time.sleep(0.0001)
    woke_in_between = thread.is_alive()
    thread.join()
    assert woke_in_between
