"""Differences from idle actions and tables, on their own pose, others and other rigs; additive layers."""

import amble
import bpy
import numpy as np
import pytest
from tests.blender import idles, rigs

# Rig, idle, and another pose of the same file.
CLIPS = {
    "kaykit": ("glb/kaykit_Med_General.glb", "Idle_A", "T-Pose"),
    "kaykit B": ("glb/kaykit_Med_General.glb", "Idle_B", "T-Pose"),
    "mannequiny": ("glb/gdquest_mannequiny-0.3.0.glb", "idle", "fight_idle"),
    "fox": ("glb/m2m_anim-fox.glb", "Idle", "Run"),
    "horse": ("glb/m2m_anim-horse.glb", "Idle", "Run"),
}


def action_called(name):
    found = [action for action in bpy.data.actions if action.name.split("|")[-1].split(".")[0] == name]
    if not found:
        found = [a for a in bpy.data.actions if a.name.split("|")[-1].lower().startswith(name.lower())]
    assert found, [action.name for action in bpy.data.actions]
    return found[0]


def loaded(key):
    file, idle, other = CLIPS[key]
    rig = rigs.load(file)
    if rig.animation_data is None:
        rig.animation_data_create()
    for track in list(rig.animation_data.nla_tracks):
        rig.animation_data.nla_tracks.remove(track)
    return rig, action_called(idle), action_called(other)


def played(rig, action, frames):
    """World matrices of all bones of an action that the rig plays, at frames."""
    from amble.action import slots
    from amble.report.sampling import sample

    slots.assign(rig.animation_data, action, slots.slot_to_play(action, rig))
    return sample(rig, frames, [bone.name for bone in rig.pose.bones])


def local_turns(rig, matrices):
    """Rotations (frames, bones, 3, 3) of bones in their parents."""
    axes = matrices[..., :3, :3] / np.linalg.norm(matrices[..., :3, :3], axis=-2, keepdims=True)
    names = [bone.name for bone in rig.pose.bones]
    found = axes.copy()
    for row, bone in enumerate(rig.pose.bones):
        if bone.parent is not None:
            found[:, row] = np.swapaxes(axes[:, names.index(bone.parent.name)], -1, -2) @ axes[:, row]
    return found


def degrees_between(a, b):
    relative = np.swapaxes(a, -1, -2) @ b
    skew = np.stack(
        [
            relative[..., 2, 1] - relative[..., 1, 2],
            relative[..., 0, 2] - relative[..., 2, 0],
            relative[..., 1, 0] - relative[..., 0, 1],
        ],
        axis=-1,
    )
    return np.degrees(np.arctan2(np.linalg.norm(skew, axis=-1), np.trace(relative, axis1=-2, axis2=-1) - 1.0))


@pytest.mark.parametrize("key", CLIPS)
def test_case_92_an_idle_on_its_own_base_pose_is_the_idle(key):
    rig, clip, _ = loaded(key)
    first, last = clip.frame_range
    steps = np.arange(0.0, np.floor(last - first) + 0.5)
    wanted = local_turns(rig, played(rig, clip, first + steps))
    result = amble.idle(
        rig,
        source=clip,
        pose=clip,
        pose_frame=first,
        pins=(),
        loop=False,
        frames=(1, 1 + int(steps[-1])),
        fps=24.0,
    )
    found = local_turns(rig, played(rig, result.action, 1 + steps))
    assert degrees_between(wanted, found).max() < 0.01


def test_case_92_strengths_poses_and_scales():
    rig, clip, pose = loaded("kaykit")
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()
    frame = pose.frame_range[0]
    held = played(rig, pose, [frame])
    still = amble.idle(rig, source=clip, pose=pose, pose_frame=frame, pins=(), strength=0.0, cycles=1)
    assert np.abs(played(rig, still.action, [1, 5, 9]) - held).max() < 2e-6
    sizes = {}
    for strength in (0.5, 1.0):
        result = amble.idle(
            rig, source=clip, pose=pose, pose_frame=frame, pins=(), strength=strength, cycles=1
        )
        found = played(rig, result.action, np.arange(*result.frames))
        assert np.abs(found[0] - held[0]).max() < 1e-5
        lengths = np.linalg.norm(found[:, :, :3, :3], axis=-2)
        assert np.abs(lengths - lengths[:1]).max() < 1e-5
        sizes[strength] = degrees_between(local_turns(rig, held), local_turns(rig, found)).max()
    assert sizes[0.5] == pytest.approx(0.5 * sizes[1.0], rel=0.02)
    rig.animation_data.action = None
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()
    head = amble.rig.roles(rig).head
    rig.pose.bones[head].scale = (1.3, 1.3, 1.3)
    amble.idle(rig, source=clip, pins=(), cycles=1)
    bpy.context.scene.frame_set(9)
    assert tuple(rig.pose.bones[head].scale) == pytest.approx((1.3, 1.3, 1.3))


