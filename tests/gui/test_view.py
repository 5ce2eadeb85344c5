"""The 3-D view: with OpenGL, without it, and when OpenGL fails while it runs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QImage, QSurface
from pytestqt.qtbot import QtBot

from simulator.gui.selection import Item, ItemKind
from simulator.gui.viewport import views
from simulator.gui.viewport.copied_view import CopiedView
from simulator.gui.viewport.gl_drawing import GLDrawing
from simulator.gui.viewport.painter_view import PainterView
from simulator.gui.viewport.views import GLView
from simulator.model.world import World
from simulator.rendering.build import build_scene
from simulator.rendering.offscreen import render_picture
from simulator.session.commands.commands import StepOnce
from tests.gui.conftest import Bench


def colours(image: QImage) -> int:
    """Number of distinct colours on a coarse grid."""
    points = ((x, y) for x in range(0, image.width(), 9) for y in range(0, image.height(), 9))
    return len({image.pixel(x, y) for x, y in points})


@pytest.mark.display
def test_opengl_draws_and_picks(gl_bench: Bench, qtbot: QtBot) -> None:
    gl_bench.open()
    view = gl_bench.window.viewport
    canvas = view.canvas
    assert isinstance(canvas, GLDrawing)
    qtbot.waitUntil(lambda: canvas.renderer_name != "", timeout=20000)
    qtbot.wait(100)
    assert colours(canvas.grab().toImage()) > 20
    seen = view.state.camera.project(np.array([[0.2, 0.0, 0.06]]), canvas.width() / canvas.height())[0]
    at = QPointF((seen[0] + 1) / 2 * canvas.width(), (1 - seen[1]) / 2 * canvas.height())
    assert canvas.pick(at) == "machine::rack"
    assert canvas.pick(QPointF(3.0, 3.0)) is None
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=at.toPoint())
    assert gl_bench.window.selection.item == Item(ItemKind.LINK, "machine::rack")


@pytest.mark.display
def test_a_picture_drawn_in_the_same_process_leaves_opengl_to_the_window(gl_bench: Bench) -> None:
    render_picture(build_scene(World()), size=(32, 32))
    gl_bench.open()
    assert isinstance(gl_bench.window.viewport.canvas, GLDrawing)


@pytest.mark.display
def test_shadows_grid_frames_and_another_world(gl_bench: Bench, qtbot: QtBot) -> None:
    gl_bench.open()
    canvas, actions = gl_bench.window.viewport.canvas, gl_bench.window.actions_
    assert isinstance(canvas, GLDrawing)
    for key in ("shadow", "grid", "frames", "axes", "labels"):
        actions[key].toggle()
    qtbot.waitUntil(lambda: canvas.renderer_name != "", timeout=20000)
    qtbot.wait(200)
    gl_bench.open("other.sdf")
    qtbot.wait(100)
    assert not canvas._broken
    assert colours(canvas.grab().toImage()) > 10


@pytest.mark.display
def test_a_failing_renderer_is_replaced_by_the_painter(
    gl_bench: Bench, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_self: object) -> None:
        raise RuntimeError("the driver is lost")

    monkeypatch.setattr(GLDrawing, "_draw", fail)
    gl_bench.open()
    qtbot.waitUntil(lambda: isinstance(gl_bench.window.viewport.canvas, PainterView), timeout=20000)
    assert any(finding.code == "OPENGL_UNAVAILABLE" for finding in gl_bench.live.diagnostics)
    qtbot.wait(50)


@pytest.mark.display
def test_only_a_graphics_processor_composes_the_window(
    make_bench: Callable[..., Bench], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Software draws the view beside the window, which stays one that Qt's painter fills, and it is the same."""
    pictures = []
    for in_software, kind in ((False, GLView), (True, CopiedView)):
        monkeypatch.setattr(views, "is_software", lambda _context, answer=in_software: answer)
        bench = make_bench()
        bench.open()
        canvas = bench.window.viewport.canvas
        assert type(canvas) is kind
        qtbot.waitUntil(lambda canvas=canvas: canvas.renderer_name != "", timeout=20000)
        qtbot.wait(100)
        handle = bench.window.windowHandle()
        assert handle is not None
        assert (handle.surfaceType() == QSurface.SurfaceType.RasterSurface) == in_software
        image = canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
        bits = image.constBits()
        assert bits is not None
        rows = np.frombuffer(bits.asstring(image.sizeInBytes()), dtype=np.uint8).reshape(image.height(), -1)
        pictures.append(rows[:, : 3 * image.width()].astype(int))
        bench.window.close()
    assert pictures[0].shape == pictures[1].shape
    # edges may be rasterised by another rule where rows are counted from the other end
    assert np.mean(np.abs(pictures[0] - pictures[1]) > 2) <= 0.005
    assert np.ptp(pictures[1]) > 100


