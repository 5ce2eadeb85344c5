"""Velocities to start with: the asked axes move as asked, the rest with the least kinetic energy that couplings and
loops allow.

Figures are closed forms; 1e-12 is far above the round-off of the few operations between them and the snapshot.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.engine.engine import Engine
from simulator.errors import AssemblyError, DocumentError, UsageError
from simulator.session.commands.factory import make_engine
from simulator.session.open.opening import open_document
from simulator.session.text.settings import SessionSettings, parse_initial
from tests.helpers.documents import mimic
from tests.helpers.linkages import closed_angles
from tests.physics.axes import limit
from tests.physics.four_bar_motions import Bars
from tests.physics.worlds import advance, example, joint, link, model, running, world

Write = Callable[..., Path]
STRATEGIES = pytest.mark.parametrize("solver", ["rows", "reduced", "gear"])
EXACT = 1e-12


def velocities(engine: Engine) -> dict[str, float]:
    """Velocity of every axis by the name of its joint."""
    names = [axis.name.rpartition("::")[2] for axis in engine.mechanism.axes]
    return dict(zip(names, engine.snapshot().velocity.tolist(), strict=True))


def state(**of: float) -> str:
    """A model's state with these velocities."""
    inside = "".join(
        f'<joint_state name="{name}"><axis_state><velocity>{value}</velocity></axis_state></joint_state>'
        for name, value in of.items()
    )
    return f"<model_state>{inside}</model_state>"


def single(inside_axis: str = "", *more: str) -> str:
    """A body of 1 kg m² about its hinge, without gravity."""
    return world(model(link("a"), joint("j", "revolute", "a", inside_axis=inside_axis), *more), gravity="0 0 0")


def pair(lead: str = "", follow: str = "", *more: str) -> str:
    """A follower at three times its leader, the other way round."""
    return world(
        model(
            link("a"),
            link("b"),
            joint("lead", "revolute", "a", inside_axis=lead),
            joint("follow", "revolute", "b", inside_axis=follow + mimic("lead", -3.0)),
            *more,
        ),
        gravity="0 0 0",
    )


@STRATEGIES
def test_a_free_joint_goes_on_as_it_was_told(write_document: Write, solver: str) -> None:
    """½ I w² is there at the start, and the angle after half a second is w t."""
    with running(write_document(single()), velocity=("j=2.5",), solver=solver) as engine:
        assert velocities(engine) == {"j": 2.5}
        assert engine.snapshot().energy.kinetic == pytest.approx(0.5 * 2.5**2, rel=EXACT)
        advance(engine, 0.5)
        assert engine.snapshot().position[0] == pytest.approx(2.5 * 0.5, rel=1e-9)
        engine.reset()
        assert velocities(engine) == {"j": 2.5}


@STRATEGIES
@pytest.mark.parametrize("asked", ["lead=2", "follow=-6"])
def test_what_is_coupled_moves_along(write_document: Write, solver: str, asked: str) -> None:
    with running(write_document(pair()), velocity=(asked,), solver=solver) as engine:
        assert velocities(engine) == pytest.approx({"lead": 2.0, "follow": -6.0}, rel=EXACT)
        assert engine.snapshot().worst_coupling_residual() < EXACT


@STRATEGIES
def test_a_closed_loop_moves_along(solver: str) -> None:
    """Bars a, b, c of the crank-rocker:

    w4 = w2 a sin(t3 - t2) / (c sin(t3 - t4)), w3 = w2 a sin(t4 - t2) / (b sin(t3 - t4)).
    """
    t2, t3, t4 = closed_angles(0.4, 0.1, 0.35, 0.3)
    with running(example("four_bar"), velocity=("crank_joint=2",), solver=solver) as engine:
        found = velocities(engine)
        assert found["crank_joint"] == pytest.approx(2.0, rel=EXACT)
        assert found["rocker_joint"] == pytest.approx(0.2 * math.sin(t3 - t2) / (0.3 * math.sin(t3 - t4)), rel=1e-9)
        assert found["coupler_joint"] == pytest.approx(
            0.2 * math.sin(t4 - t2) / (0.35 * math.sin(t3 - t4)) - 2.0, rel=1e-9
        )
        engine.step()
        assert engine.snapshot().worst_loop_residual()[0] < 1e-5


