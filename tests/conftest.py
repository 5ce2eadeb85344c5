"""What all tests share: settings and caches of their own, no network, the public corpus, small documents."""

from __future__ import annotations

import gc
import os
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from simulator.collector import keep_all
from simulator.formats import packages
from simulator.formats.fuel import CACHES
from simulator.formats.resources import ENVIRONMENT, MORE_ENVIRONMENT, PREFIXES
from tests.helpers.crashed_workers import FilesOnce
from tests.helpers.own_display import start_own_display
from tests.helpers.repository import ROOT

CORPUS = ROOT.parent / "shared" / "corpus"

# An example may take as long as it takes: how long that is says how busy the machine is.
settings.register_profile("without a clock", settings.default, deadline=None)
settings.load_profile("without a clock")


def pytest_configure(config: pytest.Config) -> None:
    """Before anything of ours or Qt's is loaded: settings, recordings and caches of the tests are not the user's, and
    Ctrl-C reaches the programs that tests start, which a shell's background jobs would inherit deaf to it.

    Only libraries of kernels are shared, which carry a hash of their sources and take minutes to make anew, and what
    zig makes of the libraries of other systems, which are the same for all.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault("SIMULATOR_KERNELS_FOLDER", str(platformdirs.user_cache_path("simulator") / "kernels"))
    os.environ.setdefault("ZIG_GLOBAL_CACHE_DIR", str(platformdirs.user_cache_path("zig")))
    if "PYTEST_XDIST_WORKER" in os.environ and os.environ.get("DISPLAY"):
        config.add_cleanup(start_own_display())
    home = tempfile.TemporaryDirectory(prefix="simulator-tests-")
    config.add_cleanup(home.cleanup)
    for variable in ("CONFIG", "DATA", "STATE", "CACHE"):
        os.environ[f"XDG_{variable}_HOME"] = str(Path(home.name, variable.lower()))
    for variable in (*ENVIRONMENT, *MORE_ENVIRONMENT, *PREFIXES, *CACHES):
        os.environ.pop(variable, None)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Twelve thousand tests are half a million objects that stay: Python's cycle collector does not look through them
    while they are made, nor in each of its collections afterwards."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        keep_all()
        gc.enable()


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    """A crash fails the test that crashes, and the others run."""
    return FilesOnce(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.fixture(autouse=True, scope="session")
def no_network() -> Iterator[None]:
    """A test that opens a connection to another machine fails."""
    connect = socket.socket.connect

    def connect_here_only(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in ("localhost", "127.0.0.1", "::1"):
            raise AssertionError(f"tests do without a network, this one asks for {address}")
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect_here_only)
        yield


@pytest.fixture(autouse=True, scope="session")
def no_neighbours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What a document names is searched for around it, not in the folders of thousands of other tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packages, "_SHARED", (*packages._SHARED, str(tmp_path_factory.getbasetemp())))
        yield


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of public documents beside the checkout."""
    if not CORPUS.is_dir():
        pytest.skip("there is no folder of public documents beside this checkout")
    return CORPUS


@pytest.fixture
def write_document(tmp_path: Path) -> Callable[..., Path]:
    """Write the text of a document (see tests/helpers/documents.py) to a file and tell where it is."""

    def write(text: str, name: str = "document.sdf") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write
