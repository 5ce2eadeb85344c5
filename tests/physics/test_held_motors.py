"""Motors without an effort limit against stops, walls and each other, and where ramps of positions end: what they give
does not grow as the step shrinks. Compared with closed forms."""

from __future__ import annotations

import re

import numpy as np
import pytest

import simulator
from simulator.engine.drives import Drive

NAME = "m::j"
BOX = """<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
    <collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>"""


def cart(model: str, place: float, limit: str = "") -> str:
    """A box of 1 kg and 0.2 m on a slide along x."""
    return f"""<model name="{model}"><pose>{place} 0 0 0 0 0</pose><link name="box">{BOX}</link>
      <joint name="j" type="prismatic"><parent>world</parent><child>box</child>
        <axis><xyz>1 0 0</xyz><limit>{limit}</limit></axis></joint></model>"""


WALL = """<model name="wall"><static>true</static><pose>0.3 0 0 0 0 0</pose><link name="w">
  <collision name="c"><geometry><box><size>0.2 1 1</size></box></geometry></collision></link></model>"""


def world(*models: str, dt: float, gravity: str = "0 0 0") -> simulator.Simulation:
    """Models side by side."""
    text = f'<sdf version="1.12"><world name="w"><gravity>{gravity}</gravity>{"".join(models)}</world></sdf>'
    return simulator.load(text, dt=dt)


@pytest.mark.parametrize("dt", [1e-3, 5e-4, 1e-4])
@pytest.mark.parametrize("gravity", [0.0, 9.81])
def test_a_motor_that_a_stop_holds_gives_what_rest_takes(dt: float, gravity: float) -> None:
    """At 1 m/s it gets to 0.0503 m and stays there; its effort is the weight, whatever the step. What sweeps leave of
    the velocity, 1e-9 m/s, takes a force of 1e-9 kg m/s over the step. In the first row it still has to jump."""
    sim = world(cart("m", 0.0, "<lower>-1</lower><upper>0.0503</upper>"), dt=dt, gravity=f"{-gravity} 0 0")
    run = sim.run(0.1, drives={"j": simulator.velocity(1.0)})
    assert run[f"{NAME}/position"][-1] == pytest.approx(0.0503, abs=1e-12)
    assert run[f"{NAME}/effort"][1:] == pytest.approx(np.full(len(run.time) - 1, gravity), abs=2e-9 / dt)
    (held,) = (finding for finding in run.findings if finding.code == "DRIVE_STOPPED")
    assert "stopped by the upper limit of 'm::j', 0.0503 m at 0.05" in held.message


@pytest.mark.parametrize("dt", [1e-3, 2.5e-4])
def test_a_motor_at_a_wall_needs_no_effort(dt: float) -> None:
    """At 1 m/s it reaches the wall at 0.1 s and stops within the way of a step; nothing presses then."""
    sim = world(cart("m", 0.0), WALL, dt=dt)
    run = sim.run(0.2, drives={"j": simulator.velocity(1.0)})
    assert run[f"{NAME}/position"][-1] == pytest.approx(0.1, abs=2e-6)
    assert run.drives[NAME]["peak"] < 1e-6
    assert sum(contact.force for contact in sim.contacts) < 1e-6
    (held,) = (finding for finding in run.findings if finding.code == "DRIVE_STOPPED")
    assert "stopped by the contact of 'm::box' with 'world' at 0.1 s" in held.message


@pytest.mark.parametrize("dt", [1e-3, 2.5e-4])
def test_a_motor_is_held_through_a_coupling(dt: float) -> None:
    """Two bars of m g a = 4 N m, one turning twice as fast as the other, whose stop at 0.2 rad holds both at 0.1 rad:
    the motor gives 4 cos 0.1 + 2 * 4 cos 0.2, and never more than the 12 N m at the start. Sweeps leave 1e-9 of it."""
    bar = """<link name="{0}"><pose>0 {1} 0 0 0 0</pose><inertial><pose>0.4 0 0 0 0 0</pose><mass>1</mass>
        <inertia><ixx>0.04</ixx><iyy>0.04</iyy><izz>0.04</izz></inertia></inertial></link>
      <joint name="j{0}" type="revolute"><parent>world</parent><child>{0}</child>
        <axis><xyz>0 -1 0</xyz>{2}</axis></joint>"""
    mimic = """<mimic joint="ja"><multiplier>2</multiplier><offset>0</offset><reference>0</reference></mimic>
      <limit><lower>-1</lower><upper>0.2</upper></limit>"""
    model = f'<model name="m">{bar.format("a", 0, "")}{bar.format("b", 1, mimic)}</model>'
    run = world(model, dt=dt, gravity="0 0 -10").run(0.2, drives={"ja": simulator.velocity(1.0)})
    assert run["m::ja/effort"][-1] == pytest.approx(4.0 * np.cos(0.1) + 8.0 * np.cos(0.2), rel=1e-9)
    assert run.drives["m::ja"]["peak"] < 12.0 + 1e-6
    assert "the upper limit of 'm::jb'" in run.findings[-1].message


@pytest.mark.parametrize("dt", [1e-3, 2.5e-4])
def test_motors_that_meet_hold_each_other(dt: float) -> None:
    """Alike, they stop where they touch; it takes no force. What is left of 1 m/s, 1e-6 m/s, takes 1e-6 kg m/s over the
    step."""
    sim = world(cart("a", 0.0), cart("b", 0.3), dt=dt)
    run = sim.run(0.2, drives={"a::j": simulator.velocity(1.0), "b::j": simulator.velocity(-1.0)})
    assert run["b::j/position"][-1] - run["a::j/position"][-1] == pytest.approx(-0.1, abs=1e-9)
    assert max(run.drives["a::j"]["peak"], run.drives["b::j"]["peak"]) < 1e-6 / dt
    assert sum(finding.code == "DRIVE_STOPPED" for finding in run.findings) == 2


