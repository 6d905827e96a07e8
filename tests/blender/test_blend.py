"""Transitions (JP4257764B2, B1 to B7) on evaluated armatures, with numbers computed by hand."""

import math
from collections.abc import Mapping
from typing import Any

import amble
import bpy
import numpy as np
import pytest
from amble.action import slots
from tests.blender import action_tools as tools


def make_action(rig: Any, name: str, curves: Mapping[tuple[str, int], Any], kind="LINEAR") -> Any:
    """An action of linear keys: {(data path, index): {frame: value}}. The rig goes on with what it plays."""
    data = rig.animation_data or rig.animation_data_create()
    former, slot = slots.current(data)
    action = bpy.data.actions.new(name)
    action.use_fake_user = True
    home = slots.open_home(action, rig)
    for (path, index), keys in curves.items():
        curve = home.new_curve(path, index, "test")
        curve.keyframe_points.add(len(keys))
        curve.keyframe_points.foreach_set("co", np.array(list(keys.items()), np.float32).reshape(-1))
        for point in curve.keyframe_points:
            point.interpolation = kind
        curve.update()
    if former is not None:
        slots.assign(data, former, slot)
    return action


def path(bone: str, what: str) -> str:
    return f'pose.bones["{bone}"].{what}'


def value(rig: Any, where: tuple[str, int], frame: float) -> float:
    return tools.curves(rig)[where].evaluate(frame)


@pytest.fixture
def rig() -> Any:
    return tools.make_rig(("a", "b"))


LOCATION = (path("a", "location"), 0)


def two_slides(rig: Any) -> tuple[Any, Any]:
    """A: x goes 0 .. 10 over frames 1 .. 11. B: x goes 100 .. 120 over frames 1 .. 21."""
    a = make_action(rig, "A", {LOCATION: {1: 0, 11: 10}})
    b = make_action(rig, "B", {LOCATION: {1: 100, 21: 120}})
    return a, b


def test_B1_the_last_frame_of_A_is_held_while_B_comes_in(rig):
    a, b = two_slides(rig)
    result = amble.blend(rig, a, b, at=5, frames=10)
    assert result.frames == (1.0, 26.0)
    # At frame 5, x is 4. One frame later a tenth of the way from there to B's first frame, 100: whatever A
    # itself does after frame 5 plays no part.
    assert value(rig, LOCATION, 5) == pytest.approx(4.0)
    assert value(rig, LOCATION, 6) == pytest.approx(4.0 + (100.0 - 4.0) / 10)


def test_B3_the_weight_p_over_n_meets_the_running_B(rig):
    a, b = two_slides(rig)
    amble.blend(rig, a, b, at=5, frames=4)
    for p in (1, 2, 3, 4):
        b_p = 100.0 + (p - 1)  # B's own frame p
        assert value(rig, LOCATION, 5 + p) == pytest.approx(4.0 + (b_p - 4.0) * p / 4, abs=1e-5)


def test_B4_at_n_the_frame_is_Bs_and_B_plays_on(rig):
    a, b = two_slides(rig)
    amble.blend(rig, a, b, at=5, frames=4)
    bag = slots.curves_for(b, rig)
    for p in range(4, 22):
        assert value(rig, LOCATION, 5 + p) == bag[0].evaluate(p)


def turn_keys(
    bone: str, keys: dict[float, tuple[float, float, float, float]]
) -> dict[Any, dict[float, float]]:
    return {
        (path(bone, "rotation_quaternion"), k): {frame: q[k] for frame, q in keys.items()} for k in range(4)
    }


def about_x(degrees: float) -> tuple[float, float, float, float]:
    half = math.radians(degrees) / 2
    return (math.cos(half), math.sin(half), 0.0, 0.0)


