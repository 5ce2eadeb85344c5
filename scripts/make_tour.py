"""Takes the pictures of the tour of the window: every panel, mode and lesson, light and dark.

    python scripts/make_tour.py FOLDER [SCENE...] [--format 1280x800]     needs a display, for example
    xvfb-run -a -s "-screen 0 1920x1200x24" python scripts/make_tour.py pictures kinematics
    python scripts/make_tour.py --docs                                    those that pages of docs/ show

A format is a size in pixels and the scale of the type on it: 1280x800, 1920x1080, 1280x800@1.5; without one all three
are taken, each in a process of its own, because Qt reads its scale once. Writes FOLDER/<scene>-<theme>-<format>.png;
with --docs docs/pictures/tour/<scene>.webp. Simulated time is stepped, so that pictures show the same moment again.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tour_of_drawing import DRAWN
from tour_stage import Stage

ROOT = Path(__file__).resolve().parent.parent
FORMATS = ("1280x800", "1920x1080", "1280x800@1.5")
FOLDER = ROOT / "docs" / "pictures" / "tour"
PAGES = (
    "tour.md", "tutorials/the_window.md", "tutorials/draw_a_six_bar.md", "reference/window.md",
    "how-to/build_in_the_window.md", "how-to/share.md", "how-to/lessons.md",
)  # fmt: skip
LESSON = "lesson"
QUALITY = 72
"""Of WebP."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("scenes", nargs="*", help="names of scenes (default: all)")
    parser.add_argument("--format", choices=FORMATS, help="one format (default: all)")
    parser.add_argument("--theme", choices=("light", "dark"), help="one theme (default: both)")
    parser.add_argument("--docs", action="store_true", help="only what pages of docs/ show, as WebP")
    arguments = parser.parse_intermixed_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if arguments.format is None and not arguments.docs:
        rest = [str(arguments.folder), *arguments.scenes]
        return max(subprocess.call([sys.executable, __file__, *rest, "--format", name]) for name in FORMATS)
    name = arguments.format or FORMATS[0]
    size, _, scale = name.partition("@")
    os.environ["QT_SCALE_FACTOR"] = scale or "1"
    width, height = (round(int(part) / float(scale or 1)) for part in size.split("x"))
    if arguments.docs:
        wanted = [name for name in shown_in_docs() if not arguments.scenes or name in arguments.scenes]
        take_all((width, height), wanted, ("light",), lambda scene, _: arguments.folder / f"{scene}.webp")
        return 0
    themes = ("light", "dark") if arguments.theme is None else (arguments.theme,)
    wanted = arguments.scenes or [*SCENES, *lesson_scenes()]
    take_all((width, height), wanted, themes, lambda scene, theme: arguments.folder / f"{scene}-{theme}-{name}.png")
    return 0


def take_all(
    size: tuple[int, int], wanted: list[str], themes: tuple[str, ...], place: Callable[[str, str], Path]
) -> None:
    """Scenes in a window of `size` [logical pixels]; `place` gives the file of a scene in a theme."""
    from PyQt6.QtCore import QSettings

    from simulator.gui.application import make_application
    from simulator.gui.preferences import Preferences
    from simulator.gui.theme import ThemeChoice

    application, scenes = make_application(), {**SCENES, **lesson_scenes()}
    for scene in wanted:
        for theme in themes:
            with tempfile.TemporaryDirectory() as scratch:
                preferences = Preferences(QSettings(f"{scratch}/settings.ini", QSettings.Format.IniFormat))
                stage = Stage(application, preferences, ThemeChoice(theme), size)
                scenes[scene](stage)
                stage.wait(0.8)
                file = place(scene, theme)
                stage.shown().grab().save(str(file), quality=QUALITY if file.suffix == ".webp" else -1)
                stage.close()
                print(file, flush=True)


