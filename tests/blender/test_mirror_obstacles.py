"""Whether a motion fits among what stands around, and mirroring by itself where it does not (M2 to M7)."""

import math
from typing import Any

import amble
import bpy
import numpy as np
import pytest
from amble.errors import AmbleError, BadSetting
from amble.mirror.make import would_fit
from amble.mirror.obstacles import Box, Mesh, Plane, Region, as_obstacles
from amble.scene import Flat
from tests.blender.mirror_tools import biped, curve_bytes, key, new_action, poses

# The biped's hand.L ends at (0.68, -0.03) from the line through its waist, which is that of the origin.
HAND = 0.68, -0.03
RADIUS = 0.05


def aside(rig: Any, far: float = 0.5) -> Any:
    """An action that steps to the left by `far` from frame 1 to 11."""
    home = new_action(rig, "Step_L")
    key(home, 'pose.bones["root"].location', 0, [1, 11], [0.0, far], "LINEAR")
    return home.action


def wall(x: float, name: str = "wall") -> Any:
    """A thin upright mesh across x."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(x, -3, -1), (x, 3, -1), (x, 3, 3), (x, -3, 3)], [], [(0, 1, 2, 3)])
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def cube(middle: Any, size: float, name: str = "cube") -> Any:
    half = 0.5 * size
    corners = [(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    thing = bpy.data.objects.new(name, mesh)
    thing.location = middle
    bpy.context.scene.collection.objects.link(thing)
    bpy.context.view_layer.update()
    return thing


@pytest.mark.parametrize("kind", ["mesh", "plane"])
def test_M2_to_M5_the_patents_test_by_hand(kind):
    rig = biped()
    aside(rig)
    reach = math.hypot(HAND[0] + 0.5, HAND[1])
    cosine = (HAND[0] + 0.5) / reach
    obstacle: Any = wall(1.5) if kind == "mesh" else Plane((1.5, 0, 0), (-1, 0, 0))
    (found,) = would_fit(rig, obstacles=obstacle, test="reach", thickness=RADIUS)
    first = found.original.reach
    assert first.distance == pytest.approx(reach + RADIUS, abs=1e-5)
    assert np.allclose(first.direction, [cosine, HAND[1] / reach, 0.0], atol=1e-5)
    assert (first.part, first.frame) == ("hand.L", 11.0)
    assert first.reference == pytest.approx(1.5 / cosine, abs=1e-5)
    assert first.room == pytest.approx(1.5 / cosine - reach - RADIUS, abs=2e-5)
    assert found.mirrored.reach.reference == math.inf
    assert found.outcome == "both"
    # M5: at most as much tolerance as there is room.
    room = first.room
    for tolerance, outcome in ((room - 1e-4, "both"), (room + 1e-4, "mirrored")):
        (found,) = would_fit(rig, obstacles=obstacle, test="reach", thickness=RADIUS, tolerance=tolerance)
        assert found.outcome == outcome


def test_M3_line_and_direction_go_with_the_character():
    rig = biped()
    aside(rig)
    rig.location, rig.rotation_euler = (2, 5, 0), (0, 0, math.pi / 2)
    bpy.context.view_layer.update()
    (found,) = would_fit(rig, obstacles=[], test="reach", thickness=RADIUS)
    first = found.original.reach
    reach = math.hypot(HAND[0] + 0.5, HAND[1])
    assert np.allclose(first.line[:2], [2, 5], atol=1e-5)
    assert np.allclose(first.direction, [-HAND[1] / reach, (HAND[0] + 0.5) / reach, 0.0], atol=1e-5)


def test_M2_the_line_may_be_the_middle_of_the_space_moved_through():
    rig = biped()
    aside(rig)
    (found,) = would_fit(rig, obstacles=[], line="middle", thickness=RADIUS)
    # Hands at +-0.68 that move by 0.5: from -0.68 to 1.18; in y from the toes' -0.2 to the knees' 0.02.
    assert found.original.reach.line[0] == pytest.approx(0.25, abs=1e-5)
    assert found.original.reach.distance == pytest.approx(math.hypot(0.93, -0.03 + 0.09) + RADIUS, abs=1e-4)


@pytest.mark.parametrize("kind", ["mesh", "plane", "box", "region"])
def test_the_full_test_tells_which_part_when_and_by_how_much(kind):
    rig = biped()
    aside(rig)
    around: Any = {
        "mesh": lambda: {"obstacles": [wall(1.2)]},
        "plane": lambda: {"obstacles": [Plane((1.2, 0, 0), (-1, 0, 0), "wall")]},
        "box": lambda: {"obstacles": Box((2.2, 0, 1), (2, 6, 6), name="wall")},
        "region": lambda: {"region": Region.box((-3.8, 0, 1), (10, 20, 20), name="wall")},
    }[kind]()
    (found,) = would_fit(rig, thickness=RADIUS, **around)
    assert found.outcome == "mirrored"
    fit = found.original
    assert fit.part == "hand.L"
    assert fit.obstacle == "wall"
    assert fit.clearance == pytest.approx(1.2 - 1.18 - RADIUS, abs=1e-4)
    assert fit.frame == 10.0  # within the last interval
    assert fit.by_part["hand.R"] == fit.limit  # nowhere near
    assert found.mirrored.clearance == pytest.approx(1.2 - 0.68 - RADIUS, abs=1e-4)  # as it begins
    side = {"plane": "behind", "region": "outside"}.get(kind, "inside")
    assert f'as it is "hand.L" is 0.030 m {side} "wall" at frame 10' in found.words()
    assert found.as_dict()["original"]["part"] == "hand.L"


def test_a_part_that_goes_through_between_two_frames_is_found():
    rig = biped()
    home = new_action(rig)
    key(home, 'pose.bones["root"].location', 0, [1, 2], [0.0, 4.0], "LINEAR")
    (found,) = would_fit(rig, obstacles=cube((2.0, 0.0, 1.0), 0.2), thickness=RADIUS)
    assert found.outcome == "mirrored"
    assert found.original.clearance < 0.0


def test_what_is_wholly_inside_a_closed_mesh_does_not_fit():
    rig = biped()
    aside(rig)
    thing = cube((0, 0, 1), 8.0)
    (found,) = would_fit(rig, obstacles=thing, thickness=RADIUS)
    assert found.outcome == "neither"
    assert found.original.clearance < -2.0
    (found,) = would_fit(rig, region=thing, thickness=RADIUS)
    assert found.outcome == "both"
    (found,) = would_fit(rig, region=cube((0.2, 0, 1), 2.6, "room"), thickness=RADIUS)
    assert found.outcome == "original"  # from -1.1 to 1.5, while it moves from -0.73 to 1.23


def test_uneven_ground_and_what_is_no_region():
    rig = biped()
    home = new_action(rig)
    key(home, 'pose.bones["root"].location', 1, [1, 11], [0.0, -0.3], "LINEAR")  # along the bone: upwards
    (found,) = would_fit(rig, obstacles=Flat(-0.2), thickness=0.01)
    assert found.outcome == "neither"
    assert found.original.clearance == pytest.approx(0.02 - 0.3 + 0.2 - 0.01, abs=1e-5)  # toes at 0.02
    with pytest.raises(BadSetting, match='"wall" is not closed and so bounds no region'):
        would_fit(rig, region=wall(1.0))


def test_mirror_auto_writes_the_one_that_fits_and_leaves_a_fit_alone():
    rig = biped()
    action = aside(rig)
    near = wall(1.2)
    result = amble.mirror(rig, obstacles=[near], thickness=RADIUS)
    assert result.mirrored
    assert result.action.name == "Step_R"
    assert rig.animation_data.action == result.action
    assert poses(rig, [11], ["root"])[0, 0, 0, 3] == pytest.approx(-0.5, abs=1e-6)
    before = curve_bytes(action, rig)
    again = amble.mirror(rig, action, obstacles=[wall(-1.2, "other side")], thickness=RADIUS)
    assert not again.mirrored
    assert again.action == action
    assert rig.animation_data.action == action
    assert curve_bytes(action, rig) == before
    assert again.verdict is not None
    assert again.verdict.outcome == "original"
    assert sorted(a.name for a in bpy.data.actions) == ["Step_L", "Step_R"]
    forced = amble.mirror(rig, action, obstacles=[], mirror="always")
    assert forced.mirrored


def test_neither_is_an_answer_and_the_better_one_is_played():
    rig = biped()
    action = aside(rig)
    walls = [wall(1.2), wall(-1.0, "nearer")]
    result = amble.mirror(rig, action, obstacles=walls, thickness=RADIUS)
    assert result.verdict is not None
    assert result.verdict.outcome == "neither"
    assert result.action == action  # 0.03 m too far, its mirror image 0.23 m
    assert any("Neither fits; the motion fits better" in note for note in result.notes)
    result = amble.mirror(rig, action, obstacles=[wall(1.0, "a"), wall(-1.2, "b")], thickness=RADIUS)
    assert result.mirrored
    assert result.verdict is not None
    assert result.verdict.outcome == "neither"


def test_many_placements_are_decided_in_one_call():
    rig = biped()
    aside(rig)
    places = np.tile(np.eye(4), (5, 1, 1))
    places[:, 0, 3] = [-5.0, 0.0, 0.2, 0.6, 5.0]
    walls = [Plane((1.5, 0, 0), (-1, 0, 0), "left"), Plane((-6.0, 0, 0), (1, 0, 0), "right")]
    found = would_fit(rig, obstacles=walls, placements=places, thickness=RADIUS)
    # Left hand to 1.23 + x; its mirror image to 0.73 + x there, and to -1.23 + x on the right.
    assert [one.outcome for one in found] == ["original", "both", "both", "mirrored", "neither"]
    one = found[3].original
    assert one.clearance == pytest.approx(1.5 - (0.6 + 1.18) - RADIUS, abs=1e-4)
    assert len(bpy.data.actions) == 1


def test_reach_plane_lies_across_the_largest_reach_M6():
    rig = biped()
    home = new_action(rig)
    half = math.radians(-80) / 2
    rest = np.array(rig.data.bones["thigh.R"].matrix_local)[:3, :3]
    about = rest.T @ [1.0, 0, 0]
    for index, value in enumerate((math.cos(half), *(math.sin(half) * about))):
        start = 1.0 if index == 0 else 0.0
        key(home, 'pose.bones["thigh.R"].rotation_quaternion', index, [1, 11], [start, value])
    kick = poses(rig, [11], ["foot.R"])[0, 0, :3, 3]
    (found,) = would_fit(rig, obstacles=[])
    way = np.array(found.original.reach.direction)
    assert way @ [0, -1, 0] > 0.9  # forward
    amble.mirror(rig, plane="reach")
    image = poses(rig, [11], ["foot.L", "foot.R"])[0, :, :3, 3]
    # The one foot that kicked is now the other one, and kicks the other way.
    flat = way / np.linalg.norm(way)
    assert np.abs(image[0] - (kick - 2 * (kick @ flat) * flat)).max() < 1e-4


def test_thickness_comes_from_the_mesh_by_weight():
    rig = biped()
    bones = [b for b in rig.data.bones if b.name != "root"]
    points: list[Any] = []
    groups: dict[str, range] = {}
    for bone in bones:
        axis = np.array(bone.tail_local) - np.array(bone.head_local)
        side = np.cross(axis, [0.3, 0.5, 0.8])
        side /= np.linalg.norm(side)
        other = np.cross(axis / np.linalg.norm(axis), side)
        groups[bone.name] = range(len(points), len(points) + 16)
        for along in (0.0, 1.0):
            for k in range(8):
                angle = k * math.pi / 4
                ring = 0.03 * (math.cos(angle) * side + math.sin(angle) * other)
                points.append(tuple(np.array(bone.head_local) + along * axis + ring))
    mesh = bpy.data.meshes.new("skin")
    mesh.from_pydata(points, [], [(i, i + 1, i + 2) for i in range(0, len(points) - 2, 3)])
    skin = bpy.data.objects.new("skin", mesh)
    bpy.context.scene.collection.objects.link(skin)
    for name, rows in groups.items():
        skin.vertex_groups.new(name=name).add(list(rows), 1.0, "REPLACE")
    skin.modifiers.new("rig", "ARMATURE").object = rig
    skin.parent = rig
    aside(rig)
    (found,) = would_fit(rig, obstacles=Plane((1.5, 0, 0), (-1, 0, 0)))
    # The hand ends at 1.18, and its ring of 0.03 about a sloping axis reaches a little farther.
    assert 1.5 - 1.18 - 0.03 <= found.original.clearance <= 1.5 - 1.18
    assert found.original.part == "hand.L"


def test_rigs_moved_by_constraints_are_looked_at_as_they_are_evaluated():
    rig = biped()
    aim = bpy.data.objects.new("aim", None)
    aim.location = (2.0, 0.0, 1.0)
    bpy.context.scene.collection.objects.link(aim)
    constraint = rig.pose.bones["hand.L"].constraints.new("COPY_LOCATION")
    constraint.target = aim
    action = aside(rig, 0.1)
    bpy.context.view_layer.update()
    frame = bpy.context.scene.frame_current
    (found,) = would_fit(rig, obstacles=Plane((1.5, 0, 0), (-1, 0, 0)), thickness=RADIUS)
    assert found.original.part == "hand.L"
    assert found.original.clearance < -0.5
    assert bpy.context.scene.frame_current == frame
    assert rig.animation_data.action == action


def test_obstacles_that_are_none_are_a_clear_error_and_nothing_is_left():
    rig = biped()
    aside(rig)
    empty = bpy.data.objects.new("empty", None)
    bpy.context.scene.collection.objects.link(empty)
    with pytest.raises(AmbleError, match="empty"):
        amble.mirror(rig, obstacles=[empty])
    with pytest.raises(BadSetting, match="neither an object nor a collection"):
        amble.mirror(rig, obstacles=["wall"])
    with pytest.raises(BadSetting, match="A box needs sizes over 0"):
        Box((0, 0, 0), (1, 0, 1))
    with pytest.raises(BadSetting, match="A plane needs a normal"):
        Plane((0, 0, 0), (0, 0, 0))
    assert [a.name for a in bpy.data.actions] == ["Step_L"]


def test_distances_along_a_direction_M4():
    points = np.array([[0.0, 0, 1], [0, 0, 5], [3, 0, 1], [0, 0, 1]]).T
    box = Box((3, 0, 1), (2, 2, 2))
    assert box.along(points, np.array([1.0, 0, 0])).tolist() == [2.0, math.inf, 0.0, 2.0]
    assert box.along(points, np.array([-1.0, 0, 0])).tolist() == [math.inf, math.inf, 0.0, math.inf]
    region = Region.box((0, 0, 1), (8, 2, 4))
    assert region.along(points, np.array([1.0, 0, 0])).tolist() == [4.0, 0.0, 1.0, 4.0]
    (mesh,) = as_obstacles(cube((3, 0, 1), 2.0))
    assert isinstance(mesh, Mesh)
    assert np.allclose(mesh.along(points, np.array([1.0, 0, 0]))[[0, 2]], [2.0, 1.0])
    assert mesh.closed