@pytest.mark.parametrize("dt", [1e-3, 2.5e-4])
def test_motors_that_meet_go_on_with_the_mean_of_what_they_ask_for(dt: float) -> None:
    """One asks for 1 m/s, the other, which is to stay at 0, for -x / T with T = 0.02 s where it is pushed to x: both
    have x' = (1 - x / T) / 2 after they touch at 0.1 s, whence x = T (1 - exp(-t / 2 T)), with forces of m x'' on 1 kg,
    12.5 N at first. Touching is spread over two steps, and the approach is of first order."""
    sim = world(cart("a", 0.0), cart("b", 0.3), dt=dt)
    run = sim.run(0.2, drives={"a::j": simulator.velocity(1.0), "b::j": simulator.position(0.0)})
    later = np.maximum(run.time - 0.1, 0.0)
    assert run["b::j/position"] == pytest.approx(0.02 * (1.0 - np.exp(-later / 0.04)), abs=dt)
    assert run["b::j/position"][-1] - run["a::j/position"][-1] == pytest.approx(-0.1, abs=1e-9)
    for axis in ("a::j", "b::j"):
        assert run.drives[axis]["peak"] == pytest.approx(12.5, rel=2e-2)
    assert sum(finding.code == "DRIVE_STOPPED" for finding in run.findings) == 2


@pytest.mark.parametrize("duration", [0.1, 0.1004, 0.09999])
@pytest.mark.parametrize("dt", [1e-3, 1e-4])
def test_a_ramp_of_positions_ends_at_its_end_by_impulses(duration: float, dt: float) -> None:
    """x = t / T up to 1: the velocity is taken in impulses of m v in all, within a step one at both of its ends.
    Nothing else acts, so that there is no effort; positions of rows are those of the profile, to rounding."""
    drives = {"j": simulator.position(simulator.ramp(0.0, 1.0, duration))}
    run = world(cart("m", 0.0), dt=dt).run(0.2, drives=drives)
    assert run[f"{NAME}/position"] == pytest.approx(np.minimum(run.time / duration, 1.0), abs=1e-13)
    assert run.drives[NAME]["peak"] < 1e-9
    ends = [impulse.impulse for impulse in run.impulses if impulse.time > 0.0]
    assert sum(ends) == pytest.approx(-1.0 / duration, rel=1e-9)


@pytest.mark.parametrize("dt", [1e-3, 2.5e-4])
def test_a_step_of_a_position_takes_no_more_than_its_approach(dt: float) -> None:
    """x' = (0.3 - x) / T with T = 0.02 s after the impulse: the largest force is m 0.3 / T^2."""
    run = world(cart("m", 0.0), dt=dt).run(0.1, drives={"j": simulator.position(simulator.step(0.0, 0.3, 0.01))})
    assert run.drives[NAME]["peak"] == pytest.approx(0.3 / 0.02**2, rel=1e-12)


def stopped(text: str, drive: Drive, solver: str, *, single: bool) -> list[str]:
    """What a run says about drives that something held; made in one call, or step by step."""
    sim = simulator.load(text, dt=1e-3, solver=solver)
    if single:
        sim.drive("j", drive)
        run = sim.run(0.2, control=lambda _: None, control_every=1e-3)
    else:
        run = sim.run(0.2, drives={"j": drive})
    return [finding.message for finding in run.findings if finding.code == "DRIVE_STOPPED"]


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("drive", [simulator.velocity(1.0), simulator.velocity(simulator.ramp(0.9999, 1.0, 0.01))])
@pytest.mark.parametrize(
    "models", [(cart("m", 0.0, "<lower>-1</lower><upper>0.0503</upper>"),), (cart("m", 0.0), WALL)]
)
def test_what_holds_a_motor_is_told_alike_by_all_strategies(
    models: tuple[str, ...], drive: Drive, single: bool
) -> None:
    """Bullet does not tell what holds its motors; it is found by the step after which they are not where they were to
    be."""
    text = f'<sdf version="1.12"><world name="w"><gravity>0 0 0</gravity>{"".join(models)}</world></sdf>'
    (rows,) = stopped(text, drive, "rows", single=single)
    (gear,) = stopped(text, drive, "gear", single=single)
    time = re.compile(r" at ([\d.]+) s:")
    assert time.sub("", gear) == time.sub("", rows)
    times = [float(found.group(1)) for found in (time.search(gear), time.search(rows)) if found]
    assert times[0] == pytest.approx(times[1], abs=1.001e-3)  # at a step, or at the next one


@pytest.mark.parametrize("limit", ["<effort>50</effort>", "<lower>-1</lower><upper>0.3</upper>"])
def test_bullet_has_no_such_finding_where_nothing_holds_a_motor_or_it_has_a_limit(limit: str) -> None:
    models = cart("m", 0.0, limit), *((WALL,) if "effort" in limit else ())
    text = f'<sdf version="1.12"><world name="w"><gravity>0 0 0</gravity>{"".join(models)}</world></sdf>'
    assert stopped(text, simulator.velocity(1.0), "gear", single=False) == []