@STRATEGIES
def test_what_hangs_on_an_asked_joint_follows_its_inertia(write_document: Write, solver: str) -> None:
    """Two bars in line, each m = 1, I = 1 about a centre 0.5 m from its hinge, 1 m long.

    Least energy leaves no momentum in the second hinge: w2 = -M12 / M22 w1 with M22 = I + m/4, M12 = M22 + m/2.
    """
    text = world(
        model(
            link("a", com="0.5 0 0"),
            link("b", com="0.5 0 0", pose="1 0 0 0 0 0"),
            joint("one", "revolute", "a"),
            joint("two", "revolute", "b", parent="a"),
        ),
        gravity="0 0 0",
    )
    with running(write_document(text), velocity=("one=1.5",), solver=solver) as engine:
        wanted = {"one": 1.5, "two": -1.5 * (1.25 + 0.5) / 1.25}
        assert velocities(engine) == pytest.approx(wanted, rel=EXACT)


@STRATEGIES
def test_what_floats_keeps_its_momentum_of_zero(write_document: Write, solver: str) -> None:
    """Two bodies of 1 and 3 kg m² on one hinge: the rate w between them is shared as 3 : 1, in opposite directions."""
    text = world(model(link("a"), link("b", inertia="3 3 3"), joint("j", "revolute", "b", parent="a")), gravity="0 0 0")
    with running(write_document(text), velocity=("j=4",), solver=solver) as engine:
        assert velocities(engine)["j"] == pytest.approx(4.0, rel=EXACT)
        bodies = engine.mechanism.link_bodies()
        spins = engine.snapshot().body_velocities[:, 2]
        assert spins[bodies["m::a"]] == pytest.approx(-3.0, rel=1e-9)
        assert spins[bodies["m::b"]] == pytest.approx(1.0, rel=1e-9)


# --- what cannot be ---------------------------------------------------------------------------------------------------


def test_two_axes_of_one_coupling_that_contradict_each_other(write_document: Write) -> None:
    wanted = (
        r"'m::follow' cannot start with 1 rad/s: couplings and loops move it with -6 rad/s while 'm::lead' "
        r"moves with 2 rad/s"
    )
    with pytest.raises(AssemblyError, match=wanted), running(write_document(pair()), velocity=("lead=2", "follow=1")):
        pass
    with running(write_document(pair()), velocity=("lead=2", "follow=-6")) as engine:
        assert velocities(engine) == pytest.approx({"lead": 2.0, "follow": -6.0}, rel=EXACT)


def test_two_axes_of_one_loop_that_contradict_each_other() -> None:
    wanted = r"'four_bar::rocker_joint' cannot start with 2 rad/s: .* while 'four_bar::crank_joint' moves with 2 rad/s"
    asked = ("crank_joint=2", "rocker_joint=2")
    with pytest.raises(AssemblyError, match=wanted), running(example("four_bar"), velocity=asked):
        pass


def test_an_axis_that_cannot_move(write_document: Write) -> None:
    """A mimic with multiplier 0 holds its follower."""
    text = pair().replace("<multiplier>-3.0</multiplier>", "<multiplier>0.0</multiplier>")
    wanted = "'m::follow' cannot start with 1 rad/s: couplings and loops leave it no motion"
    with pytest.raises(AssemblyError, match=wanted), running(write_document(text), velocity=("follow=1",)):
        pass


def test_more_than_a_velocity_limit_is_refused(write_document: Write) -> None:
    path = write_document(single(limit(velocity=2.0)))
    with pytest.raises(UsageError, match="'m::j' cannot start with 3 rad/s: its velocity limit is 2 rad/s"):
        make_engine(open_document(path), SessionSettings(initial_velocity=(("j", 3.0),)))
    path = write_document(pair(follow=limit(velocity=5.0)))
    with pytest.raises(UsageError, match="'m::follow' cannot start with -6 rad/s: its velocity limit is 5 rad/s"):
        make_engine(open_document(path), SessionSettings(initial_velocity=(("lead", 2.0),)))


def test_what_is_no_velocity() -> None:
    with pytest.raises(UsageError, match="is not an initial velocity: write AXIS=VALUE"):
        parse_initial("j", "velocity")


# --- what a document says ---------------------------------------------------------------------------------------------


@STRATEGIES
def test_a_document_says_velocities_in_its_state(write_document: Write, solver: str) -> None:
    path = write_document(pair("", "", state(lead=0.5)))
    assert open_document(path).start_diagnostics == ()
    with running(path, solver=solver) as engine:
        assert velocities(engine) == pytest.approx({"lead": 0.5, "follow": -1.5}, rel=EXACT)
    with running(path, velocity=("lead=1",), solver=solver) as engine:
        assert velocities(engine) == pytest.approx({"lead": 1.0, "follow": -3.0}, rel=EXACT)


