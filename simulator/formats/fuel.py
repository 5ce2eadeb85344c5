"""Models of Gazebo Fuel: which one an address names, and where gz-fuel-tools has put it on this machine.

Nothing is downloaded here. The layout of the cache is that of gz-fuel-tools (src/LocalCache.cc,
src/ModelIdentifier.cc): `<cache>/<server>/<owner>/models/<name>/<version>`, with owner and name in lower case.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import quote, unquote

from simulator.formats.uris import climbs
from simulator.records import dataclass

SERVERS = ("fuel.gazebosim.org", "fuel.ignitionrobotics.org")
"""Names of the one public server: the present one, and the one that older documents use."""
CACHES = ("GZ_FUEL_CACHE_PATH", "IGN_FUEL_CACHE_PATH")
"""Environment variables that name a cache; without them it is in the home folder."""
_ADDRESS = re.compile(
    r"https?://(?:fuel|app|api)\.(?:gazebosim|ignitionrobotics)\.org/(?:\d+\.\d+/)?(?P<owner>[^/]+)/(?:fuel/)?"
    r"models/(?P<name>[^/]+)(?:/(?P<version>\d+|tip))?(?:/files/(?P<file>.+?))?/?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class FuelModel:
    """A model of Fuel; `version` 0 is the newest. `file`: a file of it, "" for the model itself."""

    owner: str
    name: str
    version: int = 0
    file: str = ""

    @property
    def address(self) -> str:
        """Where the model can be looked at and downloaded from."""
        return f"https://{SERVERS[0]}/1.0/{quote(self.owner)}/models/{quote(self.name)}"

    @property
    def download(self) -> str:
        """The command that brings it into the cache."""
        return f"gz fuel download -u {self.address}"


def fuel_model(uri: str) -> FuelModel | None:
    """What an address of Fuel names; None for every other URI."""
    match = _ADDRESS.fullmatch(uri.strip())
    if match is None:
        return None
    version = match["version"] or ""
    file = unquote(match["file"] or "")
    return FuelModel(unquote(match["owner"]), unquote(match["name"]), int(version) if version.isdecimal() else 0, file)


def caches() -> tuple[Path, ...]:
    """Folders in which gz-fuel-tools of this user keeps models."""
    named = [Path(os.environ[variable]) for variable in CACHES if os.environ.get(variable)]
    home = Path(os.path.expanduser("~"))
    return (*named, home / ".gz" / "fuel", home / ".ignition" / "fuel")


def find_in_cache(model: FuelModel) -> Path | None:
    """The folder of a cached model, or the file of it; of the version that is named, else of the highest one."""
    if "/" in model.owner + model.name or ".." in (model.owner, model.name) or climbs(model.file):
        return None
    for cache in caches():
        for server in SERVERS:
            versions = _versions(cache / server / model.owner.lower() / "models" / model.name.lower())
            if model.version:
                versions = [folder for folder in versions if int(folder.name) == model.version]
            for folder in versions:
                if (folder / model.file).exists():
                    return folder / model.file
    return None


def find_by_name(name: str) -> Path | None:
    """The folder of a cached model of that name, of any owner: what `model://name` means inside of models of
    Fuel."""
    if not name or "/" in name or name in (".", ".."):
        return None
    wanted = {name.lower(), name.lower().replace("_", " ")}
    for cache in caches():
        for server in SERVERS:
            for owner in _folders(cache / server):
                for model in sorted(wanted):
                    versions = _versions(owner / "models" / model)
                    if versions:
                        return versions[0]
    return None


def _versions(model: Path) -> list[Path]:
    """Folders of a model's versions, the newest first."""
    return sorted((f for f in _folders(model) if f.name.isdecimal()), key=lambda f: int(f.name), reverse=True)


def _folders(parent: Path) -> list[Path]:
    try:
        return sorted(item for item in parent.iterdir() if item.is_dir())
    except OSError:
        return []
