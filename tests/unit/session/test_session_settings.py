"""What is written on a command line, and the examples that come with the program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from simulator.engine.drives import Drive, DriveKind
from simulator.errors import UnknownNameError, UsageError
from simulator.model.profiles import Constant, Sine
from simulator.model.world import DemonstrationDrive
from simulator.session.commands.factory import make_engine
from simulator.session.open.examples import examples, find_file, worlds_folder
from simulator.session.open.opening import Opened, open_document
from simulator.session.run.pace import Spacing
from simulator.session.text.settings import (
    SessionSettings,
    demonstration_drives,
    find_axis,
    parse_initial,
    step_of,
    typed_settings,
)
from tests.helpers.mechanisms import joint, link, mechanism


def test_initial_positions() -> None:
    assert parse_initial("m::j=0.5") == ("m::j", 0.5)
    assert parse_initial("m::j:axis2=-1e-3") == ("m::j:axis2", -0.001)


@pytest.mark.parametrize("text", ["", "j", "j=", "=1", "j=x", "j=nan", "j=1;2"])
def test_what_is_no_initial_position(text: str) -> None:
    with pytest.raises(UsageError, match=r"is not an? (initial position|finite number)"):
        parse_initial(text)


def test_axes_are_found_by_their_tail_where_it_is_one() -> None:
    built = mechanism(
        *(link(name) for name in "abc"), joint("n::j", "revolute", "world", "a"),
        joint("o::j", "revolute", "world", "b"),
        joint("u", "universal", "world", "c"),
    )  # fmt: skip
    assert find_axis(built, "n::j") == 0
    assert find_axis(built, "u") == 2
    assert find_axis(built, "u:axis2") == 3
    with pytest.raises(UnknownNameError, match=r"no axis is named 'elbow'. Available: m::u, m::u:axis2, n::j, o::j"):
        find_axis(built, "elbow")


def test_a_name_that_two_models_have_is_called_ambiguous() -> None:
    built = mechanism(
        link("a"), link("b"), joint("n::j", "revolute", "world", "a"), joint("o::j", "revolute", "world", "b")
    )
    with pytest.raises(UsageError, match=r"'j' is ambiguous: n::j, o::j"):
        find_axis(built, "j")


@pytest.fixture(scope="module")
def four_bar() -> Opened:
    return open_document(find_file("four_bar"))


@pytest.mark.parametrize("dt", [0.0, -0.001, float("nan"), float("inf"), 1.5])
def test_steps_that_cannot_be(dt: float, four_bar: Opened) -> None:
    with pytest.raises(UsageError, match="cannot be simulated"):
        step_of(four_bar, SessionSettings(dt=dt))


def test_the_step_is_the_settings_or_the_documents(four_bar: Opened) -> None:
    assert step_of(four_bar, SessionSettings()) == 0.001
    assert step_of(four_bar, SessionSettings(dt=0.01)) == 0.01


def test_of_very_many_names_the_nearest_is_told() -> None:
    error = UnknownNameError("axis", "gear_17_jont", (f"train::gear_{i}_joint" for i in range(1000)))
    assert str(error).endswith(", … (1000 in all); did you mean 'train::gear_17_joint'?")
    assert len(str(error)) < 700
    assert len(error.available) == 1000


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (SessionSettings(solver="magic"), "no solver is named 'magic'"),
        (SessionSettings(drives=(("nobody", Drive(DriveKind.EFFORT, Constant(1.0))),)), "no axis is named 'nobody'"),
        (SessionSettings(initial=(("nobody", 1.0),)), "no axis is named 'nobody'"),
        (
            SessionSettings("gear", drives=(("closing_joint", Drive(DriveKind.VELOCITY, Constant(1.0))),)),
            "closes a loop",
        ),
    ],
)
def test_engines_that_cannot_be(settings: SessionSettings, reason: str, four_bar: Opened) -> None:
    with pytest.raises(UsageError, match=reason):
        make_engine(four_bar, settings)


def test_examples_have_names_titles_and_files() -> None:
    found = examples()
    assert [example.name for example in found] == sorted(example.name for example in found)
    assert len(found) >= 8
    for example in found:
        assert example.path.is_file()
        assert example.title != example.name, example.path
        assert "\n" not in example.title


def test_a_file_goes_before_an_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = worlds_folder()
    assert folder is not None
    assert find_file("four_bar") == find_file("four_bar.sdf") == folder / "four_bar.sdf"
    assert find_file("nothing/of_this_name") == Path("nothing/of_this_name")
    assert find_file("nothing.sdf") == Path("nothing.sdf")
    with pytest.raises(
        UnknownNameError, match=r"no file or example world is named 'four_baar'.*did you mean 'four_bar'\?"
    ):
        find_file("four_baar")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "four_bar").write_text("mine", encoding="utf-8")
    assert find_file("four_bar") == Path("four_bar")
    (tmp_path / "gripper").mkdir()
    assert find_file("gripper") == folder / "gripper.sdf"


def test_what_takes_long_is_done_less_often() -> None:
    """Quick things at the least spacing; slow ones take no more than one part in ten of the time."""
    spacing = Spacing(0.008, 10.0)
    assert spacing.is_due(5.0)
    spacing.done(5.0, 5.0002)
    assert not spacing.is_due(5.0079)
    assert spacing.is_due(5.0081)
    spacing.done(6.0, 6.003)
    assert not spacing.is_due(6.029)
    assert spacing.is_due(6.031)


def test_a_document_says_how_it_wants_to_be_shown() -> None:
    """The window starts the gear train with its first gear turning; a drive on a follower or on nothing is left out."""
    opened = open_document(find_file("gear_train"))
    wanted = demonstration_drives(opened.world, opened.mechanism)
    assert wanted == (("gear_train::gear_1_joint", Drive(DriveKind.VELOCITY, Constant(0.8))),)
    wishes = (
        DemonstrationDrive("gear_2_joint", "velocity", Constant(1.0)),
        DemonstrationDrive("nothing", "velocity", Constant(1.0)),
        DemonstrationDrive("gear_1_joint", "effort", Sine(2.0, 0.5)),
    )
    kept = demonstration_drives(replace(opened.world, drives=wishes), opened.mechanism)
    assert kept == (("gear_train::gear_1_joint", Drive(DriveKind.EFFORT, Sine(2.0, 0.5))),)


def test_without_a_window_nothing_drives_by_itself() -> None:
    """`simulator run` does what its command line says; the document's wish is the window's."""
    engine = make_engine(open_document(find_file("gear_train")), SessionSettings())
    assert engine.drives == {}
    engine.close()


def test_nothing_typed_is_as_the_window_starts() -> None:
    """In real time, running, with the usual strategy and the document's step."""
    assert typed_settings(None, None) == SessionSettings()
    assert SessionSettings().speed == 1.0
