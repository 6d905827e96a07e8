"""What is worked out for a rig is kept for as long as the rig is as it was, and no longer."""

from collections.abc import Callable
from typing import Any

import amble
import bpy
import numpy as np
import pytest
from amble.action.channels import plan_keys
from amble.once import KEPT, once
from amble.reading import read
from amble.rig import read_skeleton
from tests.blender import rigs


def edited(rig: Any, change: Callable[[Any], None]) -> None:
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    change(rig.data.edit_bones)
    bpy.ops.object.mode_set(mode="OBJECT")


def longer(rig: Any) -> None:
    edited(rig, lambda bones: setattr(bones["shin.L"], "tail", (0.1, 0.05, 0.0)))


def hung_elsewhere(rig: Any) -> None:
    edited(rig, lambda bones: setattr(bones["head"], "parent", bones["pelvis"]))


def connected(rig: Any) -> None:
    edited(rig, lambda bones: setattr(bones["shin.L"], "use_connect", True))


def renamed(rig: Any) -> None:
    rig.data.bones["head"].name = "skull"


def in_angles(rig: Any) -> None:
    rig.pose.bones["thigh.L"].rotation_mode = "ZYX"


def scaled_freely(rig: Any) -> None:
    rig.data.bones["shin.L"].inherit_scale = "NONE_LEGACY"


def constrained(rig: Any) -> None:
    made = rig.pose.bones["shin.L"].constraints.new("COPY_ROTATION")
    made.target, made.subtarget = rig, "shin.R"


def unskinned(rig: Any) -> None:
    rig.data.bones["head"].use_deform = False


def moved(rig: Any) -> None:
    rig.location.x = 1.0
    bpy.context.view_layer.update()


CHANGES = [
    longer, hung_elsewhere, connected, renamed, in_angles, scaled_freely, constrained, unskinned, moved,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_skeleton_is_the_same_until_its_rig_changes(change):
    rig = rigs.biped()
    before = read_skeleton(rig)
    assert read_skeleton(rig) is before
    change(rig)
    after = read_skeleton(rig)
    assert after is not before
    assert read_skeleton(rig) is after
    told = {"longer": "tails", "hung_elsewhere": "parents", "connected": "flags", "renamed": "names",
            "in_angles": "rotation_modes", "scaled_freely": "flags", "constrained": "links",
            "unskinned": "deform", "moved": "world"}  # fmt: skip
    name = told[change.__name__]
    assert not np.array_equal(getattr(after, name), getattr(before, name))


def test_what_is_read_of_a_rig_follows_roles_set_by_hand_and_its_display():
    rig = rigs.biped()
    first = read(rig)
    assert read(rig) is first
    amble.rig.set_roles(rig, {"head": "chest"})
    assert read(rig).roles.head == "chest"
    amble.rig.clear_roles(rig)
    assert read(rig).roles.head == first.roles.head
    rig.data.pose_position = "REST"
    assert any("rest position" in note for note in read(rig).notes)


def test_arrays_of_a_skeleton_cannot_be_changed():
    skeleton = read_skeleton(rigs.biped())
    for array in (skeleton.rest, skeleton.parents, skeleton.tails, skeleton.flags, skeleton.world):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_roles_of_a_result_are_its_own():
    rig = rigs.biped()
    result = amble.gait(rig, report=False)
    result.roles.missing["legs"] = "No legs."
    result.roles.why.clear()
    assert amble.gait(rig, report=False).roles.why


def test_what_may_be_keyed_follows_locks_modes_and_drivers():
    rig = rigs.biped()
    bones, wanted = ["pelvis", "thigh.L"], np.ones((2, 3), dtype=bool)
    pelvis = rig.pose.bones["pelvis"]

    def keyed() -> list[int]:
        return plan_keys(rig, bones, wanted).keyed.sum(axis=1).tolist()

    assert keyed() == [10, 10]
    pelvis.lock_location[1] = True
    assert keyed() == [9, 10]
    pelvis.lock_scale[0] = True
    assert keyed() == [8, 10]
    rig.pose.bones["thigh.L"].rotation_mode = "XYZ"
    assert keyed() == [8, 9]
    rig.pose.bones["thigh.L"].lock_rotation[2] = True
    assert keyed() == [8, 8]
    pelvis.driver_add("location", 0)
    assert keyed() == [7, 8]
    pelvis.driver_remove("location", 0)
    pelvis.lock_location[1] = pelvis.lock_scale[0] = False
    assert keyed() == [10, 8]


def test_results_are_kept_by_the_things_they_are_of():
    asked = []

    @once
    def doubled(things: list[int], factor: float = 2.0) -> list[float]:
        asked.append(things)
        return [factor * thing for thing in things]

    first, equal = [1, 2], [1, 2]
    assert doubled(first) == [2.0, 4.0]
    assert doubled(first) is doubled(first)
    assert doubled(equal) is not doubled(first)
    assert doubled(first, 3.0) == doubled(first, factor=3.0) == [3.0, 6.0]
    assert len(asked) == 4
    for k in range(KEPT):
        doubled([k])
    doubled(first)
    assert len(asked) == 5 + KEPT
