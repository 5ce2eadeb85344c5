"""Views of flat arrays, as kernels open them."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.native.kernels import view


@pytest.mark.parametrize("shape", [(6,), (2, 3), (1, 2, 3)])
def test_a_view_has_its_shape_and_is_no_copy(shape: tuple[int, ...]) -> None:
    buffer = np.arange(12.0)
    found = view(buffer, 4, shape)
    assert found.shape == shape
    assert found.ravel().tolist() == [4.0, 5.0, 6.0, 7.0, 8.0, 9.0]
    found[...] = 0.0
    assert buffer.tolist() == [0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 10.0, 11.0]
