"""A page in a real browser: loaded from a file as by a double click, dragged with a real mouse, read back."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

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


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_a_picture_lies_on_its_shape(opened: Opened, tmp_path: Path, kind: str) -> None:
    """A box of 1 m, seen from the front, whose picture is red on the left and blue on the right, with a green band on
    top; 512 px become 256. With holes: at the lower right one sees through it."""
    pixels = np.full((512, 512, 4), 255, dtype=np.uint8)
    pixels[:, :256, :3], pixels[:, 256:, :3] = (220, 0, 0), (0, 0, 220)
    pixels[:128, :, :3] = (0, 180, 0)
    if kind == "PNG":
        pixels[300:, 300:, 3] = 0
    Image.fromarray(pixels).save(tmp_path / "paint.png")
    look = "<pbr><metal><albedo_map>paint.png</albedo_map></metal></pbr>"
    shape = f"<geometry><box><size>1 1 1</size></box></geometry><material><diffuse>1 1 1</diffuse>{look}</material>"
    (tmp_path / "box.sdf").write_text(
        "<sdf version='1.12'><world name='w'><model name='m'><static>true</static><link name='l'>"
        f"<visual name='v'>{shape}</visual></link></model></world></sdf>"
    )
    path = tmp_path / "box.html"
    write_page(path, [PageStep(open_document(tmp_path / "box.sdf"), camera="front")], "box", duration=0.1)
    assert f"image/{kind.lower()}" in path.read_text(encoding="utf-8")
    opened.open(path)
    seen = opened.now(
        """(() => {
        page.paint();
        const {gl, canvas} = page.view, texel = new Uint8Array(4), ratio = canvas.width / canvas.clientWidth;
        return [[-0.3, -0.2], [0.3, 0.1], [-0.3, 0.4], [0.3, 0.4], [0.3, -0.3]].map(([x, z]) => {
          const [u, v] = page.view.pixel([x, -0.5, z]);
          gl.readPixels(u * ratio, canvas.height - v * ratio, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, texel);
          return [...texel.slice(0, 3)];
        });
        })()"""
    )
    colours = [int(np.argmax(one)) for one in seen]
    assert colours[:4] == [0, 2, 1, 1]
    assert all(max(one) > 2 * sorted(one)[1] for one in seen[:4])
    assert (seen[4][2] > 2 * seen[4][0]) == (kind == "JPEG")
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


@pytest.fixture
def phone(browser: Any) -> Iterator[Opened]:
    """A phone, held upright, with fingers."""
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, device_scale_factor=2
    )
    made = Opened(context.new_page())
    made.page.on("pageerror", lambda error: made.said.append(str(error)))
    yield made
    context.close()


class Fingers:
    """Fingers on the glass, by Chromium's protocol."""

    def __init__(self, opened: Opened) -> None:
        self._session = opened.page.context.new_cdp_session(opened.page)
        self._down: list[dict[str, float]] = []

    def at(self, *points: tuple[float, float]) -> None:
        """Fingers are at these places [px]: more than before touch the glass, others are lifted."""
        places = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
        lifted = self._down[len(places) :]
        if lifted:
            self._send("touchEnd", lifted if places else [])
        if places:
            self._send("touchStart" if len(places) > len(self._down) else "touchMove", places)
        self._down = places

    def _send(self, kind: str, places: list[dict[str, float]]) -> None:
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    def drag(self, start: tuple[float, float], end: tuple[float, float], *, lift: bool = True) -> None:
        for part in np.linspace(0.0, 1.0, 9).tolist():
            self.at((start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])))
        if lift:
            self.at()