def test_degrees_and_start_positions_go_together(write_document: Write) -> None:
    said = (
        '<model_state><joint_state name="j"><axis_state><position>0.25</position><velocity degrees="true">90</velocity>'
        "</axis_state></joint_state></model_state>"
    )
    path = write_document(single("", said))
    assert open_document(path).diagnostics == ()
    with running(path) as engine:
        assert engine.snapshot().position[0] == 0.25
        assert velocities(engine) == pytest.approx({"j": math.pi / 2}, rel=EXACT)


def test_a_document_with_more_than_a_limit_starts_at_it(write_document: Write) -> None:
    path = write_document(single(limit(velocity=2.0), state(j=-3.0)))
    (finding,) = open_document(path).start_diagnostics
    assert (finding.severity.value, finding.code) == ("warning", "START_VELOCITY_ABOVE_LIMIT")
    assert finding.message == "'m::j' is to start with -3 rad/s, above its velocity limit; it starts with -2 rad/s"
    with running(path) as engine:
        assert velocities(engine) == {"j": -2.0}


def test_a_document_that_moves_a_follower_above_its_limit_is_told(write_document: Write) -> None:
    path = write_document(pair("", limit(velocity=5.0), state(lead=2.0)))
    (finding,) = open_document(path).start_diagnostics
    assert finding.code == "START_VELOCITY_ABOVE_LIMIT"
    assert finding.message.startswith(
        "'m::follow' would start with -6 rad/s, as it moves along, above its velocity limit"
    )


def test_a_document_whose_velocities_contradict_each_other_is_refused(write_document: Write) -> None:
    opened = open_document(write_document(pair("", "", state(lead=2.0, follow=1.0))))
    (finding,) = opened.start_diagnostics
    assert (finding.severity.value, finding.code) == ("error", "START_VELOCITY_IMPOSSIBLE")
    assert "'m::follow' cannot start with 1 rad/s" in finding.message
    with pytest.raises(DocumentError):
        make_engine(opened, SessionSettings())


@pytest.mark.parametrize(
    ("pose", "turned"),
    [("0.1 0.2 0.3 0.4 -0.7 1.1", 0.0), ("0 0 0 0 0 0", 1e-5), ("0.1 0.2 0.3 0.4 -0.7 1.1", 1e-5)],
    ids=["slanted", "out of line", "both"],
)
def test_a_planar_loop_moves_along_wherever_its_plane_is(tmp_path: Path, pose: str, turned: float) -> None:
    """Rows that hold a loop in its plane are zero but for a rounding where the plane is slanted, and as small as the
    angle by which an axis is out of line: neither prevents motion. Rates are those of the loop in the plane, to
    the angle; the given values are met, to its square."""
    bars = Bars(0.2, 0.45, 0.35, 0.5)
    tip = cmath.rect(0.2, 1.0)
    way = 0.5 - tip
    along = (abs(way) ** 2 + 0.45**2 - 0.35**2) / (2.0 * abs(way))
    end = tip + way / abs(way) * complex(along, math.sqrt(0.45**2 - along**2))
    text = bars.document(tip, end)
    tilted = text.replace('<model name="m">', f'<model name="m"><pose>{pose}</pose>')
    if turned:
        hinge = '<joint name="j2" type="revolute"><parent>crank</parent><child>coupler</child><axis><xyz>0 0 1</xyz>'
        assert hinge in tilted
        tilted = tilted.replace(hinge, hinge.replace("0 0 1", f"{turned!r} 0 1"))
    rates = []
    for name, document in (("plane", text), ("tilted", tilted)):
        path = tmp_path / f"{name}.sdf"
        path.write_text(document)
        with running(path, velocity=("j1=1",)) as engine:
            rates.append(engine.snapshot().velocity.tolist())
    assert rates[1] == pytest.approx(rates[0], abs=1e-9 + 2.0 * turned)
    assert rates[1][0] == pytest.approx(1.0, rel=EXACT + turned**2)


def test_what_must_not_move_may_stay_where_it_is(write_document: Write) -> None:
    """A velocity limit of 0 is exceeded by motion, not by rest."""
    text = world(
        model(
            link("a"), link("b", pose="1 0 0 0 0 0"), joint("j", "revolute", "a"),
            joint("still", "revolute", "b", inside_axis=limit(velocity=0.0)),
        ),
        gravity="0 0 0",
    )  # fmt: skip
    with running(write_document(text), velocity=("j=2",)) as engine:
        assert velocities(engine) == pytest.approx({"j": 2.0, "still": 0.0}, abs=EXACT)
    with (
        pytest.raises(UsageError, match="velocity limit is 0 rad/s"),
        running(write_document(text), velocity=("still=0.1",)),
    ):
        pass