@pytest.mark.parametrize("space", ["local", "world"])
def test_B5_local_blends_against_the_parent_and_world_in_the_armature(space):
    bpy.context.scene.frame_set(1)
    rig = tools.make_rig(("a", "b"))
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    bones["a"].head, bones["a"].tail, bones["a"].roll = (0, 0, 0), (0, 0, 1), 0
    bones["b"].head, bones["b"].tail, bones["b"].roll = (0, 0, 1), (0, 0, 2), 0
    bones["b"].parent = bones["a"]
    bpy.ops.object.mode_set(mode="OBJECT")
    # Both bones' x axis is the world's. A: the parent at rest, the child turned by 200 degrees. B: the parent
    # by 120, the child by -30 against it, which is 90 in the world.
    a = make_action(rig, "A", turn_keys("a", {1: about_x(0)}) | turn_keys("b", {1: about_x(200)}))
    b = make_action(rig, "B", turn_keys("a", {1: about_x(120)}) | turn_keys("b", {1: about_x(-30)}))
    amble.blend(rig, a, b, frames=2, space=space, align="none")
    bpy.context.scene.frame_set(2)
    child = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["b"]
    y = np.array(child.tail - child.head)
    angle = math.degrees(math.atan2(-y[1], y[2]))
    # Local: 200 to -30 is, the short way, 200 to 330: 265 in the middle, under a parent at 60: 325.
    # World: 200 to 90 directly: 145.
    want = 325.0 if space == "local" else 145.0
    assert (angle - want + 180.0) % 360.0 - 180.0 == pytest.approx(0.0, abs=0.01)


def test_B6_euler_blends_each_angle_by_itself(rig):
    rig.pose.bones["a"].rotation_mode = "XYZ"
    where = [(path("a", "rotation_euler"), k) for k in range(3)]
    a = make_action(rig, "A", {w: {1: v} for w, v in zip(where, (0.2, -0.4, 1.0), strict=True)})
    b = make_action(rig, "B", {w: {1: v} for w, v in zip(where, (1.0, 0.4, -1.0), strict=True)})
    amble.blend(rig, a, b, frames=4, rotation="euler")
    got = [value(rig, w, 2) for w in where]
    np.testing.assert_allclose(got, (0.4, -0.2, 0.5), atol=1e-6)
    amble.blend(rig, a, b, frames=4, rotation="quaternion", overwrite=True, name="Q")
    assert abs(value(rig, where[1], 2) + 0.2) > 0.01


def test_B7_markers_keep_Bs_frames_or_wait_until_B_is_alone(rig):
    a, b = two_slides(rig)
    a.pose_markers.new("early").frame = 3
    a.pose_markers.new("late").frame = 9
    b.pose_markers.new("hit").frame = 3
    b.pose_markers.new("end").frame = 15
    kept = amble.blend(rig, a, b, at=5, frames=8).action
    assert {(m.name, m.frame) for m in kept.pose_markers} == {("early", 3), ("hit", 8), ("end", 20)}
    timed = amble.blend(rig, a, b, at=5, frames=8, markers="time").action
    assert {(m.name, m.frame) for m in timed.pose_markers} == {("early", 3), ("hit", 13), ("end", 20)}


def test_channels_that_only_one_has_are_at_rest_in_the_other_whatever_is_shown(rig):
    only_a = (path("a", "location"), 1)
    only_b = (path("b", "scale"), 2)
    a = make_action(rig, "A", {only_a: {1: 12, 30: 12}})
    b = make_action(rig, "B", {only_b: {1: 3, 30: 3}})
    found = []
    for shown in (0.0, 55.0):
        rig.pose.bones["a"].location = (shown, shown, shown)
        rig.pose.bones["b"].scale = (1 + shown, 1, 1 + shown)
        amble.blend(rig, a, b, at=30, frames=10, name="R", overwrite=True)
        found.append(tools.contents(rig))
        assert value(rig, only_a, 30) == 12.0
        assert [value(rig, only_a, 30 + p) for p in (5, 10, 20)] == pytest.approx([6.0, 0.0, 0.0])
        assert [value(rig, only_b, f) for f in (1, 30, 35, 40)] == pytest.approx([1.0, 1.0, 2.0, 3.0])
    assert found[0] == found[1]


def test_ints_and_switches_change_once_and_numbers_are_blended(rig):
    bone = rig.pose.bones["a"]
    bone["mode"], bone["heavy"], bone["mix"] = 0, False, 0.2
    where = {name: (path("a", "").rstrip(".") + f'["{name}"]', 0) for name in ("mode", "heavy", "mix")}
    a = make_action(rig, "A", {where["mode"]: {1: 0}, where["heavy"]: {1: 0}}, "CONSTANT")
    b = make_action(rig, "B", {where["mode"]: {1: 3}, where["heavy"]: {1: 1}}, "CONSTANT")
    for action, mix in ((a, 0.2), (b, 0.8)):
        curve = slots.open_home(action, rig).new_curve(where["mix"][0], 0, "test")
        curve.keyframe_points.insert(1, mix)
    result = amble.blend(rig, a, b, frames=10)
    assert {value(rig, where["mode"], f) for f in np.arange(1, 12, 0.25)} == {0.0, 3.0}
    assert value(rig, where["mode"], 5.9) == 0.0
    assert value(rig, where["mode"], 6.0) == 3.0
    assert value(rig, where["heavy"], 6.0) == 1.0
    assert value(rig, where["mix"], 6) == pytest.approx(0.2 + 0.6 / 2)
    assert any("frame 6" in note for note in result.notes)


