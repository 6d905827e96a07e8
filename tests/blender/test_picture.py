"""The picture of a walk: what is on it, and that nothing of the drawing stays in the file."""

import math
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from amble.picture import walk_picture
from amble.picture.body import LEFT, NONE, RIGHT, body, bone_sides, hull
from amble.picture.figures import Figures, bound_meshes
from amble.picture.inks import INKS
from amble.picture.marks import (
    HEEL,
    SOLE,
    TOES,
    Touch,
    cycle_of,
    pieces,
    print_outline,
    touches_of,
    touches_within,
)
from amble.picture.stage import ELEVATION, FAR, Stage
from amble.rig import read_skeleton, roles
from tests.blender import rigs

FRAMES = (1.0, 25.0)
WIDTH = 640


def stepping(rig) -> tuple:
    """Give a rig thighs that swing once in 24 frames; returns its roles, the action and the contacts."""
    found = roles(rig)
    action = bpy.data.actions.new("Swing")
    rig.animation_data_create().action = action
    contacts = []
    for number, leg in enumerate(found.legs):
        thigh = rig.pose.bones[leg.bones[0]]
        thigh.rotation_mode = "XYZ"
        sign = 1.0 if leg.side == "R" else -1.0
        for frame in range(1, 26):
            thigh.rotation_euler.x = -sign * 0.45 * math.cos(2 * math.pi * (frame - 1) / 24)
            thigh.keyframe_insert("rotation_euler", frame=frame)
        strike = 1.0 if leg.side == "R" else 13.0
        contacts.append(
            SimpleNamespace(
                leg=number, heel_on=strike, flat=strike + 2, heel_off=strike + 9, toe_off=strike + 14
            )
        )
    return found, action, contacts


def pixels(path) -> np.ndarray:
    """A PNG file as float32 (height, width, 3), top row first, sRGB."""
    image = bpy.data.images.load(str(path))
    wide, tall = image.size
    values = np.empty(wide * tall * 4, dtype=np.float32)
    image.pixels.foreach_get(values)
    bpy.data.images.remove(image)
    return values.reshape(tall, wide, 4)[::-1, :, :3]


def is_ink(image: np.ndarray, side: int, *, pale: bool = False) -> np.ndarray:
    """Where a picture has the colour of a side, in light or shade; pale: or its tint."""
    red, blue = image[..., 0], image[..., 2]
    return red > (1.2 if pale else 1.6) * blue if side == RIGHT else blue > (1.05 if pale else 1.4) * red


def groups(columns: np.ndarray) -> int:
    """How many separate runs of True there are."""
    return int(np.sum(np.diff(np.concatenate([[False], columns]).astype(int)) == 1))


def counts() -> dict[str, int]:
    """Datablocks of every kind in the file."""
    return {
        name: len(getattr(bpy.data, name))
        for name in dir(bpy.data)
        if isinstance(getattr(bpy.data, name), bpy.types.bpy_prop_collection)
    }


@pytest.fixture
def drawn(tmp_path):
    """A picture of a walking biped without a mesh."""
    found, action, contacts = stepping(rigs.biped())
    path = tmp_path / "walk.png"
    rig = bpy.data.objects["biped"]
    walk_picture(rig, action, FRAMES, path, roles=found, contacts=contacts, title="Walk", width=WIDTH)
    return pixels(path)


def test_eight_figures_stand_apart_with_a_left_and_a_right_leg_in_two_colours(drawn):
    tall, wide = drawn.shape[:2]
    assert wide == WIDTH
    assert 0.2 < tall / wide < 0.6
    background = drawn[2, 2]
    below_title = drawn[int(0.14 * tall) : int(0.3 * tall)]
    heads = (np.abs(below_title - background).max(axis=-1) > 0.06).any(axis=0)
    assert groups(heads) == 8
    legs = drawn[int(0.45 * tall) : int(0.68 * tall)]
    for side in (LEFT, RIGHT):
        share = is_ink(legs, side).mean()
        assert 0.01 < share < 0.2


