"""The text of a stage as a file of any of OpenUSD's kinds."""

from __future__ import annotations

import tempfile
from pathlib import Path

from simulator.errors import UsageError

CRATE, PACKAGE = ".usdc", ".usdz"


def packed(text: str, suffix: str) -> bytes:
    """The bytes of a file whose name ends in `suffix`: text for .usda, a binary crate for .usdc and .usd, a package
    with a crate in it for .usdz.

    Raises UsageError where OpenUSD cannot pack it."""
    if suffix == ".usda":
        return text.encode("utf-8")
    from pxr import Sdf, UsdUtils

    layer = Sdf.Layer.CreateAnonymous(".usda")
    with tempfile.TemporaryDirectory() as folder:
        crate = Path(folder, f"stage{CRATE}")
        made = layer.ImportFromString(text) and layer.Export(str(crate))
        file = crate
        if made and suffix == PACKAGE:
            file = Path(folder, f"stage{PACKAGE}")
            made = UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(str(crate)), str(file))
        if not made:
            raise UsageError(f"OpenUSD cannot write the stage as {suffix}")
        return file.read_bytes()
