"""Drives as they are typed: what they mean, and what is said about those that mean nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.engine.drives import Drive, DriveKind
from simulator.engine.pid import Gains
from simulator.errors import UnknownNameError, UsageError
from simulator.formats.motion_file import read_motion
from simulator.formats.profile_text import GENERATORS, SHOWN, SPELLINGS
from simulator.model.profiles import Chirp, Constant, Profile, Ramp, Sine, Step, Table
from simulator.model.splines import Spline
from simulator.session.text.drive_text import format_drive, parse_command, parse_drive
from simulator.session.text.force_text import parse_force
from tests.helpers.drives import Runaway, drive


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("crank=velocity:2", ("crank", Drive(DriveKind.VELOCITY, Constant(2.0)))),
        ("m::crank:axis2=effort:-1e-3", ("m::crank:axis2", Drive(DriveKind.EFFORT, Constant(-1e-3)))),
        ("actuator/left=velocity:2", ("actuator/left", Drive(DriveKind.VELOCITY, Constant(2.0)))),
        ("a=b=position:1", ("a=b", Drive(DriveKind.POSITION, Constant(1.0)))),
        ("a=velocity:sine(amplitude=2,frequency=0.5)", ("a", Drive(DriveKind.VELOCITY, Sine(2.0, 0.5)))),
        ("a=position:sine(2, 0.5, phase=1.5)", ("a", Drive(DriveKind.POSITION, Sine(2.0, 0.5, phase=1.5)))),
        ("a=position:ramp(from=0,to=1,duration=3)", ("a", Drive(DriveKind.POSITION, Ramp(0.0, 1.0, 3.0)))),
        ("a=effort:step(0,1)", ("a", Drive(DriveKind.EFFORT, Step(0.0, 1.0)))),
        ("a=effort:chirp(1,f0=0.1,f1=5,duration=20)", ("a", Drive(DriveKind.EFFORT, Chirp(1.0, 0.1, 5.0, 20.0)))),
        ("a=effort:constant(3)", ("a", Drive(DriveKind.EFFORT, Constant(3.0)))),
        (
            "a=position:sine(1,2),pid(p=80,i=5,d=6,limit=20)",
            ("a", Drive(DriveKind.POSITION, Sine(1.0, 2.0), Gains(80.0, 5.0, 6.0, 20.0))),
        ),
        ("a=velocity:1,pid(3)", ("a", Drive(DriveKind.VELOCITY, Constant(1.0), Gains(3.0)))),
    ],
)
def test_what_is_typed_is_understood(text: str, meant: tuple[str, Drive]) -> None:
    assert parse_drive(text) == meant


def test_only_a_number_without_a_loop_has_a_level() -> None:
    assert drive("velocity:2").level == 2.0
    assert drive("velocity:constant(2)").level == 2.0
    assert drive("velocity:2,pid(1)").level is None
    assert drive("velocity:sine(1,2)").level is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("velocity:2", "velocity:2"),
        ("velocity:constant(2.50)", "velocity:2.5"),
        ("effort:-1e-3", "effort:-0.001"),
        ("position:sine(2, 0.5, phase=1.5)", "position:sine(amplitude=2,frequency=0.5,phase=1.5)"),
        ("position:ramp(0,1,3)", "position:ramp(from=0,to=1,duration=3)"),
        ("effort:step(0,1)", "effort:step(from=0,to=1)"),
        ("effort:chirp(1,.1,5,20,2)", "effort:chirp(amplitude=1,f0=0.1,f1=5,duration=20,offset=2)"),
        ("position:1,pid(80,5,6,20)", "position:1,pid(p=80,i=5,d=6,limit=20)"),
        ("velocity:sine(1,2),pid(3)", "velocity:sine(amplitude=1,frequency=2),pid(p=3)"),
    ],
)
def test_drives_are_written_as_they_are_typed(text: str, shown: str) -> None:
    assert format_drive(drive(text)) == shown
    assert drive(shown) == drive(text)


NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
SIZES = st.floats(min_value=0.0, exclude_min=True, allow_nan=False, allow_infinity=False)
PROFILES = st.one_of(
    st.builds(Constant, NUMBERS),
    st.builds(Sine, NUMBERS, NUMBERS, NUMBERS, NUMBERS),
    st.builds(Ramp, NUMBERS, NUMBERS, SIZES),
    st.builds(Step, NUMBERS, NUMBERS, NUMBERS),
    st.builds(Chirp, NUMBERS, NUMBERS, NUMBERS, SIZES, NUMBERS),
)


@given(PROFILES, st.none() | st.builds(Gains, SIZES, SIZES, st.just(0.0), SIZES), st.sampled_from(list(DriveKind)))
def test_what_is_written_is_read_back_to_the_last_bit(profile: Profile, gains: Gains | None, kind: DriveKind) -> None:
    written = Drive(kind, profile, gains if kind is not DriveKind.EFFORT else None)
    assert drive(format_drive(written)) == written


def test_a_profile_without_a_text_is_named() -> None:
    assert format_drive(Drive(DriveKind.EFFORT, Runaway())) == "effort:<Runaway>"
    assert format_drive(Drive(DriveKind.EFFORT, Table((0.0,), (1.0,)))) == "effort:<Table>"
    with pytest.raises(UsageError, match="'<Table>' is not a finite number"):
        drive("effort:<Table>")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("crank", "'crank' is not a drive: write AXIS=KIND:VALUE with KIND one of position, velocity, effort"),
        ("crank=speed:2", "is not a drive: write AXIS=KIND:VALUE"),
        ("=velocity:2", "is not a drive"),
        ("a=velocity:", "'' is not a command: write a number, constant(level), sine(amplitude,frequency,offset,phase)"),
        ("a=velocity:fast", "'fast' is not a finite number"),
        ("a=velocity:nan", "'nan' is not a finite number"),
        ("a=velocity:1,2", "'1,2' is not a command"),
        ("a=velocity:square(1)", "there is no generator 'square'; write constant(level), sine("),
        (
            "a=velocity:sin(1,2)",
            "no generator 'sin'; did you mean sine(amplitude,frequency,offset,phase)? Write constant(",
        ),
        ("a=velocity:sine(1)", "sine(1) lacks frequency; write sine(amplitude,frequency,offset,phase)"),
        ("a=velocity:sine()", "lacks amplitude and frequency"),
        ("a=velocity:ramp(0,1)", "ramp(0,1) lacks duration; write ramp(from,to,duration)"),
        ("a=velocity:sine(1,2,speed=3)", "sine has no value 'speed'"),
        ("a=velocity:sine(1,2,3,4,5)", "sine has no more than 4 values"),
        ("a=velocity:sine(1,amplitude=2,frequency=1)", "gives amplitude twice"),
        ("a=velocity:ramp(1,from=2,to=3,duration=1)", "gives from twice"),
        ("a=velocity:sine(frequency=1,2)", "'2' in sine(frequency=1,2) needs its name"),
        ("a=velocity:sine(phase=1,frequency=2)", "sine(phase=1,frequency=2) lacks amplitude"),
        ("a=velocity:sine(1,x)", "'x' in 'sine(1,x)' is not a finite number"),
        ("a=velocity:ramp(0,1,-1)", "duration of a ramp must be more than 0, not -1"),
        ("a=effort:1,pid(2)", "an effort needs no loop"),
        ("a=velocity:1,pid(2,d=1)", "a velocity loop has p and i"),
        ("a=velocity:1,pid(i=2)", "pid(i=2) lacks p; write pid(p,i,d,limit)"),
        ("a=velocity:1,pid(-2)", "the proportional gain must be finite and 0 or more"),
        ("a=velocity:1,sine(1,2)", "'1,sine(1,2)' is not a command"),
        ("a=position:@", "'@' needs the name of a CSV file"),
        ("a=position:@no.csv", "there is no file 'no.csv'"),
    ],
)
def test_what_means_nothing_is_told(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_drive(text)
    assert said in str(caught.value)


@pytest.mark.parametrize("name", GENERATORS)
def test_the_names_that_are_shown_are_those_of_the_class(name: str) -> None:
    assert [SPELLINGS.get(shown, shown) for shown in SHOWN[name]] == list(GENERATORS[name].__dataclass_fields__)


def test_a_file_becomes_a_table(tmp_path: Path) -> None:
    file = tmp_path / "motion.csv"
    file.write_text("# made by hand\n0, 1\n\n0.5, 2\n2, -1\n", encoding="utf-8")
    profile: Profile
    profile, gains = parse_command(f"@{file}")
    assert profile == Table((0.0, 0.5, 2.0), (1.0, 2.0, -1.0))
    assert gains is None
    held = drive(f"position:@{file},pid(2)")
    assert held == Drive(DriveKind.POSITION, profile, Gains(2.0))
    assert format_drive(held) == f"position:@{file},pid(p=2)"


def test_a_column_of_a_recording_may_be_named(tmp_path: Path) -> None:
    file = tmp_path / "run.csv"
    file.write_text(
        "joint/m::a/position,time,joint/m::b/position,joint/m::b/velocity\n1,0,5,7\n2,1,6,8\n", encoding="utf-8"
    )
    assert read_motion(file, "joint/m::b/velocity") == ((0.0, 1.0), (7.0, 8.0))
    assert read_motion(file, "b/position") == ((0.0, 1.0), (5.0, 6.0))
    assert read_motion(file) == ((0.0, 1.0), (1.0, 2.0))
    column = drive(f"position:@{file}#b/position")
    assert column.profile == Table((0.0, 1.0), (5.0, 6.0))
    assert format_drive(column) == f"position:@{file}#b/position"
    with pytest.raises(UsageError, match="column 'position' is ambiguous: joint/m::a/position, joint/m::b/position"):
        read_motion(file, "position")
    with pytest.raises(UnknownNameError, match="no column is named 'c'"):
        read_motion(file, "c")


def test_a_smooth_curve_goes_through_a_column(tmp_path: Path) -> None:
    """With the rates that the recording has for positions; the text comes back as it was typed."""
    file = tmp_path / "run.csv"
    file.write_text("time,joint/m::b/position,joint/m::b/velocity\n0,5,7\n1,6,8\n2,5,9\n", encoding="utf-8")
    smooth = drive(f"position:@{file}#b/position,spline")
    assert smooth.profile == Spline((0.0, 1.0, 2.0), (5.0, 6.0, 5.0), rates=(7.0, 8.0, 9.0))
    assert format_drive(smooth) == f"position:@{file}#b/position,spline"
    speed = drive(f"velocity:@{file}#b/velocity, spline,pid(2)")
    assert speed == Drive(DriveKind.VELOCITY, Spline((0.0, 1.0, 2.0), (7.0, 8.0, 9.0)), Gains(2.0))
    assert format_drive(speed) == f"velocity:@{file}#b/velocity,spline,pid(p=2)"
    load = parse_force(f"rod=0,@{file}#b/velocity,spline,0")
    assert load.force == (Constant(0.0), speed.profile, Constant(0.0))
    with pytest.raises(UsageError, match=r"is not a command: write a number, .* @FILE or @FILE,spline"):
        drive(f"velocity:@{file},smooth")


@pytest.mark.parametrize(
    "content",
    [
        "# motor\ntime;q;load\n0;0,5;1\n0,01;-1,5e-3;2\n",
        "time\tq\tload\n0\t0.5\t1\n0.01\t-1.5e-3\t2\n",
        "time\tq\n0\t0,5\n0,01\t-1,5e-3\n",
    ],
)
def test_files_of_other_programs(tmp_path: Path, content: str) -> None:
    """Semicolons or tabs between columns, and decimal commas there."""
    file = tmp_path / "motion.csv"
    file.write_text(content, encoding="utf-8")
    assert read_motion(file, "q") == ((0.0, 0.01), (0.5, -1.5e-3))


@pytest.mark.parametrize(
    ("content", "column", "said"),
    [
        ("", "", "holds no values"),
        ("time,value\n", "", "holds no values"),
        ("0,1\n1\n", "", ":2: this line has 1 columns; 2 are needed"),
        pytest.param(f"0,1\n1,{'9' * 200_000}\n", "", ":2: field larger than field limit", id="a cell without an end"),
        ("time pos\n0 1\n", "", ":2: '0 1' is not a finite number; columns are separated by commas"),
        ("t,v\n0,1\n\n1,fast\n", "", ":4: 'fast' is not a finite number"),
        ("0,1\n1,inf\n", "", ":2: 'inf' is not a finite number"),
        ("0,1\n2,1\n1,3\n", "", ":3: the times must rise; 1 s comes after 2 s"),
        ("0,1\n2,1\n2,3\n", "", ":3: the times must rise; 2 s comes after 2 s"),
        ("0,1\n1,2\n", "hip", "does not name its columns"),
    ],
)
def test_what_a_file_must_not_hold_is_told_with_its_line(tmp_path: Path, content: str, column: str, said: str) -> None:
    file = tmp_path / "motion.csv"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read_motion(file, column)
    assert said in str(caught.value)


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    file = tmp_path / "motion.csv"
    file.write_bytes(b"\xff\xfe\x00\x01\xfa")
    with pytest.raises(UsageError, match="cannot be read"):
        read_motion(file)
    with pytest.raises(UsageError, match="cannot be read"):
        read_motion(tmp_path)
