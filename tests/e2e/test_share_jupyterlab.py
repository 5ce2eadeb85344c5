"""`sim.show()` in JupyterLab: a real kernel runs a cell, the mechanism is dragged there, and Python reads where."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_share_page import Opened, browser

__all__ = ["browser"]

CELLS = (
    "import simulator\nsim = simulator.load('four_bar')\nshown = sim.show(height=420)\nshown",
    "print(shown.now()['four_bar::crank_joint'], shown.time)",
    "shown.reset()",
)
SEEN = """(link) => {
  page.paint();
  for (let v = 0.95; v > -1; v -= 0.03) for (let u = -0.98; u < 1; u += 0.015) {
    const hit = page.view.hit(u, v), box = el("view").getBoundingClientRect();
    if (hit && hit.link === link) return [box.left + (1 + u) / 2 * box.width, box.top + (1 - v) / 2 * box.height];
  }
}"""


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[str]:
    """The address of a server with a notebook of `CELLS`, and this Python as its kernel."""
    program = shutil.which("jupyter-lab")
    if program is None:
        pytest.skip("JupyterLab is not installed (pip install jupyterlab)")
    pytest.importorskip("anywidget", reason="show() needs it: pip install anywidget")
    kernel = {
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "this one",
        "language": "python",
    }
    (tmp_path / "data/kernels/this_one").mkdir(parents=True)
    (tmp_path / "data/kernels/this_one/kernel.json").write_text(json.dumps(kernel))
    cells = [
        {"cell_type": "code", "id": f"c{i}", "metadata": {}, "source": text, "outputs": [], "execution_count": None}
        for i, text in enumerate(CELLS)
    ]
    spec = {"name": "this_one", "display_name": "this one", "language": "python"}
    notebook = {"cells": cells, "metadata": {"kernelspec": spec}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks/mechanism.ipynb").write_text(json.dumps(notebook))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = {
        **os.environ,
        "JUPYTER_DATA_DIR": str(tmp_path / "data"),
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
        "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"),
        "JUPYTER_PATH": str(Path(sys.prefix, "share/jupyter")),  # anywidget's part of the page
        "PYTHONPATH": os.pathsep.join(filter(None, (os.getcwd(), os.environ.get("PYTHONPATH")))),
    }
    options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}", "--IdentityProvider.token="]
    with (tmp_path / "lab.log").open("w") as log:
        server = subprocess.Popen(
            [program, *options, f"--ServerApp.root_dir={tmp_path / 'notebooks'}"], env=env, stdout=log, stderr=log
        )
        try:
            _wait_for(port, server)
            yield f"http://127.0.0.1:{port}/lab/tree/mechanism.ipynb"
        finally:
            server.terminate()
            server.wait(30)


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert server.poll() is None, "JupyterLab ended"
        time.sleep(0.1)
    raise AssertionError("JupyterLab does not answer")


def run_cell(page: Any, number: int) -> Any:
    cell = page.locator(".jp-Notebook .jp-Cell").nth(number)
    cell.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    return cell


def test_a_mechanism_is_dragged_in_a_cell_and_python_reads_it(browser: Any, lab: str) -> None:
    context = browser.new_context(viewport={"width": 1300, "height": 900})
    made = Opened(context.new_page())
    page = made.page
    page.set_default_timeout(120_000)
    page.goto(lab)
    page.wait_for_selector(".jp-Notebook .jp-Cell .cm-content")
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]")
    run_cell(page, 0)
    frame = page.locator("iframe[title=Mechanism]")
    inside = frame.element_handle().content_frame()
    inside.wait_for_function("document.documentElement.dataset.ready === 'yes'")
    box = frame.bounding_box()
    x, y = (at + begin for at, begin in zip(inside.evaluate(SEEN, "rocker"), (box["x"], box["y"]), strict=True))
    page.mouse.move(x, y + 3)
    page.mouse.down()
    page.mouse.move(x - 60, y + 10, steps=8)
    inside.wait_for_function("page.live.hold && page.live.time > 2")
    page.mouse.up()
    inside.evaluate("page.play(false)")
    time.sleep(0.5)  # what the page reports, ten times a second, is on its way to the kernel
    printed = run_cell(page, 1).locator(".jp-OutputArea-output").inner_text()
    position, at = (float(number) for number in re.findall(r"[-+\d.e]+", printed))
    assert position == pytest.approx(inside.evaluate("page.live.row[1]"), abs=1e-12)
    assert at == pytest.approx(inside.evaluate("page.live.time"), abs=1e-12)
    assert abs(position) > 0.1
    run_cell(page, 2)
    inside.wait_for_function("page.live.time === 0")
    context.close()
