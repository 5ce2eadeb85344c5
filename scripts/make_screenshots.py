"""Takes pictures of the window with every example world, light and dark, for the README.

    python scripts/make_screenshots.py FOLDER [WORLD...]      needs a display, for example
    xvfb-run -a -s "-screen 0 1600x1000x24" python scripts/make_screenshots.py pictures four_bar

Writes FOLDER/<world>-light.png and FOLDER/<world>-dark.png, and the start page as gallery-light.png and
gallery-dark.png.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from PyQt6.QtCore import QSettings
from PyQt6.QtWidgets import QApplication

from simulator.engine.drives import Drive, DriveKind
from simulator.gui.application import make_application
from simulator.gui.live import LiveSession
from simulator.gui.main_window import MainWindow
from simulator.gui.preferences import Preferences
from simulator.gui.selection import Item, ItemKind
from simulator.gui.theme import Theme, ThemeChoice
from simulator.mechanism.types import Mechanism, MotionKind
from simulator.model.profiles import Constant
from simulator.session.commands.commands import SetDrive
from simulator.session.open.examples import examples
from simulator.session.open.opening import Opened, open_document
from simulator.session.run.remote import RemoteClient
from simulator.session.text.settings import SessionSettings, demonstration_drives

SECONDS = 1.2
"""Simulated time that the picture shows [s]."""

LONGEST = 30.0
"""A world that has not come that far after this wall time [s] is taken as it is."""

UNDRIVEN = {"fast_slow_pendulums", "peaucellier", "sarrus", "bennett", "stewart", "telescope", "scissor_lift"}
"""Worlds that move by themselves."""

SPEEDS = {MotionKind.ROTATION: 1.5, MotionKind.TRANSLATION: 0.03}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("worlds", nargs="*", help="names of example worlds (default: all)")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    application = make_application()
    wanted = [example for example in examples() if not arguments.worlds or example.name in arguments.worlds]
    with tempfile.TemporaryDirectory() as scratch:
        preferences = Preferences(QSettings(f"{scratch}/settings.ini", QSettings.Format.IniFormat))
        live = LiveSession(open_document, start, paused=False, speed=1.0)
        window = MainWindow(live, Theme(application, ThemeChoice.LIGHT), preferences)
        window.showMaximized()
        if not arguments.worlds:
            wait(4.0)
            take_both(window, arguments.folder, "gallery")
        for example in wanted:
            show(live, window, example.path)
            take_both(window, arguments.folder, example.name)
            print(example.name, live.status)
        window.close()
    return 0


def start(opened: Opened) -> RemoteClient:
    """A simulation with the drives that the world asks to be shown with, as the program starts it."""
    return RemoteClient(opened, SessionSettings(drives=demonstration_drives(opened.world, opened.mechanism)))


def show(live: LiveSession, window: MainWindow, path: Path) -> None:
    live.open(path)
    if live.opened is None:
        return
    mechanism = live.opened.mechanism
    if path.stem not in UNDRIVEN and not live.opened.world.drives:
        drive_first_axis(live, mechanism)
    select_coupling(window, mechanism)
    end = time.monotonic() + LONGEST
    while time.monotonic() < end and (live.snapshot is None or live.snapshot.time < SECONDS):
        wait(0.02)


def drive_first_axis(live: LiveSession, mechanism: Mechanism) -> None:
    axes = mechanism.independent_axes()
    if axes:
        axis = mechanism.axes[axes[0]]
        live.send(SetDrive(axis.name, Drive(DriveKind.VELOCITY, Constant(SPEEDS[axis.kind]))))


def select_coupling(window: MainWindow, mechanism: Mechanism) -> None:
    """Something is selected in the pictures, so that they show how that looks."""
    if mechanism.couplings:
        follower = mechanism.axes[mechanism.couplings[0].follower]
        window.selection.select(Item(ItemKind.JOINT, follower.joint))


def take_both(window: MainWindow, folder: Path, name: str) -> None:
    for choice in (ThemeChoice.LIGHT, ThemeChoice.DARK):
        window.set_theme(choice)
        wait(2.5 if name == "gallery" else 0.6)
        screen = window.screen()
        if screen is not None:
            screen.grabWindow(int(window.winId())).save(str(folder / f"{name}-{choice.value}.png"))
    window.set_theme(ThemeChoice.LIGHT)


def wait(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        QApplication.processEvents()
        time.sleep(0.004)


if __name__ == "__main__":
    sys.exit(main())