def test_case_93_the_base_is_a_choice_and_a_far_one_is_told():
    rig, clip, other = loaded("mannequiny")
    first, last = clip.frame_range
    motion = local_turns(rig, played(rig, clip, np.linspace(first, last, 40)))
    moves = degrees_between(motion[:1], motion).max()
    frame = other.frame_range[0]
    held = local_turns(rig, played(rig, other, [frame]))
    for base in ("first", f"{first}"):
        result = amble.idle(rig, source=clip, base=base, pose=other, pose_frame=frame, pins=(), cycles=1)
        found = local_turns(rig, played(rig, result.action, np.arange(*result.frames)))
        assert degrees_between(held, found).max() < moves + 0.1
        assert not any("differ by up to" in note for note in result.notes)
    rest = amble.idle(rig, source=clip, base="rest", pose=other, pose_frame=frame, pins=(), cycles=1)
    assert any("differ by up to" in note and "degrees" in note for note in rest.notes)
    assert amble.idle(rig, source=clip, base="mean", pose=other, pose_frame=frame, cycles=1).action
    with pytest.raises(amble.AmbleError, match="base must be first, mean, rest"):
        amble.idle(rig, source=clip, base="last")


@pytest.mark.parametrize("key", ["kaykit", "fox"])
def test_an_idle_on_another_pose_leaves_its_mean_where_it_was(key):
    """Taken against its mean, the changes cancel out but for the second order."""
    rig, clip, other = loaded(key)
    frame = other.frame_range[0]
    held = local_turns(rig, played(rig, other, [frame]))
    result = amble.idle(rig, source=clip, base="mean", pose=other, pose_frame=frame, pins=(), cycles=1)
    found = local_turns(rig, played(rig, result.action, np.arange(*result.frames)))
    start = degrees_between(held[0], found[0]).max()
    assert start < 1e-3  # the first frame is the held pose
    swing = degrees_between(found[:1], found)
    mean = found.mean(axis=0)
    u, _, v = np.linalg.svd(mean)
    assert degrees_between(held[0], u @ v).max() < max(swing.max(), 0.1)


def test_an_idle_of_another_rig_by_roles():
    rig, clip, _ = loaded("kaykit")
    other = rigs.biped()
    idles.crouch(other)
    result = amble.idle(other, source=clip, source_rig=rig, cycles=1)
    assert [pin.name for pin in result.pins] == ["foot.L", "foot.R"]
    assert idles.drift(idles.tracks(other, result, ["foot.L", "foot.R"])) < 1e-4
    assert idles.turned(idles.tracks(other, result, ["chest"], step=1.0)) > 0.5
    with pytest.raises(amble.AmbleError, match="source_rig must be an armature"):
        amble.idle(other, source=clip, source_rig="nobody")


TABLE = {
    "after": "back",
    "times": [0, 5, 10],
    "bones": {"spine": {"axis": [1, 0, 0], "degrees": [0, 2, 4]}},
}


def test_I2_a_table_from_a_script_or_a_file(tmp_path):
    rig = rigs.biped()
    rig.pose.bones["spine"].rotation_mode = "XYZ"
    rig.pose.bones["spine"].rotation_euler = (np.radians(50), 0, 0)
    bpy.context.scene.render.fps = 24
    toml = tmp_path / "idle.toml"
    toml.write_text(
        'after = "back"\ntimes = [0, 5, 10]\n[bones.spine]\naxis = [1, 0, 0]\ndegrees = [0, 2, 4]\n',
        encoding="utf-8",
    )
    for table in (TABLE, str(toml)):
        amble.idle(rig, table=table, frames=(1, 41), overwrite=True, pins=())
        curve = idles.curves_of(rig)['pose.bones["spine"].rotation_euler', 0]
        found = [np.degrees(curve.evaluate(f)) for f in (1, 6, 8.5, 11, 16, 21, 26)]
        assert found == pytest.approx([50, 52, 53, 54, 52, 50, 52], abs=2e-4)
        rig.pose.bones["spine"].rotation_euler = (np.radians(50), 0, 0)
        rig.animation_data.action = None
    for bad, message in (
        ({**TABLE, "times": [0]}, "times must be two or more"),
        ({**TABLE, "bones": {"nobody": {"axis": [1, 0, 0], "degrees": [0, 1, 2]}}}, 'no bone "nobody"'),
        ({**TABLE, "bones": {"spine": {"axis": [1, 0, 0], "degrees": [0, 1]}}}, "must be 3 numbers"),
        ({**TABLE, "after": "never"}, "after must be"),
        ("nowhere.toml", "There is no file"),
    ):
        with pytest.raises(amble.AmbleError, match=message):
            amble.idle(rig, table=bad)


