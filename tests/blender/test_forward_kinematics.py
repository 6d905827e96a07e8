"""The core's forward kinematics against Blender's own evaluation of pose bones."""

import amble_core
import bpy
import numpy as np
import pytest

MODES = ("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY")
BONES = 60
TOLERANCE = 1e-5  # of a pose about 10 units across; Blender itself computes in float32


def random_armature(seed: int, bones: int, modes: tuple[str, ...] = MODES) -> bpy.types.Object:
    """An armature of random bones up to seven deep, with every flag set at random, roots included."""
    rng = np.random.default_rng(seed)
    armature = bpy.data.armatures.new("random")
    rig = bpy.data.objects.new("random", armature)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    made: list[bpy.types.EditBone] = []
    depth: dict[str, int] = {}
    for i in range(bones):
        bone = armature.edit_bones.new(f"bone{i:03}")
        allowed = [b for b in made if depth[b.name] < 6]
        parent = allowed[rng.integers(len(allowed))] if i and rng.random() < 0.95 else None
        bone.parent = parent
        depth[bone.name] = depth[parent.name] + 1 if parent else 0
        connected = bool(rng.random() < 0.3)
        start = rng.uniform(-0.5, 0.5, 3) + (np.array(parent.tail) if parent else 0)
        bone.head = parent.tail.to_tuple() if parent and connected else start.tolist()
        bone.tail = (np.array(bone.head) + rng.normal(size=3) * 0.4).tolist()
        bone.roll = rng.uniform(-3, 3)
        bone.use_connect = connected
        bone.use_inherit_rotation = bool(rng.random() < 0.6)
        bone.use_local_location = bool(rng.random() < 0.6)
        bone.inherit_scale = modes[rng.integers(len(modes))]  # type: ignore[assignment]
        made.append(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def arrays(rig: bpy.types.Object) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    """Names, parents, rest matrices and flags of an armature, parents first."""
    bones: list[bpy.types.Bone] = []
    waiting = [bone for bone in rig.data.bones if bone.parent is None]
    while waiting:
        bone = waiting.pop()
        bones.append(bone)
        waiting += list(bone.children)
    index = {bone.name: i for i, bone in enumerate(bones)}
    parents = np.array([index[b.parent.name] if b.parent else -1 for b in bones], dtype=np.int32)
    rest = np.array([b.matrix_local for b in bones], dtype=np.float64)
    flags = np.array(
        [
            b.use_connect
            | (not b.use_inherit_rotation) << 1
            | (not b.use_local_location) << 2
            | MODES.index(b.inherit_scale) << 4
            for b in bones
        ],
        dtype=np.uint32,
    )
    return [b.name for b in bones], parents, rest, flags


def blender_poses(rig: bpy.types.Object, names: list[str], channels: np.ndarray) -> np.ndarray:
    """Pose matrices (bones, 12, frames) that Blender evaluates for the channels."""
    poses = np.empty((len(names), 12, channels.shape[2]))
    for name in names:
        rig.pose.bones[name].rotation_mode = "QUATERNION"
    for frame in range(channels.shape[2]):
        for i, name in enumerate(names):
            bone = rig.pose.bones[name]
            bone.location = channels[i, :3, frame]
            bone.rotation_quaternion = channels[i, 3:7, frame]
            bone.scale = channels[i, 7:, frame]
        bpy.context.view_layer.update()
        for i, name in enumerate(names):
            poses[i, :, frame] = np.array(rig.pose.bones[name].matrix)[:3].ravel()
    return poses


def random_channels(seed: int, bones: int, frames: int, scale: tuple[float, float]) -> np.ndarray:
    """Channels (bones, 10, frames): place, rotation of any length, each scale on its own."""
    rng = np.random.default_rng(seed)
    channels = np.empty((bones, 10, frames), dtype=np.float32)
    channels[:, :3] = rng.uniform(-0.5, 0.5, (bones, 3, frames))
    channels[:, 3:7] = rng.normal(size=(bones, 4, frames))
    channels[:, 7:] = rng.uniform(*scale, (bones, 3, frames))
    return channels


def worst(rig: bpy.types.Object, channels: np.ndarray) -> float:
    """Largest difference between the core and Blender, by each bone's and frame's largest entry (or 1)."""
    names, parents, rest, flags = arrays(rig)
    expected = blender_poses(rig, names, channels)
    actual = amble_core.forward_kinematics(parents, rest, flags, channels)
    size = np.maximum(np.abs(expected).max(axis=1, keepdims=True), 1.0)
    return float((np.abs(actual - expected) / size).max())


@pytest.mark.parametrize("seed", range(4))
def test_random_armature_with_all_flags_matches_blender_to_1e_5(seed):
    rig = random_armature(seed, BONES)
    _, _, _, flags = arrays(rig)
    assert len(set(flags.tolist())) > 20
    assert worst(rig, random_channels(seed, BONES, 6, (0.7, 1.4))) < TOLERANCE


@pytest.mark.parametrize("mode", MODES)
def test_each_inherit_scale_mode_matches_blender_to_1e_5(mode):
    rig = random_armature(10, 30, (mode,))
    assert worst(rig, random_channels(11, 30, 6, (0.5, 2.0))) < TOLERANCE


@pytest.mark.parametrize("mode", MODES)
def test_zero_scale_and_zero_quaternions_match_blender_to_1e_5(mode):
    rig = random_armature(15, 20, (mode,))
    channels = random_channels(16, 20, 6, (0.7, 1.4))
    channels[:, 7:, 0] = 0.0
    channels[:, 8, 1] = 0.0
    channels[:, 7, 2] = 0.0
    channels[::2, 3:7, 3:] = 0.0
    channels[:, 3:7, 2] *= 1e-12
    assert worst(rig, channels) < TOLERANCE


@pytest.mark.parametrize("mode", MODES)
def test_mirrored_scale_matches_blender_to_1e_5(mode):
    rig = random_armature(12, 20, (mode,))
    channels = random_channels(13, 20, 6, (0.8, 1.25))
    signs = np.random.default_rng(14).choice([-1.0, 1.0], (20, 3, 6))
    channels[:, 7:] *= signs.astype(np.float32)
    assert worst(rig, channels) < TOLERANCE
