"""Every kind of file a motion is saved as plays the same motion when it is read again."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from amble import formats
from amble.cli import main
from amble.errors import AmbleError
from amble.files import choose_armature
from amble.report.sampling import sample

HUMAN = "rigify:human"
BONES = ["thigh.L", "shin.L", "foot.L", "foot.R", "upper_arm.L", "spine.006"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder that the program runs in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def heads(frames: np.ndarray, bones: list[str]) -> np.ndarray:
    return sample(choose_armature(None, "the session"), frames, bones)[:, :, :3, 3]


def made(kind: str, motion: str) -> tuple[np.ndarray, np.ndarray]:
    """Walk, save; frames, and the heads of BONES on them (f, b, 3)."""
    assert main(["gait", HUMAN, "--root-motion", motion, "--output", f"walk{kind}", "--quiet"]) == 0
    rig: Any = choose_armature(None, "the session")
    first, last = map(round, rig.animation_data.action.frame_range)
    frames = np.arange(first, last + 1.0)
    return frames, heads(frames, BONES)


def read_fbx() -> None:
    # What the file has at 0 s is put on frame 1, unless it is told otherwise.
    bpy.ops.import_scene.fbx(filepath="walk.fbx", anim_offset=0.0)


def read_bvh() -> None:
    bpy.ops.import_anim.bvh(filepath="walk.bvh", axis_forward="Y", axis_up="Z")  # as Blender writes it


def read_usd() -> None:
    bpy.ops.wm.usd_import(filepath="walk.usdc", set_frame_range=False)


READERS = {".fbx": ("io_scene_fbx", read_fbx), ".bvh": ("io_anim_bvh", read_bvh), ".usdc": ("", read_usd)}


@pytest.mark.parametrize("motion", ["none", "object", "auto"])
@pytest.mark.parametrize("kind", READERS)
def test_a_motion_read_again_is_the_one_that_was_made(kind, motion, here, capfd):
    import addon_utils

    if (kind, motion) == (".bvh", "object"):
        assert main(["gait", HUMAN, "--root-motion", motion, "--output", "walk.bvh"]) == 2
        assert 'holds bones alone, and "metarig" moves as an object' in capfd.readouterr().err
        assert not list(Path().iterdir())
        return
    frames, before = made(kind, motion)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    add_on, read = READERS[kind]
    if add_on:
        addon_utils.enable(add_on, default_set=True)
    read()
    names = choose_armature(None, "the session").data.bones.keys()
    # USD has no full stop in names.
    bones = [name if name in names else name.replace(".", "_") for name in BONES]
    np.testing.assert_allclose(heads(frames, bones), before, atol=2e-5)


@pytest.mark.parametrize("kind", [".npz", ".json"])
def test_arrays_are_the_evaluated_motion(kind, here):
    frames, before = made(kind, "object")
    if kind == ".npz":
        with np.load("walk.npz") as file:
            found = dict(file)
    else:
        found = json.loads(Path("walk.json").read_text(encoding="utf-8"))
        found = {name: np.array(value) for name, value in found.items()}
        found["world"] = found["world"].reshape(len(frames), -1, 4, 4)
    names = found["bones"].tolist()
    np.testing.assert_array_equal(found["frames"], frames)
    np.testing.assert_array_equal(found["world"][:, [names.index(n) for n in BONES]][..., :3, 3], before)
    assert names[found["parents"][names.index("shin.L")]] == "thigh.L"
    assert found["parents"][names.index("spine")] == -1
    assert found["fps"] == 24.0


def test_a_file_without_its_end_is_not_taken_for_whole(here):
    for kind in (".fbx", ".npz", ".glb", ".blend"):
        assert main(["gait", HUMAN, "--output", f"walk{kind}", "--quiet"]) == 0
        whole = Path(f"walk{kind}")
        assert formats.is_whole(whole)
        whole.write_bytes(whole.read_bytes()[:-200])
        assert not formats.is_whole(whole)


def test_an_exporter_that_fails_is_one_sentence_and_leaves_nothing(here, capfd, monkeypatch):
    def broken(*_: object):
        raise AmbleError("The .fbx file cannot be written: no.")

    monkeypatch.setitem(formats.FORMATS, ".fbx", dataclasses.replace(formats.FORMATS[".fbx"], save=broken))
    assert main(["gait", HUMAN, "--output", "walk.fbx", "--output", "walk.glb", "--quiet"]) == 2
    assert "The .fbx file cannot be written: no." in capfd.readouterr().err
    assert not list(Path().iterdir())


def test_fbx_and_usd_of_a_rig_without_a_mesh_in_one_go(here, data_dir):
    source = str(data_dir / "bvh/cmu-cgspeed_12_01_walk.bvh")
    assert (
        main(["gait", source, "--output", "z.fbx", "--output", "z.usdc", "--output", "z.glb", "--quiet"]) == 0
    )
    assert sorted(path.name for path in Path().iterdir()) == ["z.fbx", "z.glb", "z.usdc"]
