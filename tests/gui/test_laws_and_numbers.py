"""What is read in the window: laws, units, numbers, curves, poses."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from simulator.gui.laws import kind_text, law_text, short_names
from simulator.gui.traces.decimation import latest_run, min_max, nice_range, settled_range
from simulator.gui.traces.plan import Group, plan, style
from simulator.gui.units import Units, compact, number, scientific
from simulator.mechanism.types import Coupling, CouplingKind
from simulator.recording.channels import channels_of
from simulator.session.look.link_poses import LinkPoses
from simulator.spatial.pose import Pose
from simulator.spatial.pose_arrays import compose
from tests.gui.fakes import axes, opened

NAMES = ("leader", "follower")


def coupling(
    multiplier: float, offset: float = 0.0, reference: float = 0.0, kind: CouplingKind = CouplingKind.MIMIC
) -> Coupling:
    return Coupling(kind, 1, 0, multiplier, offset, reference)


@pytest.mark.parametrize(
    ("law", "text"),
    [
        (coupling(0.02), "follower = 0.02 · leader"),
        (coupling(1.0), "follower = leader"),
        (coupling(-1.0), "follower = −leader"),
        (coupling(-2.5), "follower = −2.5 · leader"),
        (coupling(2.0, 0.1, 0.3), "follower = 2 · (leader − 0.3) + 0.1"),
        (coupling(2.0, -0.1, -0.3), "follower = 2 · (leader + 0.3) − 0.1"),
        (coupling(1.06399, -0.04545), "follower = 1.06399 · leader − 0.04545"),
        (coupling(2.0, 0.0, 0.3), "follower = 2 · (leader − 0.3)"),
        (coupling(1.0, 0.5, 0.0), "follower = leader + 0.5"),
    ],
)
def test_laws_read_as_equations(law: Coupling, text: str) -> None:
    assert law_text(law, NAMES) == text


def test_gearbox_and_screw_are_named() -> None:
    assert kind_text(coupling(-5.0, kind=CouplingKind.GEARBOX)) == "gearbox, ratio 5"
    assert kind_text(coupling(0.01 / math.tau, kind=CouplingKind.SCREW)) == "screw, 10 mm per turn"


WILLIS = Coupling(CouplingKind.GEARBOX, 1, 0, -0.5, others=((2, 1.5),))


def test_a_law_of_three_axes_is_written_out() -> None:
    names = ("sun", "ring", "carrier", "planet")
    assert law_text(WILLIS, names) == "ring = −0.5 · sun + 1.5 · carrier"
    assert (
        law_text(replace(WILLIS, multiplier=1.0, others=((2, -1.0), (3, 1.0))), names)
        == "ring = sun − carrier + planet"
    )
    assert law_text(replace(WILLIS, offset=0.2), names) == "ring = −0.5 · sun + 0.2 + 1.5 · carrier"
    assert kind_text(WILLIS) == "gearbox of 3 joints"


def test_names_are_short_where_they_stay_distinct() -> None:
    turn, slide = axes()
    assert short_names((turn, slide)) == ("pinion_joint", "rack_joint")
    assert short_names((turn, turn)) == ("machine::pinion_joint",) * 2


def test_numbers_have_true_minus_signs_and_no_negative_zero() -> None:
    assert number(-0.62, 3) == "−0.620"
    assert number(-0.0001, 3) == "0.000"
    assert number(math.nan, 3) == "–"
    assert number(-math.inf, 3) == "−∞"
    assert compact(-1.0) == "−1"
    assert [compact(value, 3) for value in (2374.6, -99960.0, 1e5, 2.5e7, 0.00012345)] == [
        "2370", "−100000", "100000", "2.5e+07", "0.000123",
    ]  # fmt: skip
    assert scientific(0.0) == "0"
    assert scientific(3.14e-7) == "3.1e−07"


def test_units_of_the_view() -> None:
    turn, slide = axes()
    shown = Units(degrees=True, millimetres=True)
    assert shown.text(turn, math.pi / 2) == "90.00 deg"
    assert shown.text(slide, -0.0125) == "−12.50 mm"
    assert shown.name_of("rad/s") == "deg/s"
    assert shown.name_of("N·m") == "N·m"
    assert shown.factor_of("J") == 1.0


def test_thinning_keeps_every_peak() -> None:
    times = np.linspace(0.0, 10.0, 10_001)
    values = np.stack((np.sin(times), np.zeros_like(times)), axis=1)
    values[4321, 1] = 7.0
    thin_times, thin = min_max(times, values, 10.0, 500)
    assert len(thin) <= 2 * 502
    assert thin[:, 1].max() == 7.0
    assert thin[:, 0].max() == values[:, 0].max()
    assert thin[:, 0].min() == values[:, 0].min()
    assert np.all(np.diff(thin_times) >= 0.0)
    assert (thin_times[0], thin_times[-1]) == (0.0, 10.0)


def test_thinning_leaves_few_samples_alone_and_does_not_flicker() -> None:
    times = np.linspace(0.0, 1.0, 50)
    values = times[:, None]
    assert min_max(times, values, 1.0, 100)[1] is values
    times = np.arange(0.0, 5.0, 1e-3)
    values = np.random.default_rng(1).normal(size=(5000, 1))
    whole = min_max(times, values, 5.0, 100)
    later = min_max(times[50:], values[50:], 5.0, 100)  # scrolled by one bin
    np.testing.assert_array_equal(whole[1][4:-4], later[1][2:-4][: len(whole[1][4:-4])])


@pytest.mark.parametrize("clustered", [False, True])
def test_thinning_gives_the_extremes_of_every_bin(clustered: bool) -> None:
    """However many samples it has: of evenly spread ones, and of a thousand that are all in one bin."""
    random = np.random.default_rng(3)
    times = np.sort(random.uniform(0.0, 5.0, 4000))
    if clustered:
        times = np.sort(np.concatenate((times[:1000], 2.0 + 1e-6 * np.arange(3000))))
    values = random.normal(size=(4000, 3))
    values[::7, 1] = np.nan
    thin_times, thin = min_max(times, values, 5.0, 500)
    numbers = np.floor(times / 0.01)
    for place, bin_number in enumerate(np.unique(numbers)):
        inside = values[numbers == bin_number]
        assert thin_times[2 * place : 2 * place + 2].tolist() == [
            times[numbers == bin_number][0],
            times[numbers == bin_number][-1],
        ]
        np.testing.assert_array_equal(thin[2 * place], np.fmin.reduce(inside))
        np.testing.assert_array_equal(thin[2 * place + 1], np.fmax.reduce(inside))


def test_sentences_of_the_simulation_are_in_the_users_units() -> None:
    said = "it is open by 0.0312 m and 0.5 rad; at -1.2e-05 m, not 3 m/s, 5 kg m^2, 2 N·m or 4 m²"
    assert Units().in_text(said) is said
    assert Units(degrees=True, millimetres=True).in_text(said) == (
        "it is open by 31.2 mm and 28.6479 deg; at −0.012 mm, not 3 m/s, 5 kg m^2, 2 N·m or 4 m²"
    )


def test_thinning_passes_over_gaps() -> None:
    times = np.linspace(0.0, 1.0, 1000)
    values = np.ones((1000, 1))
    values[100:110] = np.nan
    assert np.isfinite(min_max(times, values, 1.0, 50)[1]).all()


def test_a_reset_starts_the_curve_anew() -> None:
    times = np.array([0.0, 1.0, 2.0, 0.0, 1.0])
    kept, values = latest_run(times, np.arange(5.0)[:, None])
    assert kept.tolist() == [0.0, 1.0]
    assert values.ravel().tolist() == [3.0, 4.0]


def test_ranges_are_never_flat_and_do_not_twitch() -> None:
    low, high = nice_range(np.zeros(5)) or (1.0, 0.0)
    assert low < 0.0 < high
    assert nice_range(np.array([np.nan])) is None
    assert settled_range((-1.0, 1.0), (-1.2, 1.2)) == (-1.2, 1.2)
    assert settled_range((-1.0, 2.0), (-1.2, 1.2)) == (-1.0, 2.0)
    assert settled_range((-0.1, 0.1), (-1.2, 1.2)) == (-0.1, 0.1)


TWO = np.array([0.0, 1.0])


def test_accelerations_are_rates_of_velocities_and_powers_products() -> None:
    """Of ω = sin 2 t the rate is 2 cos 2 t; central differences of steps h are off by h² / 6 of the third derivative,
    8, at most. A follower of half that velocity has half of it, its law too."""
    mechanism = opened(multiplier=0.5).mechanism
    channels, times = channels_of(mechanism), np.linspace(0.0, 2.0, 201)
    series = {s.key: s for group in (Group.ACCELERATION, Group.POWER) for s in plan(mechanism, channels, group)}
    speed, effort = np.sin(2.0 * times), 3.0 + times
    turning, ideal, power = (series[key] for key in ("acceleration/0", "acceleration/1/ideal", "power/0"))
    assert [channels[column].name.rpartition("/")[2] for column in power.columns] == ["effort", "velocity"]
    assert (turning.unit, ideal.unit, power.unit) == ("rad/s²", "m/s²", "W")
    exact, error = 2.0 * np.cos(2.0 * times[1:-1]), 8.0 * 0.01**2 / 6.0
    np.testing.assert_allclose(turning.values(times, speed)[1:-1], exact, rtol=0.0, atol=error)
    np.testing.assert_allclose(ideal.values(times, speed)[1:-1], 0.5 * exact, rtol=0.0, atol=0.5 * error)
    np.testing.assert_array_equal(power.values(times, effort, speed), effort * speed)
    np.testing.assert_array_equal(turning.values(times[:1], speed[:1]), [0.0])


def test_the_ideal_follower_is_the_law() -> None:
    mechanism = opened(multiplier=2.0, offset=0.1, reference=0.3).mechanism
    series = {s.key: s for s in plan(mechanism, channels_of(mechanism), Group.POSITION)}
    ideal = series["position/1/ideal"]
    np.testing.assert_allclose(ideal.values(TWO, np.array([0.3, 1.3])), [0.1, 2.1])
    fast = {s.key: s for s in plan(mechanism, channels_of(mechanism), Group.VELOCITY)}["velocity/1/ideal"]
    np.testing.assert_allclose(fast.values(TWO, np.array([0.3, 1.3])), [0.6, 2.6])


def test_the_ideal_follower_of_three_axes_uses_all_leaders() -> None:
    turn, _ = axes()
    mechanism = replace(
        opened().mechanism,
        axes=tuple(replace(turn, name=f"m::{n}") for n in ("sun", "ring", "carrier")),
        couplings=(WILLIS,),
    )
    channels = channels_of(mechanism)
    series = {s.key: s for s in plan(mechanism, channels, Group.POSITION)}
    ideal = series["position/1/ideal"]
    assert [channels[column].name for column in ideal.columns] == ["joint/m::sun/position", "joint/m::carrier/position"]
    np.testing.assert_allclose(ideal.values(TWO, np.array([0.0, 2.0]), np.array([1.0, -1.0])), [1.5, -2.5])
    assert all(series[f"position/{axis}"].shown for axis in range(3))


def test_styles_are_distinct_for_many_curves() -> None:
    assert len({style(rank, 8) for rank in range(24)}) == 24


def test_link_poses_are_composed() -> None:
    a, b = Pose.from_rpy((1.0, 2.0, 3.0), (0.1, 0.2, 0.3)), Pose.from_rpy((-1.0, 0.5, 0.0), (0.7, -0.4, 0.2))
    np.testing.assert_allclose(compose(np.array([a.as_list()]), np.array([b.as_list()]))[0], (a @ b).as_list())
    document = opened()
    links = [link for model in document.world.models for link in model.links]
    poses = LinkPoses(document.mechanism, [link.name for link in links])
    at_start = poses.at(np.array([body.X_WB.as_list() for body in document.mechanism.bodies]))
    np.testing.assert_allclose(at_start, [link.X_WL.as_list() for link in links], atol=1e-15)


def test_a_law_within_a_model_leaves_the_model_out() -> None:
    from simulator.gui.laws import law_names

    turn, slide = axes()
    other = replace(turn, name="other::pinion_joint")
    inside = coupling(2.0)
    assert law_text(inside, law_names(inside, (turn, slide, other))) == "rack_joint = 2 · pinion_joint"
    across = Coupling(CouplingKind.MIMIC, 1, 2, 2.0)
    assert law_text(across, law_names(across, (turn, slide, other))) == "rack_joint = 2 · other::pinion_joint"


def test_after_two_resets_only_what_follows_the_second_is_shown() -> None:
    """The first sample after it included: a reset records time zero."""
    times = np.array([0.0, 1.0, 0.0, 1.0, 2.0, 0.0, 1.0])
    kept, values = latest_run(times, np.arange(7.0)[:, None])
    assert kept.tolist() == [0.0, 1.0]
    assert values[:, 0].tolist() == [5.0, 6.0]


def test_two_samples_at_one_time_are_no_reset() -> None:
    times = np.array([0.0, 1.0, 1.0, 2.0])
    assert latest_run(times, np.zeros((4, 1)))[0].tolist() == times.tolist()


def test_both_sides_of_a_quotient_are_in_the_users_units() -> None:
    """A rack that moves 0.02 m for each radian moves 20 mm in 57.3°; ratios of like things have no unit."""
    factor, name = Units(degrees=True, millimetres=True).quotient("m/rad")
    assert (0.02 * factor, name) == (pytest.approx(20.0 / 57.29577951308232, rel=1e-15), "mm/deg")
    assert Units().quotient("m/rad") == (1.0, "m/rad")
    assert Units(degrees=True).quotient("1") == (1.0, "")
    assert Units(degrees=True).quotient("rad")[1] == "deg"