def test_fractional_and_negative_frames_are_kept(rig):
    a = make_action(rig, "A", {LOCATION: {-20: 0, -7.25: 12.75}})
    b = make_action(rig, "B", {LOCATION: {0.8: 5, 15.2: 19.4}})
    result = amble.blend(rig, a, b, at=-10.5, frames=4)
    assert result.frames == pytest.approx((-20.0, -10.5 + 1 + 14.4))
    assert value(rig, LOCATION, -20.0) == 0.0
    assert value(rig, LOCATION, -10.5) == pytest.approx(9.5)
    assert value(rig, LOCATION, result.frames[1]) == pytest.approx(19.4, abs=1e-5)
    assert value(rig, LOCATION, -10.5 + 1 + 6) == pytest.approx(11.0, abs=1e-5)


def test_a_cut_after_the_end_holds_the_last_pose_and_an_action_of_one_frame_is_a_pose(rig):
    a = make_action(rig, "A", {LOCATION: {0: 0, 14: 14}})
    b = make_action(rig, "B", {LOCATION: {7: 30}})
    bpy.context.scene.frame_set(55)
    amble.blend(rig, a, b, at=20, frames=8)
    assert [value(rig, LOCATION, f) for f in (14, 17, 20, 24, 28, 40)] == pytest.approx(
        [14, 14, 14, 22, 30, 30]
    )
    assert bpy.context.scene.frame_current == 55


def test_bad_input_is_told_in_a_sentence_and_changes_nothing(rig):
    a, b = two_slides(rig)
    before = tools.state(rig)
    for arguments, words in (
        ({"at": -4}, "before"),
        ({"entry": 40}, "from 1 to 21"),
        ({"frames": 3, "seconds": 1.0}, "set one"),
        ({"curve": "bumpy"}, "curve"),
        ({"speed": 3}, "There is no setting speed"),
    ):
        with pytest.raises(amble.AmbleError, match=words):
            amble.blend(rig, a, b, **arguments)
        assert tools.state(rig) == before
    with pytest.raises(amble.AmbleError, match="no action"):
        amble.blend(rig, a, "nothing")
    assert tools.state(rig) == before


def test_seconds_are_whole_frames_of_the_scene(rig):
    a, b = two_slides(rig)
    bpy.context.scene.render.fps = 50
    assert amble.blend(rig, a, b, seconds=0.58).report.frames == 29
    for fps in (24, 30, 60):
        bpy.context.scene.render.fps = fps
        assert amble.blend(rig, a, b, seconds=0.5).report.frames == fps // 2


def test_the_sources_and_other_users_stay_as_they_are(rig):
    a, b = two_slides(rig)
    other: Any = bpy.data.objects.new("other", rig.data)
    bpy.context.scene.collection.objects.link(other)
    bpy.context.view_layer.update()  # gives it the pose without which Blender 5.0 crashes over its slots
    slots.assign(other.animation_data_create(), a, slots.slot_to_play(a, other))
    kept = [tools.numbers(curve).tobytes() for action in (a, b) for curve in slots.curves_for(action, rig)]
    amble.blend(rig, a, b, at=5, frames=4)
    assert kept == [
        tools.numbers(curve).tobytes() for action in (a, b) for curve in slots.curves_for(action, rig)
    ]
    assert other.animation_data.action == a


def test_a_playlist_from_python_and_from_a_file_is_one_action(rig, tmp_path):
    two_slides(rig)
    made = amble.sequence(rig, ["A", {"action": "B", "frames": 4, "after": 10}, {"action": "A", "frames": 6}])
    assert made.starts == (1.0, 12.0, 23.0)
    assert made.frames == (1.0, 33.0)
    # A ends at 11 with x = 10; 4 frames later B's own 4th frame; B is left at 22 with x = 110, and 6 frames
    # later the result is A's own 6th frame.
    assert [value(rig, LOCATION, f) for f in (11, 15, 22, 28, 33)] == pytest.approx([10, 103, 110, 5, 10])
    assert len(made.reports) == 2
    list_file = tmp_path / "show.toml"
    list_file.write_text(
        'frames = 6\n[[clip]]\naction = "A"\n[[clip]]\naction = "B"\nframes = 4\nafter = 10\n[[clip]]\n'
        'action = "A"\n',
        encoding="utf-8",
    )
    from amble.blend.sequence import load_sequence

    clips, common = load_sequence(list_file)
    again = amble.sequence(rig, clips, name="Again", **common)
    assert again.frames == made.frames
    assert [value(rig, LOCATION, f) for f in (11, 15, 22, 28, 33)] == pytest.approx([10, 103, 110, 5, 10])


