"""Makes the pictures of the site that show no window; needs no display.

    python scripts/make_site_pictures.py

docs/pictures/four_bar.gif, also in the README: the four-bar linkage during one turn of its crank, with the path of a
point in the middle of the coupler. docs/pictures/first_mechanism.png: what the first tutorial builds, from the document
in its text. docs/pictures/modelling.webp: the documents of the modelling guide. docs/pictures/parts.webp: every kind of
`simulator new`.
"""

from __future__ import annotations

import math
import re
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

import simulator
from simulator.rendering.build import build_scene
from simulator.rendering.camera import Camera
from simulator.rendering.offscreen import PictureMaker
from simulator.rendering.overlays import Polyline
from simulator.rendering.scene import Scene
from simulator.spatial.pose import Pose

DOCS = Path(__file__).resolve().parent.parent / "docs"
ANIMATION, STILL = DOCS / "pictures" / "four_bar.gif", DOCS / "pictures" / "first_mechanism.png"
MODELS = DOCS / "pictures" / "modelling.webp"
PARTS = DOCS / "pictures" / "parts.webp"
TILE, COLUMNS = (320, 220), 3
SIZE = (560, 350)
FRAMES = 60
SECONDS = 3.0
COLORS = 96
POINT = (0.175, -0.02, 0.0, 1.0)
"""Of the coupler, in its frame [m]; in front of the bars, so that they do not hide the line."""


def main() -> None:
    sim = simulator.load("four_bar")
    scene = build_scene(simulator.open_document(sim.path).world)
    sim.drive("crank_joint", simulator.velocity(2.0 * math.pi / SECONDS))
    poses, curve = [], []
    for _ in range(FRAMES):
        poses.append(np.array([Pose.from_matrix(sim.pose(link)).as_list() for link in scene.links]))
        curve.append((sim.pose("coupler") @ POINT)[:3])
        sim.step(round(SECONDS / FRAMES / sim.dt))
    path = Polyline(np.array([*curve, curve[0]]), (0.9, 0.45, 0.1, 1.0))
    with PictureMaker(scene) as maker:
        camera = seeing_all(scene, poses)
        pictures = [maker.picture(at, size=SIZE, camera=camera, overlays=[path]) for at in poses]
    write(pictures)
    draw_first_mechanism()
    draw_models()
    draw_parts()
    for picture in (ANIMATION, STILL, MODELS, PARTS):
        print(f"{picture.name}: {picture.stat().st_size / 1e6:.2f} MB")


def draw_first_mechanism() -> None:
    """The last stage of the tutorial's document, drawn where it starts."""
    page = (DOCS / "tutorials" / "first_mechanism.md").read_text(encoding="utf-8")
    document, *parts = re.findall(r"^```xml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    for part in parts:
        document = document.replace("    </model>", f"{part}    </model>")
    simulator.load(document).picture(SIZE).save(STILL, optimize=True)


def draw_models() -> None:
    """The documents of the modelling guide side by side, in the order of its sections."""
    page = (DOCS / "how-to" / "modelling.md").read_text(encoding="utf-8")
    documents = re.findall(r"^```xml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[: 2 * COLUMNS]
    sheet = Image.new("RGB", (TILE[0] * COLUMNS, TILE[1] * 2))
    for number, document in enumerate(documents):
        place = (number % COLUMNS * TILE[0], number // COLUMNS * TILE[1])
        sim = simulator.load(document)
        if any(name.endswith("::crank_joint") for name in sim.positions.names):
            sim.set(crank_joint=-0.7)
        sheet.paste(sim.picture(TILE), place)
    sheet.save(MODELS, quality=80)


def draw_parts() -> None:
    """Every kind that `simulator new` makes, with its name, in the order of its list."""
    sheet = Image.new("RGB", (TILE[0] * 5, TILE[1] * 6), "white")
    pen = ImageDraw.Draw(sheet)
    for number, (name, make) in enumerate(simulator.parts.KINDS.items()):
        place = (number % 5 * TILE[0], number // 5 * TILE[1])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sheet.paste(make().simulate().picture(TILE), place)
        pen.text((place[0] + 8, place[1] + 6), name, fill=(30, 34, 40), font_size=15)
    sheet.save(PARTS, quality=80)


def seeing_all(scene: Scene, poses: list[NDArray[np.float64]]) -> Camera:
    """A camera that need not move while the links do."""
    points = np.concatenate([scene.corner_points(at) for at in poses])
    camera = Camera(target=scene.start_bounds.centre, distance=4.0 * scene.radius).with_view("iso")
    return camera.fit(points[np.isfinite(points).all(axis=1)], SIZE[0] / SIZE[1])


def write(pictures: list[NDArray[np.uint8]]) -> None:
    """One palette for all frames, so that nothing flickers."""
    palette = Image.fromarray(np.concatenate(pictures[:: FRAMES // 4])).quantize(COLORS)
    first, *others = [
        Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures
    ]
    duration = round(1000.0 * SECONDS / FRAMES)
    first.save(ANIMATION, save_all=True, append_images=others, duration=duration, loop=0, optimize=True)


if __name__ == "__main__":
    main()
