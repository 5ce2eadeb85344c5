"""A page in a real browser: loaded from a file as by a double click, dragged with a real mouse, read back."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from simulator.formats.lesson import read_lesson
from simulator.native.ready import wasm
from simulator.session.open.examples import find_file, lesson_paths
from simulator.session.open.opening import open_document
from simulator.session.share.page import PageStep
from simulator.session.share.sharing import lesson_steps, write_page
from simulator.session.text.settings import typed_settings

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LARGEST = 3_000_000
"""Bytes of a page that is sent by mail."""
ROUND_OFF = 1e-12
"""Residual of a loop [m or rad] that a projection has closed; 1e-16 in fact."""


@dataclass
class Opened:
    """A page in the browser, and what went wrong in it."""

    page: Any
    said: list[str] = field(default_factory=list)

    def now(self, expression: str, given: Any = None) -> Any:
        return self.page.evaluate(expression, given)

    def wait(self, expression: str) -> None:
        self.page.wait_for_function(expression, timeout=60_000)

    def open(self, path: Path) -> None:
        self.page.goto(path.as_uri())
        self.wait("document.documentElement.dataset.ready === 'yes'")

    def seen(self, link: str) -> tuple[float, float, int, list[float]]:
        """Where a link is seen in the window [px], highest first; its body, and that point in its frame [m]."""
        x, y, body, local = self.now(
            "(link) => { page.paint(); const box = el('view').getBoundingClientRect();"
            "for (let v = 0.95; v > -1; v -= 0.03) for (let u = -0.98; u < 1; u += 0.015) {"
            "const hit = page.view.hit(u, v); if (hit && hit.link === link)"
            "return [box.left + (1 + u) / 2 * box.width, box.top + (1 - v) / 2 * box.height, hit.body, hit.local]; }"
            "return null; }",
            link,
        )
        return x, y, body, local


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no Chromium is installed (apt-get install chromium)")
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="playwright drives the browser: pip install playwright"
    )
    if wasm() is None:
        pytest.skip("there are no kernels for browsers, and numba and ziglang, which make them, are not installed")
    # No graphics processor is needed; root may not use the sandbox.
    flags = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    flags += ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_api.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=path, args=flags)
        yield running
        running.close()


@pytest.fixture
def opened(browser: Any) -> Iterator[Opened]:
    context = browser.new_context(viewport={"width": 900, "height": 600})
    made = Opened(context.new_page())
    made.page.set_default_timeout(60_000)
    made.page.on("console", lambda message: made.said.append(f"{message.type}: {message.text}"))
    made.page.on("pageerror", lambda error: made.said.append(str(error)))
    made.page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith(("file:", "data:", "blob:"))
            else made.said.append(f"asked for {request.url}")
        ),
    )
    yield made
    context.close()


def written(folder: Path, name: str, *drives: str, notes: str = "") -> Path:
    document = open_document(find_file(name))
    path = folder / f"{name}.html"
    size = write_page(path, [PageStep(document, typed_settings(drives, None), notes=notes)], name, duration=2.0)
    assert size < LARGEST
    return path


def test_it_loads_from_a_file_runs_and_keeps_its_loops_closed(opened: Opened, tmp_path: Path) -> None:
    opened.open(written(tmp_path, "four_bar", "crank_joint=velocity:3"))
    assert opened.now("page.mode") == "live"
    assert opened.now("page.live.time") == 0
    opened.page.click("#play")
    opened.wait("page.live.time > 1")
    assert opened.now("page.live.row[2 + 3 * 0]") == pytest.approx(3.0, rel=1e-3)
    assert opened.now("Math.max(...page.curves.values.map((v) => v[v.length - 1]))") < ROUND_OFF
    opened.page.click("#reset")
    opened.page.click("#play")
    assert opened.now("page.live.time") < 1
    assert opened.said == []


def test_a_part_is_dragged_by_the_mouse(opened: Opened, tmp_path: Path) -> None:
    """A free four-bar swings for ever; one whose rocker is held off its dead point by a spring and damper comes to rest
    there."""
    opened.open(written(tmp_path, "four_bar"))
    x, y, body, local = opened.seen("rocker")
    place = "([body, local]) => page.view.world(body, local)"
    before = opened.now(place, [body, local])
    opened.page.mouse.move(x, y + 3)
    opened.page.mouse.down()
    assert opened.now("page.action") == "pull"
    opened.page.mouse.move(x - 90, y + 10, steps=8)
    opened.wait("page.live.time > 3")
    assert opened.now("Boolean(page.live.hold)")
    after = opened.now(place, [body, local])
    assert after[0] < before[0] - 0.1
    assert abs(opened.now("page.live.row[2]")) < 0.01
    assert opened.now("page.residual(page.live.row)") < ROUND_OFF
    opened.page.mouse.up()
    assert not opened.now("Boolean(page.live.hold)")
    assert opened.said == []


def test_beside_the_parts_the_mouse_turns_the_view(opened: Opened, tmp_path: Path) -> None:
    opened.open(written(tmp_path, "four_bar"))
    before = opened.now("[page.view.camera.azimuth, page.view.camera.distance]")
    opened.page.mouse.move(60, 120)
    opened.page.mouse.down()
    opened.page.mouse.move(160, 140, steps=4)
    opened.page.mouse.up()
    opened.page.mouse.wheel(0, 200)
    opened.wait(f"page.view.camera.distance > {before[1]} * 1.05")
    assert opened.now("page.view.camera.azimuth") != before[0]
    assert opened.now("page.live.time") == 0
    assert opened.said == []


def test_a_slider_drives_a_joint(opened: Opened, tmp_path: Path) -> None:
    opened.open(written(tmp_path, "planetary"))
    slider = opened.page.locator("#controls input[type=range]").first
    slider.evaluate("(one) => { one.value = 0.8; one.dispatchEvent(new Event('input')); }")
    opened.wait("Math.abs(page.live.row[1 + 3 * page.content.live.motors[0].axis] - 0.8) < 1e-3")
    assert opened.now("page.residual(page.live.row)") < ROUND_OFF
    assert opened.said == []


def test_a_recording_is_scrubbed(opened: Opened, tmp_path: Path) -> None:
    opened.open(written(tmp_path, "slider_crank", "crank_joint=velocity:2"))
    opened.page.click("#recorded")
    scrub = opened.page.locator("#scrub")
    scrub.evaluate("(one) => { one.value = 1.5; one.dispatchEvent(new Event('input')); }")
    assert opened.now("page.recording.time") == pytest.approx(1.5)
    assert opened.now("page.recording.row[2]") == pytest.approx(2.0, rel=1e-3)
    assert opened.said == []


def test_without_webassembly_the_recording_is_played_and_the_page_says_so(opened: Opened, tmp_path: Path) -> None:
    opened.page.add_init_script("delete window.WebAssembly")
    opened.open(written(tmp_path, "four_bar"))
    assert opened.now("page.mode") == "recording"
    assert "this browser has no WebAssembly" in opened.page.inner_text("#remark")
    opened.page.click("#play")
    opened.wait("page.recording.time > 0.3")
    assert opened.said == []


def test_a_lesson_shows_its_steps(opened: Opened, tmp_path: Path) -> None:
    lesson, _ = read_lesson(next(path for name, path in lesson_paths().items() if "grashof" in name))
    assert lesson is not None
    path = tmp_path / "lesson.html"
    assert write_page(path, lesson_steps(lesson, open_document), lesson.title, duration=1.0) < LARGEST
    opened.open(path)
    assert opened.page.inner_text("#heading") == "One bar goes round"
    assert opened.page.locator("#notes math").count() > 0
    opened.wait("page.live.time > 0.2")
    opened.page.click("#after")
    opened.wait("page.ready && page.number === 1")
    assert opened.page.inner_text("#heading") == lesson.steps[1].title
    assert opened.said == []


def test_it_is_used_by_keys_alone(opened: Opened, tmp_path: Path) -> None:
    opened.open(written(tmp_path, "four_bar"))
    opened.page.keyboard.press(" ")
    opened.wait("page.live.time > 0.1")
    opened.page.keyboard.press(" ")
    assert not opened.now("page.playing")
    opened.page.focus("#view")
    before = opened.now("page.view.camera.azimuth")
    opened.page.keyboard.press("ArrowLeft")
    assert opened.now("page.view.camera.azimuth") < before
    opened.page.keyboard.press("r")
    assert opened.now("page.live.time") == 0
    assert opened.said == []


def test_on_a_phone_nothing_is_wider_than_the_screen(browser: Any, tmp_path: Path) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True, device_scale_factor=2)
    made = Opened(context.new_page())
    made.open(written(tmp_path, "stewart"))
    assert made.now("document.documentElement.scrollWidth") <= 360
    assert made.now("el('view').clientHeight") > 200
    context.close()


def test_in_a_frame_it_tells_the_page_around_it_where_it_is(opened: Opened, tmp_path: Path) -> None:
    written(tmp_path, "four_bar", "crank_joint=velocity:3")
    outer = tmp_path / "outer.html"
    outer.write_text(
        "<!DOCTYPE html><link rel='icon' href='data:,'><iframe src='four_bar.html' width='700' height='500'></iframe>"
        "<script>addEventListener('message', (event) => { window.last = event.data.simulator; });</script>"
    )
    opened.page.goto(outer.as_uri())
    opened.wait("window.last && window.last.position.length === 4")
    opened.now("document.querySelector('iframe').contentWindow.postMessage({simulator_order: {order: 'run'}}, '*')")
    opened.wait("window.last.playing && window.last.time > 0.3")
    assert opened.now("window.last.velocity[0]") == pytest.approx(3.0, rel=1e-3)
    assert opened.said == []


def test_a_notebook_gets_values_from_the_page(opened: Opened, tmp_path: Path) -> None:
    """The script of the widget, with a model as anywidget gives it."""
    import simulator
    from simulator.api.notebook import SCRIPT

    sim = simulator.load("four_bar")
    sim.drive("crank_joint", simulator.velocity(3.0))
    (tmp_path / "page.js").write_text(
        f"window.held = {json.dumps(sim.page(duration=1.0)).replace('</', '<' + chr(92) + '/')};"
    )
    (tmp_path / "notebook.html").write_text(
        "<!DOCTYPE html><link rel='icon' href='data:,'><div id='cell'></div><script src='page.js'></script><script>"
        + SCRIPT.replace("export default { render };", "")
        + """
        const heard = {}, traits = { page: window.held, height: 400 };
        window.traits = traits;
        const model = { get: (name) => traits[name], set: (values) => Object.assign(traits, values),
          save_changes: () => { traits.saved = true; }, on: (name, call) => { heard[name] = call; }, off: () => {} };
        window.tell = (order) => heard["msg:custom"]({ order });
        render({ model, el: document.getElementById("cell") });
        </script>"""
    )
    opened.page.goto((tmp_path / "notebook.html").as_uri())
    opened.wait("traits.saved")
    opened.now("tell('run')")
    opened.wait("traits.playing && traits.time > 0.2")
    assert opened.now("traits.velocity[0]") == pytest.approx(3.0, rel=1e-3)
    opened.now("tell('pause')")
    opened.wait("!traits.playing")
    assert opened.said == []
