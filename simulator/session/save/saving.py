"""Writes laws that were changed while a document ran back into it: the numbers, and nothing else."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.formats.editing.numbers import TextEdit, ValueEdit, with_values
from simulator.formats.files import read_regular
from simulator.formats.sdf.extensions import CONSTRAINT, EXPRESSION
from simulator.formats.writing.laws import TAGS
from simulator.mechanism.coupling_law import law_of
from simulator.mechanism.types import CouplingKind
from simulator.session.open.opening import open_document
from simulator.session.save.document_edit import LARGEST, DocumentEdit, is_urdf, read_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.mechanism.curved import CurvedLaw
    from simulator.mechanism.types import Coupling, Mechanism
    from simulator.session.open.opening import Opened

DEFAULTS = {"multiplier": 1.0, "offset": 0.0, "reference": 0.0}
SAME = 1e-14
"""Numbers of a law that is read again are equal within this, relative: a thread pitch is multiplied by 2 pi."""


NOT_EDITED = {
    ".xacro": "a xacro document computes its numbers by macros; change them there",
    ".asmt": "change numbers of an .asmt in FreeCAD, or in the output of `simulator convert`",
    ".fcstd": "change numbers of a FreeCAD document in FreeCAD, or in the output of `simulator convert`",
}
"""Suffixes of documents in which no number is changed, and why."""


def check_can_be_edited(opened: Opened) -> None:
    """Raises UsageError for a document whose numbers have no place in the file."""
    reason = NOT_EDITED.get(opened.path.suffix.lower())
    if reason is not None:
        raise UsageError(reason)


def save_laws(opened: Opened, laws: Mechanism) -> DocumentEdit:
    """Write the laws of `laws`, the mechanism of `opened` with other ones, into the files that they were read from.
    Returns the change.

    Raises UsageError if a law cannot be expressed by the document's numbers, or the files have changed since they were
    read; the files are then as they were.
    """
    check_can_be_edited(opened)
    edits: dict[Path, list[ValueEdit | TextEdit]] = {}
    for index, (before, now) in enumerate(zip(opened.mechanism.couplings, laws.couplings, strict=True)):
        if before != now:
            found, file = _edits_of(opened, index, now)
            edits.setdefault(file, []).extend(found)
    originals = read_files(tuple(edits))
    made = DocumentEdit(originals, {file: with_values(originals[file], found) for file, found in edits.items()})
    made.make_again()
    if not _reads_as(opened, laws):
        made.take_back()
        raise UsageError("the document would not give this law with these numbers; it was left as it was")
    return made


def _curve_edit(opened: Opened, before: CurvedLaw | None, law: Coupling, line: int) -> TextEdit:
    if before is None or law.curve is None:
        name = opened.mechanism.axes[law.follower].name
        raise UsageError(
            f"the law of '{name}' is another kind of law than in the document: write it there by hand, as "
            f"<{EXPRESSION}> in its <mimic> or as multiplier and offset"
        )
    if before.law is None:
        return TextEdit(line, CONSTRAINT, law.curve.text)
    return TextEdit(line, TAGS[before.law.kind], str(law_of(law)))


def _edits_of(opened: Opened, index: int, law: Coupling) -> tuple[Sequence[ValueEdit | TextEdit], Path]:
    source = law.source
    if source is None or source.line < 1 or not Path(source.file).is_file():
        raise UsageError(f"the law of '{opened.mechanism.axes[law.follower].name}' has no known place in the document")
    file = Path(source.file)
    before_curve = opened.mechanism.couplings[index].curve
    if law.curve is not None or before_curve is not None:
        return [_curve_edit(opened, before_curve, law, source.line)], file
    if law.kind is CouplingKind.MIMIC:
        numbers = {"multiplier": law.multiplier, "offset": law.offset, "reference": law.reference}
        attributes = is_urdf(file)  # which has no reference
        if attributes:
            numbers = {"multiplier": law.multiplier, "offset": law.offset - law.multiplier * law.reference}
        return [
            ValueEdit(
                source.line,
                "mimic",
                () if attributes else (name,),
                value,
                attribute=name if attributes else "",
                default=DEFAULTS[name],
            )
            for name, value in numbers.items()
        ], file
    if law.offset != law.multiplier * law.reference or law.others:
        raise UsageError(f"a {law.kind.value} has no offset in a document, and one number only")
    if law.kind is CouplingKind.SCREW:
        path = (_pitch_tag(file, source.line),)
        return [ValueEdit(source.line, "joint", path, _pitch(law.multiplier))], file
    ratio = next(
        joint.gearbox_ratio
        for joint in (*opened.world.joints, *(joint for model in opened.world.models for joint in model.joints))
        if joint.source == source
    )
    before = opened.mechanism.couplings[index].multiplier
    inverse = not math.isclose(abs(before), abs(ratio), rel_tol=SAME)  # the leader of the document follows here
    wanted = ratio * before / law.multiplier if inverse else math.copysign(1.0, ratio * before) * law.multiplier
    return [ValueEdit(source.line, "joint", ("gearbox_ratio",), wanted)], file


def _pitch_tag(file: Path, line: int) -> str:
    """The name that the joint uses: `screw_thread_pitch`, or the older `thread_pitch`, whose sign is
    opposite."""
    body = "\n".join(read_regular(file, LARGEST).decode(errors="replace").split("\n")[line - 1 :]).partition(
        "</joint>"
    )[0]
    if "<screw_thread_pitch>" not in body:
        raise UsageError("only a screw with <screw_thread_pitch> can be saved")
    return "screw_thread_pitch"


def _pitch(multiplier: float) -> float:
    """The thread pitch [m] that is read as that travel for each radian, to the last bit if there is one."""
    pitch = multiplier * 2.0 * math.pi
    near = (pitch, math.nextafter(pitch, math.inf), math.nextafter(pitch, -math.inf))
    return next((value for value in near if value / (2.0 * math.pi) == multiplier), pitch)


def _reads_as(opened: Opened, laws: Mechanism) -> bool:
    """Whether the files on disk give the document with these laws."""
    again = open_document(opened.path, opened.options)
    if again.has_errors or len(again.mechanism.couplings) != len(laws.couplings):
        return False
    return all(_same(a, b) for a, b in zip(again.mechanism.couplings, laws.couplings, strict=True))


def _same(a: Coupling, b: Coupling) -> bool:
    if a.curve is not None or b.curve is not None:
        return (a.follower, a.leader, a.curve) == (b.follower, b.leader, b.curve)
    numbers = ((*a.terms, (0, a.constant)), (*b.terms, (0, b.constant)))
    return len(a.terms) == len(b.terms) and all(
        x == y and math.isclose(p, q, rel_tol=SAME, abs_tol=SAME) for (x, p), (y, q) in zip(*numbers, strict=True)
    )
