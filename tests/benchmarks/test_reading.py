"""How fast documents are read, against what lxml needs to parse them and to look at every element once.

    scripts/test tests/benchmarks/test_reading.py --benchmark-enable      by pytest-benchmark
    python -m tests.benchmarks.test_reading [FILE...]                     a table: both in turns, the best of many
                                                                          rounds

The generated worlds have joints as many as links, and a mimic on every fourth; the larger is four times the smaller.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from simulator.formats.document import read_document
from tests.conftest import CORPUS
from tests.helpers import documents

LARGE, SMALL = 2000, 500
LINKS_OF_A_MODEL = 20
MOST_TIMES_LXML = 20.0
MOST_GROWTH = 4.6
"""Of the time, where the document grows fourfold."""
ROUNDS, SECONDS = 15, 3.0
"""Rounds for each document: at least so many, and more until the seconds are over; the best of few is chance on a busy
machine."""
LARGEST_OF_THE_CORPUS = ("pr2.sdf", "parser_urdf_atlas.urdf")


def generated(links: int) -> str:
    """A world of `links` links and as many joints, in chains of twenty; a quarter of the joints follow the one
    before."""
    return documents.world(*(_chain(f"m{number}") for number in range(links // LINKS_OF_A_MODEL)))


def _chain(name: str) -> str:
    parts = []
    for i in range(LINKS_OF_A_MODEL):
        shape = "<geometry><box><size>0.1 0.1 1</size></box></geometry>"
        color = "<material><diffuse>1 0 0 1</diffuse></material>"
        looks = f'\n<visual name="v">{shape}{color}</visual>\n<collision name="c">{shape}</collision>\n'
        parts.append(documents.link(f"l{i}", looks, pose=f"{i} 0 1 0 0 0.1"))
    for i in range(LINKS_OF_A_MODEL):
        law = documents.mimic(f"j{i - 1}", multiplier=2.0) if i % 4 == 3 else ""
        limit = "<limit><lower>-1</lower><upper>1</upper></limit>"
        parent = "world" if i == 0 else f"l{i - 1}"
        parts.append(documents.joint(f"j{i}", "revolute", limit, law, parent=parent, child=f"l{i}"))
    return documents.model(name, *parts)


def walk(path: Path, *, look: bool = False) -> None:
    """lxml parses the file and goes over all elements; with `look` it reads name, text and attributes of each."""
    for element in etree.parse(path, etree.XMLParser(recover=True)).iter():
        if look:
            _ = element.tag, element.text, element.items()


@pytest.fixture(scope="module", params=[SMALL, LARGE])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("reading") / f"{request.param}.sdf"
    path.write_text(generated(request.param), encoding="utf-8")
    return path


@pytest.mark.parametrize("what", ["read", "parse and walk"])
def test_a_generated_world(benchmark: Any, world: Path, what: str) -> None:
    if what == "read":
        document = benchmark(read_document, world)
        assert not document.diagnostics
    else:
        benchmark(walk, world)


@pytest.mark.corpus
@pytest.mark.parametrize("name", LARGEST_OF_THE_CORPUS)
def test_large_documents_of_the_corpus(benchmark: Any, corpus: Path, name: str) -> None:
    benchmark(read_document, next((corpus / "documents").rglob(name)))


def measured(path: Path) -> tuple[float, float, float]:
    """Seconds of processor time, the best of many rounds in turns: reading; lxml; lxml that looks at what it walks
    over."""
    calls: list[Callable[[], Any]] = [
        lambda: read_document(path),
        lambda: walk(path),
        lambda: walk(path, look=True),
    ]
    best = [float("inf")] * len(calls)
    rounds, end = 0, time.monotonic() + SECONDS
    while rounds < ROUNDS or time.monotonic() < end:
        rounds += 1
        for index, call in enumerate(calls):
            start = time.process_time()
            call()
            best[index] = min(best[index], time.process_time() - start)
    return best[0], best[1], best[2]


def main(files: Sequence[str]) -> int:
    """Print the table; the exit code is 1 where a bound is broken."""
    with tempfile.TemporaryDirectory() as folder:
        worlds = [Path(folder, f"{links}_links.sdf") for links in (SMALL, LARGE)]
        for path, links in zip(worlds, (SMALL, LARGE), strict=True):
            path.write_text(generated(links), encoding="utf-8")
        found = [next((CORPUS / "documents").rglob(name), None) for name in LARGEST_OF_THE_CORPUS]
        paths = [*worlds, *(path for path in found if path is not None), *map(Path, files)]
        print(f"{'document':28}{'kB':>7}{'read ms':>10}{'lxml ms':>10}{'times':>8}{'looking ms':>12}{'times':>8}")
        times = {path: measured(path) for path in paths}
        for path, (read, parse, look) in times.items():
            size = f"{path.stat().st_size / 1e3:7.0f}"
            ratios = f"{parse * 1e3:10.2f}{read / parse:8.1f}{look * 1e3:12.2f}{read / look:8.1f}"
            print(f"{path.name:28}{size}{read * 1e3:10.1f}{ratios}")
    growth = times[worlds[1]][0] / times[worlds[0]][0]
    print(
        f"fourfold document: {growth:.2f} times the time (at most {MOST_GROWTH}); at most "
        f"{MOST_TIMES_LXML:g} times lxml"
    )
    slow = [read / parse for read, parse, _ in times.values() if read / parse > MOST_TIMES_LXML]
    return 1 if slow or growth > MOST_GROWTH else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