def test_a_finger_pulls_a_part(phone: Opened, tmp_path: Path) -> None:
    phone.open(written(tmp_path, "four_bar"))
    x, y, body, local = phone.seen("rocker")
    place = "([body, local]) => page.view.world(body, local)"
    before = phone.now(place, [body, local])
    fingers = Fingers(phone)
    fingers.drag((x, y + 3), (x - 60, y + 10), lift=False)
    phone.wait("page.live.hold && page.live.time > 2")
    assert phone.now(place, [body, local])[0] < before[0] - 0.1
    assert phone.now("page.residual(page.live.row)") < ROUND_OFF
    assert phone.now("getComputedStyle(el('view')).outlineStyle") == "none"
    fingers.at()
    phone.wait("!page.live.hold")
    assert phone.now("scrollY") == 0
    assert phone.said == []


def test_two_fingers_zoom_and_the_one_that_stays_turns(phone: Opened, tmp_path: Path) -> None:
    phone.open(written(tmp_path, "four_bar"))
    fingers = Fingers(phone)
    look = "[page.view.camera.distance, page.view.camera.azimuth]"
    distance, azimuth = phone.now(look)
    fingers.at((150, 100))
    fingers.at((150, 100), (250, 100))
    for wide in range(10, 60, 10):
        fingers.at((150 - wide, 100), (250 + wide, 100))
    phone.wait(f"page.view.camera.distance < {distance} * 0.6")  # fingers 100 px apart are 200 px apart
    assert phone.now(look)[1] == azimuth
    assert phone.now("visualViewport.scale") == 1
    fingers.at((100, 100))
    fingers.at((160, 100))
    phone.wait(f"page.view.camera.azimuth !== {azimuth}")
    fingers.at()
    phone.wait("page.pointers.size === 0")
    assert phone.said == []


def test_fingers_scroll_beside_the_picture_and_move_sliders(phone: Opened, tmp_path: Path) -> None:
    phone.open(written(tmp_path, "slider_crank"))
    fingers = Fingers(phone)
    slider = phone.page.locator("#controls input[type=range]").first
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    fingers.drag((box["x"] + box["width"] / 2, middle), (box["x"] + 0.7 * box["width"], middle))
    phone.wait("page.controls[0].kind.value === 'position' && Number(page.controls[0].slider.value) > 0.1")
    phone.wait("Math.abs(page.live.row[1 + 3 * page.controls[0].motor.axis] - page.controls[0].slider.value) < 0.01")
    phone.now("scrollTo(0, 0)")
    phone.page.tap("#recorded")
    box = phone.page.locator("#scrub").bounding_box()
    middle = box["y"] + box["height"] / 2
    fingers.drag((box["x"] + 8, middle), (box["x"] + box["width"] / 2, middle))
    phone.wait("Math.abs(page.recording.time / page.recording.duration - 0.5) < 0.05")
    fingers.drag((120, 800), (120, 500))
    phone.wait("scrollY > 100")
    assert phone.said == []


@pytest.mark.parametrize("size", [(390, 844), (360, 740), (844, 390)])
def test_on_a_phone_all_is_within_the_screen_and_wide_enough_for_a_finger(
    phone: Opened, tmp_path: Path, size: tuple[int, int]
) -> None:
    """Targets of 38 px and more: between the 24 that WCAG 2.2 has for level AA (2.5.8) and the 44 of level AAA."""
    phone.page.set_viewport_size({"width": size[0], "height": size[1]})
    phone.open(written(tmp_path, "stewart"))
    assert phone.now("document.documentElement.scrollWidth") <= size[0]
    assert phone.now("el('view').clientHeight") > 200
    assert phone.now("el('bar').clientHeight") < (120 if size[0] < 760 else 70)  # one line beside the picture
    low = phone.now(
        "[...document.querySelectorAll('button, select, summary, #scrub, .line input, #legend label')]"
        ".filter((one) => one.offsetParent).map((one) => one.getBoundingClientRect().height)"
    )
    assert min(low) > 37


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


