"""Results: in memory, and as a folder of Parquet files with a manifest."""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.errors import MissingLibraryError, UsageError
from simulator.kinematics.named import column_of
from simulator.records import dataclass
from simulator.session.look.page import digest_of
from simulator.studies.samples import OK, SampleRows
from simulator.studies.sensitivity import Regression, SobolIndices, regression, sobol_indices

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas
    import pyarrow
    from numpy.typing import NDArray

    from simulator.spatial.arrays import Array
    from simulator.studies.plan import StudyPlan
    from simulator.studies.samples import StudyTask


MANIFEST, BEFORE = "_manifest.json", "manifest.json"
"""Readers of Parquet skip what begins with an underscore, so that they read a folder as one table; folders of before
have the other name."""
FORMAT = 1
SHOWN = 12
"""Measures that `repr` names."""
LEAST_PART, PARTS, MOST_PART = 16, 32, 4096
"""Least samples of a part, parts of a small study, and most samples of a part: a part is the unit that an interruption
loses, and that a worker receives."""


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """Samples of a study, in the order of their index. `sample` (n,): the index; `document` (n,); `parameters` (n, p)
    and `measures` (n, m), nan if a sample failed, with their names; `feasible` (n,): whether all constraints hold;
    `status` (n,): "ok", or the kind of failure, and `reason` (n,)."""

    parameter_names: tuple[str, ...]
    measure_names: tuple[str, ...]
    sample: NDArray[np.int64]
    document: NDArray[np.int64]
    parameters: Array
    measures: Array
    feasible: NDArray[np.bool_]
    status: NDArray[np.str_]
    reason: NDArray[np.object_]
    sampling: str = ""

    @property
    def ok(self) -> NDArray[np.bool_]:
        """Which samples have their measures, shape (n,)."""
        found: NDArray[np.bool_] = self.status == OK
        return found

    def sobol_indices(self, measure: str) -> SobolIndices:
        """Shares of the variance of a measure that each parameter explains, in the order of `parameter_names`; for a
        study with `sampling = "saltelli"` and random parameters only. Raises UsageError for another study,
        UnknownNameError."""
        d = len(self.parameter_names)
        if self.sampling != "saltelli" or len(self.sample) % (d + 2):
            raise UsageError(
                'Sobol indices need a complete study with sampling = "saltelli" and random parameters only'
            )
        return sobol_indices(self[measure], d)

    def regression(self, measure: str) -> Regression:
        """Standardised regression coefficients of a measure, in the order of `parameter_names`. Raises
        UnknownNameError."""
        return regression(self.parameters, self[measure])

    def __len__(self) -> int:
        return len(self.sample)

    def __getitem__(self, name: str) -> Array:
        """A parameter or measure by name, shape (n,). Raises UnknownNameError."""
        names = (*self.parameter_names, *self.measure_names)
        place = column_of(names, name, "parameter or measure")
        both = self.parameters if place < len(self.parameter_names) else self.measures
        return both[:, place - (0 if place < len(self.parameter_names) else len(self.parameter_names))]

    def __repr__(self) -> str:
        failed = len(self) - int(self.ok.sum())
        names = ", ".join(self.measure_names[:SHOWN]) + (", …" if len(self.measure_names) > SHOWN else "")
        return f"<Results: {len(self)} samples, {failed} failed; {len(self.parameter_names)} parameters → {names}>"

    def to_arrow(self) -> pyarrow.Table:
        """A `pyarrow.Table` with the columns of the files. Raises MissingLibraryError without pyarrow."""
        return arrow_table(self.parameter_names, self.measure_names, self)

    def to_pandas(self) -> pandas.DataFrame:
        """A `pandas.DataFrame` with the columns of the files, by sample. Raises MissingLibraryError without pandas."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingLibraryError("to_pandas needs pandas: pip install pandas") from error
        columns: dict[str, NDArray[Any]] = {"sample": self.sample, "document": self.document}
        columns |= {name: self[name] for name in (*self.parameter_names, *self.measure_names)}
        frame = pd.DataFrame({**columns, "feasible": self.feasible, "status": self.status, "reason": self.reason})
        return frame.set_index("sample")


def results_of(plan: StudyPlan, rows: Iterable[SampleRows]) -> Results:
    """Results of parts in any order."""
    parts = sorted(rows, key=lambda part: part.begin)
    p, m = len(plan.parameters), len(plan.columns)
    return Results(
        plan.parameters,
        plan.columns,
        _joined([np.arange(part.begin, part.begin + len(part.status)) for part in parts], np.int64),
        _joined([part.documents for part in parts], np.int64),
        np.concatenate([np.zeros((0, p)), *(part.parameters for part in parts)]),
        np.concatenate([np.zeros((0, m)), *(part.measures for part in parts)]),
        _joined([part.feasible for part in parts], np.bool_),
        np.array([one for part in parts for one in part.status], dtype=np.str_),
        np.array([one for part in parts for one in part.reason], dtype=np.object_),
        plan.sampling,
    )


def read_results(folder: str | os.PathLike[str]) -> Results:
    """The results that a study has written to a folder so far. Raises UsageError for a folder without
    any."""
    folder = Path(folder)
    _, parquet = _parquet()
    manifest = read_manifest(folder)
    files = sorted(folder.glob("part-*.parquet"))
    if not files:
        raise UsageError(f"'{folder}' holds no results yet")
    names = tuple(manifest["parameters"]), tuple(manifest["measures"])
    # File by file: otherwise the table of all of them would be in memory beside its numbers.
    columns = zip(*(_columns_of(parquet.read_table(file), *names) for file in files), strict=True)
    sample, document, parameters, measures, feasible, status, reason = map(np.concatenate, columns)
    return Results(*names, sample, document, parameters, measures, feasible, status, reason, manifest["sampling"])


def _columns_of(table: pyarrow.Table, parameters: tuple[str, ...], measures: tuple[str, ...]) -> tuple[Any, ...]:
    """What `Results` holds of a file, in its order."""

    def numbers(names: tuple[str, ...]) -> Array:
        columns = [table[name].to_numpy() for name in names]
        return np.stack(columns, axis=1) if columns else np.zeros((table.num_rows, 0))

    def texts(name: str, kind: type[np.str_ | np.object_]) -> NDArray[Any]:
        found = table[name].combine_chunks().dictionary_encode()
        found = found.chunk(0) if hasattr(found, "chunk") else found
        chosen: NDArray[Any] = np.array(found.dictionary.to_pylist(), dtype=kind)[found.indices.to_numpy()]
        return chosen

    feasible = np.array(table["feasible"].to_numpy(), dtype=np.bool_)
    numbered = table["sample"].to_numpy(), table["document"].to_numpy(), numbers(parameters), numbers(measures)
    return *numbered, feasible, texts("status", np.str_), texts("reason", np.object_)


def arrow_table(parameters: tuple[str, ...], measures: tuple[str, ...], rows: Results) -> pyarrow.Table:
    """`sample`, `document`, parameters, measures, `feasible`, `status` and `reason`. Raises MissingLibraryError."""
    arrow, _ = _parquet()
    columns: dict[str, Any] = {"sample": rows.sample, "document": rows.document}
    columns |= {name: np.ascontiguousarray(rows.parameters[:, i]) for i, name in enumerate(parameters)}
    columns |= {name: np.ascontiguousarray(rows.measures[:, i]) for i, name in enumerate(measures)}
    texts = {"status": arrow.array(rows.status.tolist(), arrow.string())}
    texts["reason"] = arrow.array(rows.reason.tolist(), arrow.string())
    return arrow.table({**columns, "feasible": arrow.array(rows.feasible.tolist(), arrow.bool_()), **texts})


def parquet_columns(path: Path) -> tuple[tuple[str, ...], tuple[tuple[float, ...], ...]]:
    """Names and rows of numbers of a Parquet file. Raises ValueError, OSError, MissingLibraryError."""
    _, parquet = _parquet()
    table = parquet.read_table(path)
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return tuple(table.column_names), tuple(tuple(map(float, row)) for row in rows)


class ResultsFolder:
    """The folder of a study's parts. A part exists completely or not at all: it gets its name when it is complete."""

    def __init__(self, path: Path, task: StudyTask, samples: int) -> None:
        self.path = path
        self._plan = task.plan
        self.samples = samples
        self._manifest = _manifest(task, samples)

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Samples of each part: the first, and one after the last."""
        return spans_of(self.samples)

    def begin(self, *, resume: bool) -> set[tuple[int, int]]:
        """Make the folder; returns the parts that it already has. Raises UsageError if it holds another study, if
        it holds this one and `resume` is false, and if it cannot be written."""
        _parquet()
        manifest = self.path / MANIFEST
        if manifest.exists() or (self.path / BEFORE).exists():
            found = read_manifest(self.path)
            if not resume:
                raise UsageError(f"'{self.path}' holds results: continue with --resume, or write to another folder")
            for key in ("plan", "documents", "samples"):
                if found.get(key) != self._manifest[key]:
                    raise UsageError(f"'{self.path}' holds another study: its {key} differ; write to another folder")
            if found.get("simulator") != self._manifest["simulator"]:
                raise UsageError(f"'{self.path}' was begun by simulator {found.get('simulator')}: use that version")
            for left in self.path.glob(".part-*"):
                left.unlink(missing_ok=True)
            return {span for span in self.spans if self._has(span)}
        with _written(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            _replace(manifest, (json.dumps(self._manifest, indent=1, ensure_ascii=False) + "\n").encode())
        return set()

    def write(self, rows: SampleRows) -> None:
        """Write a part. Raises UsageError if it cannot be written."""
        _, parquet = _parquet()
        buffer = io.BytesIO()
        one = results_of(self._plan, [rows])
        parquet.write_table(arrow_table(one.parameter_names, one.measure_names, one), buffer, compression="zstd")
        with _written(self.path):
            _replace(self._file(rows.begin), buffer.getvalue())

    @property
    def has_rows(self) -> bool:
        """Whether a part exists."""
        return any(self.path.glob("part-*.parquet"))

    def _file(self, begin: int) -> Path:
        return self.path / f"part-{begin:09d}.parquet"

    def _has(self, span: tuple[int, int]) -> bool:
        """Whether a part exists with all of its samples."""
        _, parquet = _parquet()
        try:
            return bool(parquet.read_metadata(self._file(span[0])).num_rows == span[1] - span[0])
        except (OSError, ValueError):
            return False


def spans_of(samples: int) -> list[tuple[int, int]]:
    """Parts of so many samples; a function of that number only."""
    size = min(max(-(-samples // PARTS), LEAST_PART), MOST_PART)
    return [(begin, min(begin + size, samples)) for begin in range(0, samples, size)]


def read_manifest(folder: Path) -> dict[str, Any]:
    """Raises UsageError if there is none that can be read."""
    name = BEFORE if (folder / BEFORE).exists() else MANIFEST
    try:
        found = json.loads((folder / name).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"'{folder}' holds no results of a study: {name} cannot be read") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise UsageError(f"'{folder}' holds results in another format than this program's")
    return found


def _manifest(task: StudyTask, samples: int) -> dict[str, Any]:
    plan = task.plan
    first = task.simulations[0]
    sought = plan.objective and {"text": plan.objective.text, "sign": plan.objective.sign}
    units = {name: first.parameters()[name].unit for name in plan.parameters if name in first.parameters()}
    return {
        "format": FORMAT,
        "simulator": importlib.metadata.version("simulator"),
        "plan": repr(plan),
        "documents": [
            {"document": name, "sha256": digest_of(sim.files)}
            for name, sim in zip(plan.documents, task.simulations, strict=True)
        ],
        "texts": {"drive": plan.drives, "initial": plan.initial, "initial-velocity": plan.initial_velocity},
        "solver": plan.solver,
        "hold_base": plan.hold_base,
        "seed": plan.seed,
        "sampling": plan.sampling,
        "constraints": [one.text for one in plan.constraints],
        "objective": sought,
        "samples": samples,
        "parameters": list(plan.parameters),
        "measures": list(plan.columns),
        "units": units,
    }


@contextlib.contextmanager
def _written(path: Path) -> Any:
    try:
        yield
    except OSError as error:
        told = f"'{path}' cannot be written: {error.strerror or error}; results so far stay: --resume continues"
        raise UsageError(told) from error


def finite(value: Any) -> Any:
    """Tables, lists and numbers for JSON: None for numbers that are not finite."""
    if isinstance(value, dict):
        return {key: finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read_beside(path: Path) -> dict[str, Any] | None:
    """A JSON file in a folder of results; None if there is none."""
    try:
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found


def write_beside(path: Path, data: bytes) -> None:
    """Write a file into a folder of results. Raises UsageError if it cannot be written."""
    with _written(path):
        _replace(path, data)


def _replace(path: Path, data: bytes) -> None:
    """Write a file atomically."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def _joined(parts: list[NDArray[Any]], kind: Any) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, dtype=kind), *parts])


def _parquet() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingLibraryError("files of results need pyarrow: pip install 'simulator[study]'") from error
    return pyarrow, pyarrow.parquet
