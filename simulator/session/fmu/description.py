"""modelDescription.xml of an FMU: FMI 2.0.5, sections 2.2 and 4.3, and FMI 3.0.2, sections 2.4 and 4.3."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree

from simulator.session.fmu.variables import INPUT, OUTPUT, PARAMETER

if TYPE_CHECKING:
    from collections.abc import Sequence
    from xml.etree.ElementTree import Element

    from simulator.session.fmu.variables import Variable

BASES = {
    "rad": {"rad": 1}, "m": {"m": 1}, "kg": {"kg": 1}, "s": {"s": 1}, "N": {"kg": 1, "m": 1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
}  # fmt: skip
"""Exponents of base units of SI."""
VARIABILITY = {OUTPUT: "continuous", INPUT: "continuous", PARAMETER: "fixed"}


class Description(NamedTuple):
    """What a description says of an FMU beside its variables; `identifier` names its binary, `token` the contents."""

    identifier: str
    title: str
    token: str
    program: str
    step: float
    stop: float


def description_of(about: Description, variables: Sequence[Variable], fmi: int) -> bytes:
    """The file for a version of FMI, 2 or 3."""
    names = {"fmiVersion": "2.0", "guid": about.token}
    ability = {"canGetAndSetFMUstate": "true", "canSerializeFMUstate": "true"}
    if fmi == 3:
        names = {"fmiVersion": "3.0", "instantiationToken": about.token}
        ability = {key.replace("FMUstate", "FMUState"): value for key, value in ability.items()}
    convention = {"generationTool": about.program, "variableNamingConvention": "structured"}
    root = ElementTree.Element("fmiModelDescription", {**names, "modelName": about.title, **convention})
    variable_step = {"canHandleVariableCommunicationStepSize": "true"}
    ElementTree.SubElement(root, "CoSimulation", {"modelIdentifier": about.identifier, **variable_step, **ability})
    units = ElementTree.SubElement(root, "UnitDefinitions")
    for unit in sorted({one.unit for one in variables} - {"1"}):
        ElementTree.SubElement(ElementTree.SubElement(units, "Unit", name=unit), "BaseUnit", _exponents(unit))
    logs = ElementTree.SubElement(root, "LogCategories")
    for name in ("logStatusDiscard", "logStatusError"):
        ElementTree.SubElement(logs, "Category", name=name)
    times = {"startTime": "0", "stopTime": repr(about.stop), "stepSize": repr(about.step)}
    ElementTree.SubElement(root, "DefaultExperiment", times)
    (_add_variables_3 if fmi == 3 else _add_variables_2)(root, variables)
    ElementTree.indent(root)
    made: bytes = ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True)
    return made


def _add_variables_2(root: Element, variables: Sequence[Variable]) -> None:
    listed = ElementTree.SubElement(root, "ModelVariables")
    for reference, one in enumerate(variables, start=1):
        added = ElementTree.SubElement(listed, "ScalarVariable", _attributes(one, reference))
        ElementTree.SubElement(added, "Real", _numbers(one))
    structure = ElementTree.SubElement(root, "ModelStructure")
    for name in ("Outputs", "InitialUnknowns"):
        unknowns = ElementTree.SubElement(structure, name)
        for index, one in enumerate(variables, start=1):
            if one.causality == OUTPUT:
                ElementTree.SubElement(unknowns, "Unknown", {"index": str(index), **_dependencies(name)})


def _add_variables_3(root: Element, variables: Sequence[Variable]) -> None:
    listed = ElementTree.SubElement(root, "ModelVariables")
    time = {"name": "time", "valueReference": "0", "causality": "independent", "variability": "continuous"}
    ElementTree.SubElement(listed, "Float64", time)
    for reference, one in enumerate(variables, start=1):
        ElementTree.SubElement(listed, "Float64", {**_attributes(one, reference), **_numbers(one)})
    structure = ElementTree.SubElement(root, "ModelStructure")
    for name in ("Output", "InitialUnknown"):
        for reference, one in enumerate(variables, start=1):
            if one.causality == OUTPUT:
                ElementTree.SubElement(structure, name, {"valueReference": str(reference), **_dependencies(name)})


def _dependencies(name: str) -> dict[str, str]:
    """Outputs are of the last step: no input changes them at once. Initial ones may depend on every parameter."""
    return {"dependencies": ""} if name.startswith("Output") else {}


def _attributes(one: Variable, reference: int) -> dict[str, str]:
    initial = {OUTPUT: {"initial": "calculated"}, PARAMETER: {"initial": "exact"}}.get(one.causality, {})
    kind = {"causality": one.causality, "variability": VARIABILITY[one.causality], **initial}
    return {"name": one.name, "valueReference": str(reference), "description": one.description, **kind}


def _numbers(one: Variable) -> dict[str, str]:
    found = {} if one.unit == "1" else {"unit": one.unit}
    if one.causality == PARAMETER:
        bounds = {"min": one.lower, "max": one.upper}
        found |= {key: repr(value) for key, value in bounds.items() if math.isfinite(value)}
    return found if one.causality == OUTPUT else {**found, "start": repr(one.start)}


def _exponents(unit: str) -> dict[str, str]:
    """Of products and quotients: N·m·s/rad, m/s^2. Behind a stroke all divides."""
    total: dict[str, int] = {}
    for sign, part in zip((1, -1), unit.replace("²", "^2").replace("³", "^3").split("/", 1), strict=False):
        for factor in part.strip("()").replace("/", "·").replace(" ", "·").split("·"):
            name, _, power = factor.partition("^")
            for base, exponent in BASES.get(name, {}).items():
                total[base] = total.get(base, 0) + sign * int(power or 1) * exponent
    return {base: str(exponent) for base, exponent in total.items() if exponent}