def test_the_contact_strip_is_as_long_as_the_contacts_say(drawn):
    tall, wide = drawn.shape[:2]
    strip = drawn[int(0.8 * tall) : -3]
    for side in (RIGHT, LEFT):
        # A cycle of 24 frames is 1 / 1.06 of the picture. The bar is the row with most ink: the whole sole is
        # down for 7 frames, a part of it for 14.
        for pale, frames in ((False, 7), (True, 14)):
            longest = is_ink(strip, side, pale=pale).sum(axis=1).max()
            assert longest / wide == pytest.approx(frames / 24 / 1.06, abs=0.02)


def test_nothing_of_the_drawing_stays_in_the_file(tmp_path):
    rig = rigs.biped()
    found, action, contacts = stepping(rig)
    other = bpy.data.actions.new("Other")
    rig.animation_data.action = other
    bpy.context.scene.frame_set(7)
    rig.pose.bones["head"].rotation_quaternion = (0.9, 0.1, 0.2, 0.3)
    rig.pose.bones["thigh.L"].rotation_euler = (0.1, 0.2, 0.3)
    before = counts(), rig.animation_data.action.name, bpy.context.scene.name, bpy.context.scene.frame_current
    walk_picture(rig, action, FRAMES, tmp_path / "a.png", roles=found, contacts=contacts, width=160)
    after = counts(), rig.animation_data.action.name, bpy.context.scene.name, bpy.context.scene.frame_current
    assert after == before
    assert rig.animation_data.use_nla
    np.testing.assert_allclose(rig.pose.bones["head"].rotation_quaternion, (0.9, 0.1, 0.2, 0.3), atol=1e-6)
    np.testing.assert_allclose(rig.pose.bones["thigh.L"].rotation_euler, (0.1, 0.2, 0.3), atol=1e-6)
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]


def test_an_error_while_drawing_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    rig = rigs.biped()
    found, action, contacts = stepping(rig)
    before = counts()

    def broken(*_: object):
        raise ZeroDivisionError

    monkeypatch.setattr(Stage, "render", broken)
    with pytest.raises(ZeroDivisionError):
        walk_picture(rig, action, FRAMES, tmp_path / "a.png", roles=found, contacts=contacts)
    assert counts() == before
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def taken(monkeypatch):
    """The frame and the turn of each pose that is drawn from here on."""
    seen = []
    take = Figures.take

    def noted(self, depsgraph, feet, turn=0.0):
        seen.append((bpy.context.scene.frame_current_final, turn))
        take(self, depsgraph, feet, turn)

    monkeypatch.setattr(Figures, "take", noted)
    return seen


def test_a_motion_that_is_no_loop_is_drawn_from_its_first_frame_to_its_last(tmp_path, taken):
    found, action, contacts = stepping(rigs.biped())
    rig = bpy.data.objects["biped"]
    path = tmp_path / "a.png"
    walk_picture(rig, action, FRAMES, path, roles=found, contacts=contacts, loop=False, poses=5, width=160)
    assert taken == [(1.0, 0.0), (7.0, 0.0), (13.0, 0.0), (19.0, 0.0), (25.0, 0.0)]


def test_poses_of_a_cycle_lie_within_the_action_and_turn_on_where_it_begins_again(tmp_path, taken):
    found, action, contacts = stepping(rigs.biped())
    rig = bpy.data.objects["biped"]
    rig.rotation_mode = "XYZ"
    for frame, turn in ((1, 0.0), (25, 0.5)):
        rig.rotation_euler.z = turn
        rig.keyframe_insert("rotation_euler", frame=frame)
    for contact in contacts:  # the right strikes twelve frames before the first frame, and so at frame 13
        for name in ("heel_on", "flat", "heel_off", "toe_off"):
            setattr(contact, name, getattr(contact, name) - 12.0)
    path = tmp_path / "a.png"
    walk_picture(rig, action, FRAMES, path, roles=found, contacts=contacts, poses=4, width=160)
    assert [frame for frame, _ in taken] == [13.0, 19.0, 25.0, 7.0]
    assert [turn for _, turn in taken] == pytest.approx([0.0, 0.0, 0.0, 0.5], abs=1e-5)


