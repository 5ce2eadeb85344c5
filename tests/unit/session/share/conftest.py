"""Kernels for browsers, and node to run the script of a page without a browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simulator.native.ready import wasm
from simulator.session.share import page

Run = Callable[[dict[str, Any], str], Any]

HEAD = """
const fs = require("fs"), vm = require("vm");
const [script, given, made] = process.argv.slice(2);
vm.runInThisContext(fs.readFileSync(script, "utf8") + "\\n;globalThis.Live = Live;");
(async () => {
  const shared = JSON.parse(fs.readFileSync(given, "utf8"));
  const result = await (async () => {
"""
TAIL = """
  })();
  fs.writeFileSync(made, JSON.stringify(result));
})().catch((error) => { console.error(error); process.exit(1); });
"""


@pytest.fixture
def in_node(tmp_path: Path) -> Run:
    """Calls with what `live_content` gives and JavaScript that returns something; `shared` is the former there."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed, which runs the script of a page without a browser")
    if wasm() is None:
        pytest.skip("there are no kernels for browsers, and numba and ziglang, which make them, are not installed")

    def run(content: dict[str, Any], asked: str) -> Any:
        (tmp_path / "given.json").write_text(json.dumps(content, default=lambda value: value.tolist()))
        (tmp_path / "run.js").write_text(HEAD + asked + TAIL)
        script = str(page.HERE / "physics.js")
        command = [node, str(tmp_path / "run.js"), script, str(tmp_path / "given.json"), str(tmp_path / "made.json")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads((tmp_path / "made.json").read_text())

    return run