def shown_in_docs() -> list[str]:
    """Scenes of which a page of docs/ shows a picture."""
    text = "".join((ROOT / "docs" / page).read_text(encoding="utf-8") for page in PAGES)
    return [name for name in SCENES if f"pictures/tour/{name}.webp" in text]


def gallery(stage: Stage) -> None:
    stage.wait(1.0)
    stage.until(lambda: not stage.window.gallery._thumbnails._timer.isActive(), limit=300.0)  # until all are painted


def first(stage: Stage) -> None:
    stage.open("four_bar", "joints", steps=300)


def grab(stage: Stage) -> None:
    stage.open("four_bar", "joints", steps=0)
    start = stage.pixel((0.144, -0.02, 0.404))  # on the rocker
    for kind, part in (("press", 0.0), *(("move", (i + 1) / 10) for i in range(10))):
        stage.mouse(kind, start, (70.0 * part, 15.0 * part))


def dimensions(stage: Stage) -> None:
    stage.open("four_bar", steps=0, view="front")
    stage.set_number("four_bar::rocker.length", 0.36)
    fields = stage.window.viewport.fields
    drawing = stage.window.viewport.state.dimensions
    fields.edit(next(number for (number,) in drawing.numbers if number.key == "four_bar::rocker.length"))


def drive(stage: Stage) -> None:
    stage.open("four_bar", "joints", steps=0)
    stage.drive("four_bar::crank_joint", 2.0)
    stage.step(1200)


def plot(stage: Stage) -> None:
    stage.open("four_bar", "joints", "traces", steps=0)
    stage.drive("four_bar::crank_joint", 2.0)
    stage.step(6000)
    stage.page(1)


def all_panels(stage: Stage) -> None:
    stage.open("rack_and_pinion", steps=800)
    stage.switch("all_panels")


def joints(stage: Stage) -> None:
    stage.open("differential", "joints", steps=400)
    stage.select("left_joint")


def model(stage: Stage) -> None:
    stage.open("slider_crank", "model", steps=300)
    stage.select("crank_joint")


def traces(stage: Stage) -> None:
    stage.open("rack_and_pinion", "traces", steps=3000)
    stage.window.traces_panel.tools.cursors.click()


def phase(stage: Stage) -> None:
    stage.open("rack_and_pinion", "traces", steps=3000)
    stage.page(6)


def reaction(stage: Stage) -> None:
    stage.open("slider_crank", "traces", steps=100, view="front")
    stage.page(7)
    stage.step(1500)


def sigma(stage: Stage) -> None:
    stage.open("four_bar", "traces", steps=2500, view="front")
    stage.page(8)
    stage.until(lambda: stage.live.kinematics.found is not None)
    stage.window.traces_panel.pages.kinematics.figure.setCurrentIndex(3)
    stage.wait(2.0)


def relations(stage: Stage) -> None:
    stage.open("planetary", "relations", steps=600)


def kinematics(stage: Stage) -> None:
    stage.open("four_bar", "kinematics", steps=500, view="front")
    stage.switch("velocities", "accelerations", "polodes")
    stage.until(lambda: stage.live.kinematics.found is not None)


def onion(stage: Stage) -> None:
    stage.open("four_bar", "kinematics", steps=300, view="front")
    stage.switch("onion_range")
    stage.until(lambda: bool(len(stage.window.viewport.state.ghosts)))


def section(stage: Stage) -> None:
    stage.open("slider_crank", steps=400)
    stage.switch("section")


def forces(stage: Stage) -> None:
    stage.open("slider_crank", "joints", steps=100, view="front")
    stage.switch("forces", "limits")
    stage.step(400)


def paths(stage: Stage) -> None:
    stage.open("hoeken", "joints", steps=0, view="front")
    opened = stage.live.opened
    links = [name for name in opened.mechanism.link_bodies() if "coupler" in name] if opened is not None else []
    stage.window.viewport.motion.add_path(links[0], (0.25, 0.0, 0.0))
    stage.step(4000)