def test_contacts_of_a_take_are_cut_at_its_ends():
    contacts = [
        SimpleNamespace(leg=0, heel_on=-9.0, flat=-7.0, heel_off=4.0, toe_off=6.0),
        SimpleNamespace(leg=1, heel_on=11.0, flat=13.0, heel_off=30.0, toe_off=33.0),
        SimpleNamespace(leg=0, heel_on=40.0, flat=41.0, heel_off=50.0, toe_off=51.0),
    ]
    first, second = touches_within(contacts, (1.0, 21.0), 40.0)
    assert (first.leg, first.heel_on, first.flat, first.heel_off, first.toe_off) == (0, 0, 0, 0.075, 0.125)
    assert (second.leg, second.heel_on, second.flat) == (1, 0.25, 0.3)
    assert second.heel_off == second.toe_off == pytest.approx(0.5, abs=1e-4)
    assert second.part(0.5) == SOLE


def test_a_bare_file_name_is_written_into_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found, action, contacts = stepping(rigs.biped())
    walk_picture(
        bpy.data.objects["biped"], action, FRAMES, "a.png", roles=found, contacts=contacts, width=160
    )
    assert pixels(tmp_path / "a.png").shape[1] == 160


def test_a_rig_with_a_mesh_is_shown_with_it(tmp_path, data_dir):
    rig = rigs.load("glb/khronos_cesium_man.gltf")
    assert len(bound_meshes(rig)) == 1
    path = tmp_path / "a.png"
    action = rig.animation_data.action
    before = counts()
    walk_picture(rig, action, tuple(action.frame_range), path, roles=roles(rig), width=WIDTH)
    assert counts() == before
    image = pixels(path)
    for side in (LEFT, RIGHT):
        assert 0.01 < is_ink(image, side).mean() < 0.2


def test_an_animated_object_and_a_turned_rig_give_the_same_picture(tmp_path):
    images = []
    for turn, moving in ((0.0, False), (2.0, True)):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        rig = rigs.biped()
        rig.rotation_euler.z = turn
        bpy.context.view_layer.update()
        found, action, contacts = stepping(rig)
        if moving:
            for frame in (1, 25):
                rig.location = (0.3 * frame, -0.1 * frame, 0.0)
                rig.keyframe_insert("location", frame=frame)
        walk_picture(rig, action, FRAMES, tmp_path / "a.png", roles=found, contacts=contacts, width=320)
        images.append(pixels(tmp_path / "a.png"))
    assert images[0].shape == images[1].shape
    assert np.abs(images[0] - images[1]).mean() < 0.01


# ---- the plain figure ----


def test_a_hull_of_two_balls_is_a_capsule():
    points, normals, faces = hull([(np.zeros(3), 0.5), (np.array([0.0, 0.0, 2.0]), 0.25)])
    np.testing.assert_allclose(points.min(axis=0), (-0.5, -0.5, -0.5), atol=0.01)
    np.testing.assert_allclose(points.max(axis=0), (0.5, 0.5, 2.25), atol=0.01)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0)
    # Closed and turned outward: every edge once in each direction.
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    assert {tuple(edge) for edge in edges} == {tuple(edge[::-1]) for edge in edges}
    volume = (
        np.einsum("ij,ij->i", points[faces[:, 0]], np.cross(points[faces[:, 1]], points[faces[:, 2]])).sum()
        / 6
    )
    capsule = math.pi * (2.0 * (0.25 + 0.125 + 0.0625) / 3 + 2 / 3 * (0.125 + 0.015625))
    assert volume == pytest.approx(capsule, rel=0.04)


