"""Cases of packaging and headless work: results play without Amble, odd folders, old systems."""

import json
import re
import subprocess
import sys
from pathlib import Path

import amble
import amble_core
import bpy
import numpy as np
import pytest
from amble.cli import main
from amble.files import open_rig
from amble.report.sampling import sample
from tests.blender import rigs

BONES = ["foot.L", "foot.R", "hand.L"]
# What a plain Blender does with the file: no add-on, no scripts of the file.
PLAIN = """
import sys, json, bpy, numpy
bpy.ops.wm.open_mainfile(filepath=sys.argv[1], use_scripts=False, load_ui=False)
rig = bpy.data.objects["biped"]
found = {}
for name in json.loads(sys.argv[2]):
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()
    rig.animation_data.action = action = bpy.data.actions[name]
    if hasattr(action, "slots"):
        rig.animation_data.action_slot = action.slots[0]
    heads = []
    for frame in range(1, 11):
        bpy.context.scene.frame_set(frame)
        heads.append([list(rig.matrix_world @ rig.pose.bones[bone].head) for bone in json.loads(sys.argv[3])])
    found[name] = heads
names = [name for name in sys.modules if "amble" in name]
drivers = rig.animation_data.drivers
print("RESULT" + json.dumps([found, names, len(drivers)]))
sys.stdout.flush()
import os
os._exit(0)
"""


def test_case_88_all_four_results_play_in_a_plain_blender(tmp_path):
    rig = rigs.biped()
    made = [amble.gait(rig, frames=(1, 30)).action, amble.idle(rig, frames=(1, 30)).action]
    made.append(amble.mirror(rig, made[0]).action)
    made.append(amble.blend(rig, made[0], made[1], frames=6).action)
    here = {}
    for action in made:
        for bone in rig.pose.bones:
            bone.matrix_basis.identity()  # what an action does not key is as it was shown last
        rig.animation_data.action = action
        if hasattr(action, "slots"):
            rig.animation_data.action_slot = action.slots[0]
        here[action.name] = sample(rig, np.arange(1.0, 11.0), BONES)[:, :, :3, 3]
    names = list(here)
    assert len(names) == 4
    path = tmp_path / "made.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    command = [sys.executable, "-I", "-c", PLAIN, str(path), json.dumps(names), json.dumps(BONES)]
    out = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout
    found, modules, drivers = json.loads(out.partition("RESULT")[2])
    assert modules == []
    assert drivers == 0
    for name in names:
        np.testing.assert_allclose(found[name], here[name], atol=1e-6, err_msg=name)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc is Linux's")
def test_case_90_the_core_needs_no_newer_glibc_than_2_28_and_no_other_library():
    content = Path(amble_core.__file__).read_bytes()
    versions = [tuple(map(int, found)) for found in re.findall(rb"GLIBC_(\d+)\.(\d+)", content)]
    assert versions
    assert max(versions) <= (2, 28)
    libraries = set(re.findall(rb"\0(lib[\w+-]+)\.so[.\d]*(?=\0)", content))
    if b"libasan" not in libraries:  # but for the sanitizers' own
        assert libraries <= {b"libc", b"libm"}


def test_case_91_folders_with_spaces_accents_and_kanji(tmp_path, monkeypatch, capfd):
    folder = tmp_path / "Zoë 日本 ext"
    folder.mkdir()
    monkeypatch.chdir(folder)
    rig = rigs.biped()
    rig.name = "役者 Zoë"
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "役 者.blend"))
    words = ["役 者.blend", "--output", "歩く.blend", "--report", "é.json", "--quiet"]
    assert main(["gait", *words, "--output", "歩く.glb"]) == 0
    assert main(["idle", "歩く.blend", "--output", "息.blend", "--quiet"]) == 0
    assert main(["mirror", "歩く.blend", "--output", "鏡.blend", "--quiet"]) == 0
    assert sorted(path.name for path in folder.iterdir() if path.suffix != ".blend1") == sorted(
        ["役 者.blend", "歩く.blend", "歩く.glb", "é.json", "息.blend", "鏡.blend"]
    )
    capfd.readouterr()
    assert main(["gait", "無い.blend"]) == 2
    assert "There is no file 無い.blend" in capfd.readouterr().err


def test_a_file_opened_after_rigify_has_a_context_of_its_own():
    """In Blender 4.2 `bpy.context` would belong to a scene that is gone, and importers crash."""
    for handler in list(bpy.app.handlers.load_post):  # the tests' own would hide it
        bpy.app.handlers.load_post.remove(handler)
    assert bpy.context.layer_collection.name  # as Rigify reads it
    bpy.context.scene.name = "of before"
    open_rig("rigify:human")
    owner = bpy.context.id_data
    assert owner is None or owner == bpy.context.scene
    assert bpy.context.scene.name == "Scene"
