"""A cluster in small: a scheduler and workers in processes of their own, of which some go away."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from simulator.errors import EngineDiedError
from simulator.studies.study import study
from tests.helpers.repository import ROOT
from tests.helpers.small_cluster import APART, TABLE, can_be_apart

# A client that loses its scheduler leaves sockets to the collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def test_workers_and_a_scheduler_that_go_away_change_nothing(tmp_path: Path) -> None:
    """One worker is killed, one joins late, and the scheduler is killed and started again in the midst of a study: in
    three network namespaces, or on loopback where they are not allowed."""
    alone = study(TABLE, workers=1)
    apart = can_be_apart()
    command = [*(APART if apart else []), sys.executable, "-m", "tests.helpers.small_cluster", str(tmp_path)]
    subprocess.run([*command, *(["--apart"] if apart else [])], cwd=ROOT, check=True, timeout=300)
    np.testing.assert_array_equal(np.load(tmp_path / "measures.npy"), alone.measures)
    said = (tmp_path / "said.txt").read_text(encoding="utf-8").splitlines()
    assert any("workers were lost" in line for line in said)
    assert any(line.startswith("the cluster has ") for line in said)


def test_a_cluster_of_this_machine_gives_the_same_bytes(tmp_path: Path) -> None:
    study(TABLE, tmp_path / "alone")
    study(TABLE, tmp_path / "cluster", dask="local", processes=2)
    alone, cluster = (sorted(folder.iterdir()) for folder in (tmp_path / "alone", tmp_path / "cluster"))
    assert [file.name for file in cluster] == [file.name for file in alone]
    assert [file.read_bytes() for file in cluster] == [file.read_bytes() for file in alone]
    gc.collect()


def test_a_cluster_that_is_not_there_is_one_line() -> None:
    begun = time.monotonic()
    with pytest.raises(EngineDiedError, match=r"no Dask scheduler at 'tcp://127.0.0.1:1'"):
        study(TABLE, dask="tcp://127.0.0.1:1")
    assert time.monotonic() - begun < 60.0