def test_in_a_frame_the_wheel_scrolls_the_page_around_it(opened: Opened, tmp_path: Path) -> None:
    """Until the picture is clicked. The frame has no rights but to run scripts, as learning platforms give them."""
    written(tmp_path, "four_bar")
    outer = tmp_path / "outer.html"
    outer.write_text(
        "<!DOCTYPE html><link rel='icon' href='data:,'><iframe src='four_bar.html' sandbox='allow-scripts' width='800'"
        " height='400'></iframe><p style='height:2000px'>Words.</p>"
    )
    opened.page.goto(outer.as_uri())
    inside = opened.page.frames[1]
    inside.wait_for_function("document.documentElement.dataset.ready === 'yes'")
    distance = inside.evaluate("page.view.camera.distance")
    opened.page.mouse.move(60, 100)
    opened.page.mouse.wheel(0, 150)
    opened.wait("scrollY > 50")
    assert inside.evaluate("page.view.camera.distance") == distance
    opened.now("scrollTo(0, 0)")
    opened.page.mouse.click(60, 100)
    opened.page.mouse.wheel(0, 150)
    inside.wait_for_function(f"page.view.camera.distance > {distance} * 1.05")
    assert opened.said == []


def test_keys_reach_all_and_show_where_they_are(opened: Opened, tmp_path: Path) -> None:
    opened.open(written(tmp_path, "four_bar"))
    opened.page.click("#recorded")
    opened.page.click("header")
    here = "((one) => [one.id || one.tagName, getComputedStyle(one).outlineStyle])(document.activeElement)"
    reached = []
    for _ in range(14):
        opened.page.keyboard.press("Tab")
        reached.append(opened.now(here))
    bar = ["view", "camera", "fit", "play", "reset", "live", "recorded", "scrub", "speed"]
    assert [name for name, _ in reached] == [*bar, *["INPUT"] * 4, "SUMMARY"]
    assert {ring for _, ring in reached} == {"solid"}
    opened.page.focus("#scrub")
    opened.page.keyboard.press("ArrowRight")
    step = opened.now("page.recording.duration") / 100
    assert opened.now("page.recording.time") == pytest.approx(step)
    opened.page.keyboard.press(" ")
    assert opened.now("page.playing")
    opened.page.focus("#play")
    opened.page.keyboard.press("ArrowRight")
    assert not opened.now("page.playing")
    before = opened.now("page.recording.time")
    opened.page.keyboard.press("ArrowLeft")
    assert opened.now("page.recording.time") == pytest.approx(max(before - step, 0.0))
    assert opened.said == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_prints_picture_words_plots_and_readings(browser: Any, tmp_path: Path, scheme: str) -> None:
    """On white, from a phone as from a wide screen, without controls."""
    pdfium = pytest.importorskip("pypdfium2", reason="pypdfium2 reads what was printed: pip install pypdfium2")
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    made = Opened(context.new_page())
    made.open(written(tmp_path, "four_bar", "crank_joint=velocity:3", notes="A bar goes round: $s + l \\le p + q$."))
    made.page.click("#play")
    made.wait("page.live.time > 1")
    made.page.click("#play")
    printed = pdfium.PdfDocument(made.page.pdf(format="A4", print_background=False))
    text = "".join(sheet.get_textpage().get_text_range() for sheet in printed)
    reading = made.now("page.readings[0].position.textContent")
    at = made.now("document.getElementById('time').textContent")
    for words in ("four_bar", f"at {at}", "A bar goes round", "Angles", "crank_joint", reading, "closed by", "kinetic"):
        assert words in text
    for control in ("Recording", "Fit", "Or drag"):
        assert control not in text
    sheet = np.asarray(printed[0].render(scale=1.0).to_pil().convert("RGB"), dtype=float)
    assert sheet[:8].min() == 255.0  # the margin
    picture = sheet[80:300, 60:500]  # floor, and bars in orange and green, neither stretched nor black
    assert picture.mean() > 180.0
    assert np.ptp(picture, axis=2).max() > 150.0
    assert len(printed) <= 2
    made.wait("!page.printing && !el('all').open && page.view.aspect < 1")  # as before, upright
    context.close()


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