def test_without_opengl_the_painter_draws_and_picks(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    view = bench.window.viewport
    assert isinstance(view.canvas, PainterView)
    qtbot.wait(50)
    assert colours(view.canvas.grab().toImage()) > 8
    seen = view.state.camera.project(np.array([[0.2, -0.03, 0.06]]), view.canvas.width() / view.canvas.height())[0]
    at = QPointF((seen[0] + 1) / 2 * view.canvas.width(), (1 - seen[1]) / 2 * view.canvas.height())
    assert view.canvas.pick(at) == "machine::rack"


def test_the_mouse_orbits_pans_and_zooms(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    view = bench.window.viewport
    canvas, start = view.canvas, view.state.camera

    def drag(button: Qt.MouseButton) -> None:
        qtbot.mousePress(canvas, button, pos=QPoint(100, 100))
        for x in (110, 130, 160):
            qtbot.mouseMove(canvas, QPoint(x, 120))
        qtbot.mouseRelease(canvas, button, pos=QPoint(160, 120))

    view.navigator._pressed = None
    drag(Qt.MouseButton.LeftButton)
    assert bench.window.selection.item is None
    view.standard_view("front")
    assert view.state.camera.elevation == 0.0
    view.state.camera = start
    view.fit(frozenset({"machine::pinion"}))
    assert view.state.camera.distance < start.distance


def test_link_poses_follow_the_snapshot(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    bench.live.send(StepOnce(300))
    bench.window.tick()
    snapshot, state = bench.live.snapshot, bench.window.viewport.state
    assert snapshot is not None
    assert state.scene is not None
    row = state.scene.link_numbers["machine::rack"]
    assert state.poses[row, 0] == pytest.approx(snapshot.position[1])


def test_hovering_the_tree_highlights_in_the_view(bench: Bench) -> None:
    bench.open()
    bench.window.selection.hover(Item(ItemKind.JOINT, "machine::pinion_joint"))
    assert bench.window.viewport.state.hovered == "machine::pinion"
    bench.window.selection.hover(None)
    assert bench.window.viewport.state.hovered is None


def test_a_reload_keeps_the_camera(bench: Bench) -> None:
    bench.open()
    view = bench.window.viewport
    view.state.camera = view.state.camera.orbit(0.3, 0.1)
    view.navigator.moved.emit()  # as the mouse does: a view that was not turned is fitted again
    kept = view.state.camera
    bench.window.actions_["reload"].trigger()
    assert view.state.camera == kept


def test_a_link_is_picked_from_six_pixels_beside_it(bench: Bench) -> None:
    """Above the highest pixel of all that is drawn there is nothing else."""
    bench.open()
    canvas = bench.window.viewport.canvas
    assert isinstance(canvas, PainterView)
    canvas.grab()
    corners = [(x, y) for polygon in canvas._painted._polygons if polygon.link for x, y in polygon.points]
    x, y = min(corners, key=lambda corner: corner[1])
    assert canvas.pick(QPointF(x, y - 4.0)) is not None
    assert canvas.pick(QPointF(x, y - 12.0)) is None