def test_a_layer_changes_nothing_when_it_is_muted():
    rig = rigs.biped()
    idles.crouch(rig)
    names = [bone.name for bone in rig.pose.bones]
    from amble.report.sampling import sample

    bpy.context.view_layer.update()
    shown = np.array([rig.matrix_world @ rig.pose.bones[name].matrix for name in names])
    whole = amble.idle(rig, frames=(1, 73))
    wanted = sample(rig, np.arange(1, 73.25, 0.25), names)
    rig.animation_data_clear()
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()
    idles.crouch(rig)
    result = amble.idle(rig, frames=(1, 73), written="layer")
    assert result.strip.blend_type == "COMBINE"
    found = sample(rig, np.arange(1, 73.25, 0.25), names)
    assert np.abs(found - wanted).max() < 1e-4
    assert idles.drift(found[:, [names.index("pelvis")]]) > 5e-3
    result.strip.mute = True
    assert np.abs(sample(rig, [1, 20, 40], names) - shown).max() < 1e-6
    assert whole.cycles == result.cycles


@pytest.mark.parametrize("condition", ["rest", "sprint", "cold"])
@pytest.mark.parametrize("strength", [0.1, 1.0, 4.0])
def test_feet_stay_in_a_layer_as_they_do_in_an_action(condition, strength):
    """NLA's Combine rounds small turns, which at an influence of 1 would be 1.9 mm of drift."""
    rig = rigs.biped()
    idles.crouch(rig)
    result = amble.idle(rig, frames=(1, 73), written="layer", condition=condition, strength=strength)
    assert idles.drift(idles.tracks(rig, result, ["foot.L", "foot.R"])) < 1e-4


def test_a_layer_is_strengthened_by_its_influence():
    """Twice the influence that it comes with is the idle of twice the strength."""
    rig = rigs.biped()
    idles.crouch(rig)
    result = amble.idle(rig, frames=(1, 73), written="layer", pins=())
    assert 1 / 64 <= result.strip.influence < 0.5
    once = idles.tracks(rig, result, ["pelvis", "chest"])
    key = result.strip.fcurves.find("influence").keyframe_points[0]
    key.co = key.co[0], 2 * key.co[1]
    twice = idles.tracks(rig, result, ["pelvis", "chest"])
    move, double = (t[:, 0, :3, 3] - t[:1, 0, :3, 3] for t in (once, twice))
    assert np.abs(double - 2 * move).max() < 1e-5
    assert idles.turned(twice[:, 1:]) == pytest.approx(2 * idles.turned(once[:, 1:]), rel=0.02)


def test_a_layer_that_is_not_played_says_so():
    rig = rigs.biped()
    rig.animation_data_create().use_nla = False
    result = amble.idle(rig, frames=(1, 25), written="layer")
    assert [note for note in result.notes if 'The NLA of "' in note and "switched off" in note]
    assert not rig.animation_data.use_nla
    rig.animation_data.use_nla = True
    other = rig.animation_data.nla_tracks.new()
    other.name, other.is_solo = "Mine", True
    solo = amble.idle(rig, frames=(1, 25), written="layer", name="Second")
    assert [note for note in solo.notes if 'Only the NLA track "Mine"' in note]
    other.is_solo = False
    third = amble.idle(rig, frames=(1, 25), written="layer", name="Third")
    assert not [note for note in third.notes if "NLA" in note]


def test_a_layer_over_an_action_leaves_the_action_as_it_was():
    rig = rigs.biped()
    idles.crouch(rig)
    names = [bone.name for bone in rig.pose.bones]
    from amble.report.sampling import sample

    played_before = amble.idle(rig, frames=(1, 25), name="Motion", strength=2.0)
    keys = {key: [tuple(p.co) for p in c.keyframe_points] for key, c in idles.curves_of(rig).items()}
    frames = np.arange(1, 80.0)
    before = sample(rig, frames, names)
    result = amble.idle(rig, pose_frame=25, frames=(25, 73), written="layer")
    result.strip.mute = True
    assert np.abs(sample(rig, frames, names) - before).max() < 1e-6
    result.strip.mute = False
    after = sample(rig, frames, names)
    assert np.abs(after[:24] - before[:24]).max() < 1e-6
    assert np.abs(after[30:72] - before[30:72]).max() > 1e-3
    rig.animation_data.action = played_before.action
    assert {key: [tuple(p.co) for p in c.keyframe_points] for key, c in idles.curves_of(rig).items()} == keys