def analysis(stage: Stage) -> None:
    stage.open("four_bar", "analysis", steps=300, view="front")
    page = stage.window.analysis_panel.driver
    page.run()
    page.quantity.setCurrentIndex(page.quantity.findData("transmission_angle"))


def modes(stage: Stage) -> None:
    stage.open("fast_slow_pendulums", "analysis", steps=0)
    stage.window.analysis_panel.tabs.setCurrentIndex(1)
    stage.window.analysis_panel.modes.look()


def study(stage: Stage) -> None:
    stage.open("four_bar", "study", steps=0, view="front")
    stage.drive("four_bar::crank_joint", 2.0)
    panel = stage.window.study_panel
    for row, name, ends, count in ((panel.form.first, "rocker.length", (0.22, 0.4), 19),
                                   (panel.form.second, "coupler.length", (0.3, 0.5), 11)):  # fmt: skip
        row.choice.setCurrentIndex(row.choice.findText(name))
        row.begin.show_value(ends[0])
        row.end.show_value(ends[1])
        row.count.setValue(count)
    panel.form.reduction.setCurrentIndex(panel.form.reduction.findData("peak_to_peak"))
    panel.form.channel.setCurrentIndex(panel.form.channel.findText("rocker_joint/position"))
    panel.form.course.duration.show_value(3.2)
    panel.form.start.click()
    stage.until(lambda: panel.found is not None and panel.found.made == panel.found.total, limit=120.0)
    stage.wait(0.2)
    panel.plot.select(5 * 11 + 7)
    panel.plot.picked.emit(panel.plot.selected)


def mechanism(stage: Stage) -> None:
    stage.open("sarrus", "mechanism", steps=200)
    stage.until(lambda: stage.window.mechanism_panel.report is not None)


def diagnostics(stage: Stage) -> None:
    text = (ROOT / "worlds" / "gripper.sdf").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        broken = Path(folder) / "gripper.sdf"
        broken.write_text(text.replace('<mimic joint="left_finger', '<mimic joint="left_fnger', 1), encoding="utf-8")
        stage.window.open_path(broken)
        stage.wait(1.5)
        stage.panels("diagnostics")
        stage.wait(0.5)


def past(stage: Stage) -> None:
    stage.open("four_bar", "joints", "traces", steps=2000)
    for _ in range(40):
        stage.window.time_bar.step(-1)
    stage.wait(0.3)


def lecture(stage: Stage) -> None:
    stage.open("rack_and_pinion", "traces", steps=2000)
    stage.switch("lecture")
    stage.window.showNormal()
    stage.wait(0.5)


def beside(stage: Stage) -> None:
    stage.open("four_bar", steps=0)
    stage.window.beside.apart = False
    stage.window.beside.open()
    stage.other = stage.window.beside.window
    stage.other.resize(stage.window.size())
    stage.other.run.click()
    stage.until(lambda: stage.other.save.isVisible() and stage.other.save.isEnabled())
    stage.wait(1.0)


SCENES: dict[str, Callable[[Stage], None]] = {
    scene.__name__: scene
    for scene in (
        gallery, first, grab, dimensions, drive, plot, all_panels, joints, model, traces, phase, reaction, sigma,
        relations, kinematics, onion, section, forces, paths, analysis, modes, study, mechanism, diagnostics, past,
        lecture, beside, *DRAWN,
    )
}  # fmt: skip


def lesson_scenes() -> dict[str, Callable[[Stage], None]]:
    """The second step of every lesson."""
    from simulator.session.run.lessons import lessons

    def scene(path: Path) -> Callable[[Stage], None]:
        def show(stage: Stage) -> None:
            stage.window.open_path(path)
            stage.until(lambda: stage.live.snapshot is not None or stage.window.build.is_on)
            stage.window.lessons.go_to(1)
            stage.wait(1.5)

        return show

    return {f"{LESSON}_{entry.path.name.partition('.')[0]}": scene(entry.path) for entry in lessons()}


if __name__ == "__main__":
    sys.exit(main())
