"""Idles written into an action that is played: at its end, or into a hold (I9)."""

from itertools import pairwise

import amble
import numpy as np
from tests.blender import idles, rigs


def keys_of(curve):
    """All that a curve's keys hold."""
    return [
        (*p.co, *p.handle_left, *p.handle_right, p.interpolation, p.handle_left_type, p.handle_right_type)
        for p in curve.keyframe_points
    ]


def keyed_motion(rig, bones, frames):
    """A motion by hand: bones turned about their own x, keyed as Blender keys."""
    for k, frame in enumerate(frames):
        for bone in bones:
            pose = rig.pose.bones[bone]
            pose.rotation_quaternion = (1.0, 0.05 * k, 0.0, 0.0)
            pose.keyframe_insert("rotation_quaternion", frame=frame)


def test_I9_it_starts_where_a_motion_ends_and_stops_where_the_next_one_starts():
    """In one action: a motion to frame 20, a hold, the next motion from 120 on; the idle in between."""
    rig = idles.crouched()
    keyed_motion(rig, ["spine", "head"], (1, 20))
    spine = rig.pose.bones["spine"]
    for frame, value in ((120, 0.05), (140, 0.2)):
        spine.rotation_quaternion = (1.0, value, 0.0, 0.0)
        spine.keyframe_insert("rotation_quaternion", frame=frame)
    action = rig.animation_data.action
    from amble.report.sampling import sample

    names = [bone.name for bone in rig.pose.bones]
    before = sample(rig, np.arange(1, 141.0), names)
    result = amble.idle(rig, written="into", frames=(20, 120), condition="tired")
    assert result.action == action
    after = sample(rig, np.arange(1, 141.0), names)
    assert np.abs(after[:20] - before[:20]).max() < 1e-6
    assert np.abs(after[119:] - before[119:]).max() < 1e-6
    assert np.abs(after[40:100] - before[40:100]).max() > 5e-3
    feet = [names.index("foot.L"), names.index("foot.R")]
    assert idles.drift(after[19:119][:, feet]) < 1e-4
    for now, later in pairwise(after[18:122]):
        assert idles.turned(np.stack([now, later])) < 3.0
    rigs.clear()
    rig = idles.crouched()
    keyed_motion(rig, ["spine", "head"], (1, 20))
    result = amble.idle(rig, written="into", cycles=2)
    assert result.frames[0] == 20.0
    assert rig.animation_data.action.frame_range[1] == result.frames[1]
    assert amble.idle(rig, written="into", cycles=1).frames[0] == result.frames[1]


def test_case_83_other_curves_and_keys_outside_the_range_are_untouched():
    rig = idles.crouched()
    fingers = ["toe.L", "toe.R"]
    keyed_motion(rig, fingers, range(1, 200, 3))
    keyed_motion(rig, ["chest"], range(1, 300, 7))
    before = {key: keys_of(curve) for key, curve in idles.curves_of(rig).items()}
    amble.idle(rig, written="into", frames=(100, 172))
    after = {key: keys_of(curve) for key, curve in idles.curves_of(rig).items()}
    for key, keys in before.items():
        if "toe" in key[0]:
            assert after[key] == keys
        else:
            outside = [k[:7] for k in keys if not 100 <= k[0] <= 172]
            assert [k[:7] for k in after[key] if not 100 <= k[0] <= 172] == outside
            assert sum(100 <= k[0] <= 172 for k in after[key]) == 73