@pytest.mark.parametrize(
    ("clips", "words"),
    [
        ([], "at least one"),
        (["A"], "at least two"),
        ([{"frames": 3}, "A"], "action"),
        (["A", {"action": "B", "at": 3}], "leave"),
        (["A", "missing"], "missing"),
        ([{"action": "A", "leave": "soon"}, "B"], "leave"),
    ],
)
def test_a_playlist_that_cannot_be_is_told_in_a_sentence(rig, clips, words):
    two_slides(rig)
    before = tools.state(rig)
    with pytest.raises(amble.AmbleError, match=words):
        amble.sequence(rig, clips)
    assert tools.state(rig) == before


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[transition]]\na = 1\n", "name its clips"),
        ('[[transition]]\na = "A"\nb = "B"\nframes = -1\n', "whole number"),
        ("frames = = 3", "no TOML"),
    ],
)
def test_a_table_that_cannot_be_is_told_in_a_sentence(tmp_path, text, words):
    path_of_table = tmp_path / "table.toml"
    path_of_table.write_text(text, encoding="utf-8")
    with pytest.raises(amble.AmbleError, match=words):
        amble.load_table(path_of_table)
    with pytest.raises(amble.AmbleError, match="There is no file"):
        amble.load_table(tmp_path / "none.toml")


def test_the_search_finds_where_two_motions_meet(rig):
    # A waves: x is a sine of 20 frames; B begins a quarter of a round later. A is left at 41 or before, and
    # B's best entry is where the wave is as there.
    frames = np.arange(1, 61)
    wave = {(path("a", "location"), 0): {int(f): math.sin(2 * math.pi * (f - 1) / 20) for f in frames}}
    later = {(path("a", "location"), 0): {int(f): math.sin(2 * math.pi * (f + 4) / 20) for f in frames}}
    still = {(path("b", "location"), 0): {1: 0.0, 60: 0.0}}
    a, b = make_action(rig, "A", {**wave, **still}), make_action(rig, "B", {**later, **still})
    result = amble.blend(rig, a, b, at=41, find=19, curve="inertial", frames=6, align="none")
    assert result.report.distance_m < 0.05
    assert (result.report.at - 41 - (result.report.entry - 1) - 5) % 20 == pytest.approx(0.0, abs=1e-6)


def test_the_command_line_blends_and_makes_tables(tmp_path, capfd):
    import json

    from amble import cli

    rig = tools.make_rig(("a", "b"))
    two_slides(rig)
    file = tmp_path / "rig.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    report, table = tmp_path / "out.json", tmp_path / "table.toml"
    blended = [
        "blend",
        str(file),
        "--a",
        "A",
        "--b",
        "B",
        "--at",
        "5",
        "--frames",
        "4",
        "--report",
        str(report),
    ]
    assert cli.main([*blended, "--quiet"]) == 0
    content = json.loads(report.read_text(encoding="utf-8"))
    assert content["report"]["frames"] == 4
    assert content["frames"] == [1.0, 26.0]
    assert cli.main(["sequence", str(file), "--clips", "A,B", "--report", str(report), "--quiet"]) == 0
    assert json.loads(report.read_text(encoding="utf-8"))["starts"] == [1.0, 12.0]
    capfd.readouterr()
    assert cli.main(["transitions", str(file), "--save", str(table)]) == 0
    heading, *lines = capfd.readouterr().out.splitlines()
    assert heading.split() == ["frames", "cost", "m", "leave", "A", "enter", "B", "there", "m", "A", ">", "B"]
    assert [line.split()[-3:] for line in lines] == [[a, ">", b] for a in "AB" for b in "AB"]
    assert set(amble.load_table(table).names) == {"A", "B"}
    assert cli.main(["blend", str(file), "--a", "A", "--b", "none", "--quiet"]) == 2
