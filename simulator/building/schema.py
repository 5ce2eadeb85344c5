"""Which elements and attributes a document has, as its reader knows them: nothing else can be written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.errors import UnknownNameError, UsageError
from simulator.formats.sdf.vocabulary import SDFORMAT
from simulator.formats.urdf.vocabulary import URDF
from simulator.formats.values import number_text, numbers_text
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.formats.editing.tree import EditableElement
    from simulator.formats.vocabulary import Vocabulary

Said = str | float | bool | Pose | tuple[float, ...] | list[float]
"""What an element or attribute can be set to."""
QUATERNION = "quat_xyzw"


def vocabulary_of(element: EditableElement) -> Vocabulary:
    """The words of the document that an element is in."""
    root = next((above for above in element.parents() if above.parent is None), element)
    return URDF if root.tag == "robot" else SDFORMAT


def elements_allowed(element: EditableElement) -> set[str]:
    """Names of the elements that may be inside of another one."""
    vocabulary = vocabulary_of(element)
    outer = element.parent.tag if element.parent is not None else ""
    return {*vocabulary.words_in(element.tag, outer), *vocabulary.own.get(element.tag, ())}


def require_element(element: EditableElement, tag: str) -> None:
    """Raise UnknownNameError for an element that has no place there. Those of other programs, whose names have a prefix
    that is not ours, have one everywhere."""
    allowed = elements_allowed(element)
    foreign = ":" in tag and not tag.startswith("simulator:")
    if tag not in allowed and not foreign and not _is_free(element):
        raise UnknownNameError(f"element of <{element.tag}>", tag, allowed)


def require_attribute(element: EditableElement, name: str) -> None:
    """Raise UnknownNameError for an attribute that the element does not have."""
    known = vocabulary_of(element).attribute_names.get(element.tag, frozenset())
    if name not in known and not _is_free(element):
        raise UnknownNameError(f"attribute of <{element.tag}>", name, known)


FREE = frozenset({"plugin", "sensor", "ros2_control", "transmission", "gazebo"})
"""Elements whose contents belong to other programs, or to readers of their own."""


def _is_free(element: EditableElement) -> bool:
    return element.tag in FREE or any(above.tag in FREE for above in element.parents())


def value_text(value: Said) -> str:
    """The text of a value: numbers with the fewest digits that read back as the same, true and false."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, Pose):
        return numbers_text(value.as_list())
    if isinstance(value, tuple | list):
        return numbers_text(map(float, value))
    return number_text(float(value))


def numbers(value: Iterable[float], count: int, what: str) -> tuple[float, ...]:
    """As many finite numbers as are needed. Raises UsageError."""
    try:
        found = tuple(float(number) for number in value)
    except TypeError as error:
        raise UsageError(f"{what} takes {count} numbers, not {value!r}") from error
    if len(found) != count or not all(abs(number) < 1e50 for number in found):
        raise UsageError(f"{what} takes {count} finite numbers, not {value!r}")
    return found