def test_the_figure_s_sides_are_where_the_limbs_are_and_it_stands_on_the_ground():
    rig = rigs.load("rigify:human")
    skeleton, found = read_skeleton(rig), roles(rig)
    shape = body(skeleton, found)
    left = np.cross(found.up, found.facing)
    assert (shape.points[shape.sides == LEFT] @ left).min() > 0.0
    assert (shape.points[shape.sides == RIGHT] @ left).max() < 0.0
    assert (shape.sides == NONE).sum() > 1000
    height = shape.points @ np.array(found.up)
    assert height.min() == pytest.approx(found.ground, abs=0.004)
    assert height.max() == pytest.approx(1.98, abs=0.06)  # the metarig's skull ends there
    sides = bone_sides(skeleton, found)
    assert (sides[shape.bones] == shape.sides).all()
    assert sides[skeleton.index("f_index.03.L")] == LEFT
    assert sides[skeleton.index("heel.02.R")] == RIGHT
    assert sides[skeleton.index("breast.L")] == NONE


# ---- marks ----


def test_the_loaded_part_of_a_foot_follows_the_contact_also_over_the_end_of_the_cycle():
    touch = Touch(leg=0, heel_on=0.8, flat=0.9, heel_off=1.2, toe_off=1.4)
    times = (0.75, 0.8, 0.85, 0.95, 0.1, 0.19, 0.3, 0.41)
    assert [touch.part(time) for time in times] == [None, HEEL, HEEL, SOLE, SOLE, SOLE, TOES, None]


def test_the_cycle_runs_from_a_strike_of_the_leg_to_its_next():
    def contact(leg: int, strike: float):
        return SimpleNamespace(
            leg=leg, heel_on=strike, flat=strike + 2, heel_off=strike + 9, toe_off=strike + 14
        )

    contacts = [contact(0, 1.0), contact(1, 13.0), contact(0, 25.0), contact(1, 37.0)]
    assert cycle_of(contacts, 1, (1.0, 49.0)) == (13.0, 24.0)
    assert cycle_of(contacts[:2], 1, (1.0, 25.0)) == (13.0, 24.0)
    assert cycle_of([], 0, (1.0, 25.0)) == (1.0, 24.0)
    touches = touches_of(contacts, 13.0, 24.0)
    assert sorted((touch.leg, round(touch.heel_on, 9)) for touch in touches) == [(0, 0.5), (1, 0.0)]


def test_prints_of_heel_and_toes_lie_in_the_print_of_the_sole():
    heel, ball, tip = np.array([0.0, 0.0]), np.array([0.18, 0.0]), np.array([0.26, 0.0])
    spans = {}
    for part in (HEEL, SOLE, TOES):
        outline = print_outline(heel, ball, tip, part, 0.1)
        assert np.abs(outline[:, 1]).max() <= 0.05 + 1e-9
        spans[part] = outline[:, 0].min(), outline[:, 0].max()
    assert spans[SOLE] == pytest.approx((0.0, 0.26), abs=0.006)
    assert spans[HEEL][0] == pytest.approx(spans[SOLE][0])
    assert spans[HEEL][1] < 0.13
    assert spans[TOES][0] > 0.12
    assert spans[TOES][1] == pytest.approx(spans[SOLE][1])


def test_a_span_over_the_edge_of_the_strip_is_cut_in_two():
    assert pieces(0.8, 1.1, -0.05, 0.95) == [pytest.approx((-0.05, 0.1)), pytest.approx((0.8, 0.95))]
    assert pieces(0.1, 0.4, -0.05, 0.95) == [pytest.approx((0.1, 0.4))]


def test_no_row_of_a_strip_for_eight_legs_is_under_the_floor():
    # The overlay, FAR / 2 before the stage's middle, goes under the floor at that times the elevation's
    # tangent. Eight figures of a spider, 1.6 apart, with rows 3.05 sizes of text high: twice what they need.
    assert 0.5 * FAR * math.tan(ELEVATION) > 2.0 * (8 * 3.05 * 0.0115 * 8 * 1.6 + 1.2)


def test_inks_are_linear():
    np.testing.assert_allclose(INKS[RIGHT], (0.855, 0.144, 0.044), atol=1e-3)
