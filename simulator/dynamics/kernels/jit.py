"""The compiler's switch. With NUMBA_DISABLE_JIT=1 both decorators return the function as it was written.

No fast-math: results must not depend on how a compiler reorders sums. Compiled code is cached on disk. Numba compares a cached
kernel with the file that it stands in, not with the files of the helpers that it calls: what is older than any file of this
folder is thrown away here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba

if TYPE_CHECKING:
    from collections.abc import Callable

    Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(signature: str) -> Callable[[Function], Function]:
    """Compile for this signature when the module is imported, or load it from the cache."""

    def decorate(function: Function) -> Function:
        return cast("Function", numba.njit(signature, cache=True, error_model="numpy")(function))

    return decorate


def helper(function: Function) -> Function:
    """Compile as a part of the kernels that call it."""
    return cast("Function", numba.njit(cache=True, error_model="numpy")(function))


def forget_older_code(folder: Path) -> None:
    """Delete the cache's index files that are older than the newest source file in `folder`."""
    newest = max(source.stat().st_mtime for source in folder.glob("*.py"))
    for index in (folder / "__pycache__").glob("*.nbi"):
        try:
            if index.stat().st_mtime < newest:
                index.unlink()
        except OSError:  # another process was faster, or the folder is not ours to change
            continue


forget_older_code(Path(__file__).parent)
