"""FMUs as an importer has them: unpacked, loaded and called by fmpy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave

from simulator.engine.engine import Engine
from simulator.native.library import mode
from simulator.native.ready import fmus
from simulator.session.commands.factory import make_engine
from simulator.session.fmu.archive import fmu_of
from simulator.session.open.examples import find_file
from simulator.session.open.opening import Opened, open_document
from simulator.session.text.settings import SessionSettings, typed_settings
from simulator.spatial.arrays import Array

Made = Callable[..., "Imported"]


class Imported:
    """An FMU on disk, and the document that it was made of."""

    def __init__(self, path: Path, opened: Opened, settings: SessionSettings) -> None:
        self.path = path
        self.opened = opened
        self.settings = settings
        self.folder = Path(fmpy.extract(str(path), str(path.with_suffix(""))))
        self.description = fmpy.read_model_description(str(path), validate=False)
        self.references = {one.name: one.valueReference for one in self.description.modelVariables}
        self.outputs = [one.valueReference for one in self.description.modelVariables if one.causality == "output"]

    def of(self, causality: str) -> list[str]:
        return [one.name for one in self.description.modelVariables if one.causality == causality]

    def engine(self) -> Engine:
        """What `simulator run` makes of the document with the same drives."""
        return make_engine(self.opened, self.settings)

    def instance(self, values: Mapping[str, float] | None = None, **changed: Any) -> Instance:
        return Instance(self, values or {}, **changed)


class Instance:
    """One instance of an FMU, initialized at time 0; `said`: the messages of its logger, in FMI 3."""

    def __init__(
        self, imported: Imported, values: Mapping[str, float], *, token: str = "", said: list[str] | None = None
    ) -> None:
        about = imported.description
        self._of = imported
        self.said: list[str] = [] if said is None else said
        self.time = 0.0
        self.is_3 = about.fmiVersion.startswith("3")
        given = {
            "guid": token or about.guid or about.instantiationToken,
            "unzipDirectory": str(imported.folder),
            "modelIdentifier": about.coSimulation.modelIdentifier,
            "instanceName": "one",
        }
        self._listen(given)
        self.start(values)

    def _listen(self, given: dict[str, str]) -> None:
        if self.is_3:
            self.fmu = FMU3Slave(**given)
            self.fmu.instantiate(logMessage=lambda *said: self.said.append(said[-1].decode()))
            return
        self.fmu = FMU2Slave(**given)  # its logger formats messages in C and prints them
        self.fmu.instantiate()

    def start(self, values: Mapping[str, float]) -> None:
        if not self.is_3:
            self.fmu.setupExperiment(startTime=0.0)
        self.fmu.enterInitializationMode()
        self.set(values)
        self.fmu.exitInitializationMode()
        self.time = 0.0

    def set(self, values: Mapping[str, float]) -> None:
        references = [self._of.references[name] for name in values]
        if references:
            (self.fmu.setFloat64 if self.is_3 else self.fmu.setReal)(references, [*values.values()])

    def step(self, length: float, count: int = 1) -> None:
        for _ in range(count):
            self.fmu.doStep(self.time, length)
            self.time += length

    def row(self) -> Array:
        read = self.fmu.getFloat64 if self.is_3 else self.fmu.getReal
        return np.array(read(self._of.outputs))

    def get(self, name: str) -> float:
        read = self.fmu.getFloat64 if self.is_3 else self.fmu.getReal
        return float(read([self._of.references[name]])[0])

    def close(self) -> None:
        self.fmu.freeInstance()


@pytest.fixture(scope="session")
def _kernels() -> None:
    if mode() == "python" or not fmus():
        pytest.skip("kernels run as Python here, and an FMU is for machine code")


@pytest.fixture
def made(_kernels: None, tmp_path: Path) -> Iterator[Made]:
    """Makes an FMU of a document or of an example world with drives."""

    def make(file: str | Path, *drives: str, velocity: tuple[str, ...] = (), **options: Any) -> Imported:
        opened = open_document(find_file(str(file)))
        settings = typed_settings(drives, None, velocity)
        path = tmp_path / f"{len([*tmp_path.iterdir()])}.fmu"
        path.write_bytes(fmu_of(opened, settings, **options).data)
        return Imported(path, opened, settings)

    return make
