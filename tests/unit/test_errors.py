"""What a slip may have meant."""

from __future__ import annotations

import pytest

from simulator.errors import closest


@pytest.mark.parametrize(
    ("wanted", "names", "meant"),
    [
        ("Right_index_q2", ["Left_index_q1", "Right_thumb_q1"], ""),
        ("l_elbo", ["r_elbow", "l_elbow"], "l_elbow"),
        ("FL_hip", ["FR_hip", "RR_hip"], ""),
        ("lf_hip", ["rf_hip"], ""),
        ("RHipPich", ["LHipPich", "RHipPitch"], "RHipPitch"),
        ("elbo", ["left_elbow", "elbow"], "elbow"),
        ("roller", ["m::rollr"], "m::rollr"),
    ],
)
def test_the_other_side_is_never_meant(wanted: str, names: list[str], meant: str) -> None:
    assert closest(wanted, names) == meant
