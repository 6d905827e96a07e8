"""The command line, in process and as a program: what it writes, what it prints, how it fails."""

import contextlib
import dataclasses
import functools
import json
import math
import os
import resource
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any, TextIO

import amble
import amble_core
import bpy
import numpy as np
import pytest
from amble import GaitSettings, api, formats, picture
from amble.cli import main
from amble.files import choose_armature, open_rig
from amble.report.sampling import sample

HUMAN = "rigify:human"
PACKAGE = Path(str(amble.__file__)).parent


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder that the program runs in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fails(capfd, *words: str) -> str:
    """Run a command line that must be refused; its one line on standard error."""
    before = sorted(Path().iterdir())
    capfd.readouterr()
    assert main(["gait", *words]) == 2
    out, err = capfd.readouterr()
    lines = [line for line in err.splitlines() if not line.startswith("amble:  ")]
    assert out == ""
    assert len(lines) == 1
    assert lines[0].startswith("amble: error: ")
    assert sorted(Path().iterdir()) == before
    return lines[0]


def nan_free(text: str) -> dict:
    """JSON that must not hold the constants that other languages cannot read."""
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} in the JSON"))


# ---- help ----


def test_help_explains_every_setting_with_its_unit_and_default(capfd):
    assert main(["gait", "--help"]) == 0
    out, err = capfd.readouterr()
    text = " ".join(out.split())
    assert err == ""
    fields = dataclasses.fields(GaitSettings)
    told = [field for field in fields if field.metadata.get("option", "") is not None]
    for field in told:
        assert f"--{field.name.replace('_', '-')}" in text
        assert " ".join(field.metadata["help"].split()) in text
    assert "--course" not in text  # a script's arrays or function, of no use on a command line
    assert "(in m/s; over 0; default: 1.4 m/s; for legs" in text
    assert text.count("default: ") >= len(told) + 8
    assert "blender -b rig.blend -c amble gait" in text


def test_version_is_the_core_s(capfd):
    assert main(["--version"]) == 0
    assert capfd.readouterr().out == f"amble {amble_core.__version__}\n"


# ---- refusals: one line, exit code 2, nothing written ----


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "no FILE is given"),
        (["none.glb"], "There is no file none.glb"),
        ([HUMAN, "--speed", "-1"], "--speed: must be more than 0 m/s, not -1"),
        ([HUMAN, "--speed=-1"], "--speed: must be more than 0 m/s, not -1"),
        ([HUMAN, "--speed", "nan"], "--speed: must be a finite number"),
        ([HUMAN, "--speed", "fast"], "--speed: 'fast' is no number"),
        ([HUMAN, "--spee", "1"], "--spee"),
        ([HUMAN, "--frames", "1-48"], "write it as A:B"),
        ([HUMAN, "--frames", "-5:-20"], "-5:-20"),
        ([HUMAN, "--gait", "moonwalk"], "must be one of walk"),
        ([HUMAN, "--armature", "Bob"], 'There is no armature "Bob"'),
        ([HUMAN, "--output", "no/folder/x.blend"], "make it first"),
        ([HUMAN, "--output", "x.obj"], "must end in .blend, .glb, .fbx, .usdc, .bvh, .npz or .json"),
        ([HUMAN, "--output", "."], "must end in .blend, .glb, .fbx, .usdc, .bvh, .npz or .json"),
        ([HUMAN, "--picture", "x.jpg"], "must end in .png"),
        ([HUMAN, "--report", "x.json", "--picture", "no/x.png"], "make it first"),
        ([HUMAN, "--report", "x.blend"], "--report x.blend must end in .json"),
        ([HUMAN, "--report", ""], "must end in .json"),
        ([""], "name of the file is empty"),
        ([HUMAN, "--output", "x.glb", "--output", "./x.glb"], "named for two outputs"),
        (["rigify:unicorn"], "rigify:human"),
    ],
)
def test_bad_usage_is_one_line(words, told, here, capfd):
    assert told in fails(capfd, *words)


def test_a_target_that_is_a_folder_is_refused(here, capfd):
    Path("taken.glb").mkdir()
    assert "it is a folder" in fails(capfd, HUMAN, "--output", "taken.glb")


def test_a_target_that_is_no_ordinary_file_is_refused(here, capfd):
    os.mkfifo("pipe.glb")
    Path("link.json").symlink_to("pipe.glb")
    assert "no ordinary file" in fails(capfd, HUMAN, "--output", "pipe.glb")
    assert "no ordinary file" in fails(capfd, HUMAN, "--report", "link.json")


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("--output", "rig.glb"),
        ("--output", "link.blend"),
        ("--report", "link.json"),
        ("--picture", "hard.png"),
    ],
)
def test_the_file_that_is_read_is_not_written_over(option, name, here, capfd):
    Path("rig.glb").write_bytes(b"the user's")
    if name.startswith("link"):
        Path(name).symlink_to("rig.glb")
    elif name.startswith("hard"):
        Path(name).hardlink_to("rig.glb")
    assert "the file that is read" in fails(capfd, "./rig.glb", option, name)
    assert Path("rig.glb").read_bytes() == b"the user's"


@contextlib.contextmanager
def full_disk(size):
    """No file may be longer than so many bytes, as on a disk with no more room. Over before the test is: the
    tests' own log may be longer."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(
    ("option", "name"),
    [("--output", "x.blend"), ("--output", "x.glb"), ("--report", "x.json"), ("--picture", "x.png")],
)
def test_a_full_disk_is_one_line_and_nothing_is_replaced(option, name, here, capfd, monkeypatch):
    monkeypatch.setattr(picture, "walk_picture", functools.partial(picture.walk_picture, width=300))
    Path(name).write_bytes(b"old")
    with full_disk(4096):
        said = fails(capfd, HUMAN, option, name)
    assert f"{name} cannot be written: File too large" in said
    assert Path(name).read_bytes() == b"old"


@pytest.mark.parametrize("packed", [False, True])
def test_a_blend_file_that_was_cut_off_is_not_put_in_place(packed, here, capfd, monkeypatch):
    def cut(path: Path, *_: object) -> None:
        bpy.ops.wm.save_as_mainfile(filepath=str(path.resolve()), copy=True, compress=packed)
        assert path.read_bytes().startswith(b"BLENDER") is not packed
        os.truncate(path, path.stat().st_size - missing.pop())

    kind = dataclasses.replace(formats.FORMATS[".blend"], save=cut)
    monkeypatch.setitem(formats.FORMATS, ".blend", kind)
    missing = [0, 33, 1000]
    assert "cut off" in fails(capfd, HUMAN, "--output", "x.blend")
    assert "cut off" in fails(capfd, HUMAN, "--output", "x.blend")
    assert main(["gait", HUMAN, "--output", "x.blend", "--quiet"]) == 0


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("empty.blend", b"", "is empty"),
        ("junk.blend", b"junk" * 100, "no .blend file"),
        ("cut.blend", b"BLENDER-v300" + b"\0" * 60, "cannot be read"),
        ("junk.glb", b"junk" * 100, "no .glb file"),
        ("old.glb", b"glTF\1\0\0\0\x64\0\0\0" + b"\0" * 88, "glTF version 1"),
        ("cut.glb", b"glTF\2\0\0\0\xff\xff\0\0" + b"\0" * 20, "cut off: it has 32 of 65535 bytes"),
        ("cut.gltf", b'{"asset": {"ver', "cut off"),
        ("bare.gltf", b'{"asset": {"version": "2.0"}}', "no armature"),
        ("junk.bvh", b"junk", "HIERARCHY"),
        ("cut.bvh", b"HIERARCHY\nROOT Hips\n{", "cannot be read"),
        ("junk.fbx", b"junk", "cannot be read"),
        ("rig.obj", b"v 0 0 0", "of no kind that can be opened"),
    ],
)
def test_a_bad_file_is_one_line(name, content, told, here, capfd):
    Path(name).write_bytes(content)
    assert told in fails(capfd, name, "--output", "out.glb")


def test_a_real_file_cut_in_half_is_refused(here, capfd, data_dir):
    for source in ("blend/quaternius_Male_Casual.blend", "glb/kaykit_Med_MovementBasic.glb"):
        whole = (data_dir / source).read_bytes()
        half = Path("half" + Path(source).suffix)
        half.write_bytes(whole[: len(whole) // 2])
        assert f"{half} " in fails(capfd, str(half))


def test_a_rig_without_legs_is_refused(here, capfd, data_dir):
    assert "No legs were found" in fails(
        capfd, str(data_dir / "glb/m2m_rig-snake.glb"), "--output", "x.blend"
    )


def test_several_armatures_are_named_and_one_can_be_chosen(here, capfd):
    open_rig(HUMAN)
    bpy.ops.object.armature_human_metarig_add()
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.wm.save_as_mainfile(filepath=str(here / "two.blend"))
    assert '"metarig", "metarig.001"' in fails(capfd, "two.blend")
    assert "no armature but a mesh" in fails(capfd, "two.blend", "--armature", "Cube")
    assert main(["gait", "two.blend", "--armature", "metarig.001", "--output", "one.blend", "--quiet"]) == 0
    bpy.ops.wm.open_mainfile(filepath=str(here / "one.blend"))
    assert bpy.data.objects["metarig.001"].animation_data.action.name == "Walk"
    assert bpy.data.objects["metarig"].animation_data is None


def test_an_error_inside_leaves_old_results_and_no_part_files(here, capfd, monkeypatch):
    Path("walk.blend").write_bytes(b"old")

    def broken(*_: object):
        raise ZeroDivisionError("broken exporter")

    monkeypatch.setitem(formats.FORMATS, ".glb", dataclasses.replace(formats.FORMATS[".glb"], save=broken))
    assert main(["gait", HUMAN, "--output", "walk.blend", "--output", "walk.glb", "--report", "r.json"]) == 3
    err = capfd.readouterr().err
    assert "Traceback" in err
    assert "broken exporter" in err
    assert [path.name for path in Path().iterdir()] == ["walk.blend"]
    assert Path("walk.blend").read_bytes() == b"old"


# ---- results ----


def test_json_on_stdout_is_the_report_file_though_importers_print(here, capfd, data_dir):
    source = str(data_dir / "glb/m2m_rig-human.glb")  # its importer prints what it does
    assert main(["gait", source, "--speed", "1.2", "--json", "--quiet", "--report", "r.json"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    told = nan_free(out)
    assert told == nan_free(Path("r.json").read_text(encoding="utf-8"))
    assert told["settings"] == {"speed": 1.2}
    assert told["report"]["speed_asked"] == 1.2
    assert told["action"] == "Walk"


def test_the_table_and_the_paths_go_to_stdout_and_progress_to_stderr(here, capfd):
    assert main(["gait", HUMAN, "--report", "r.json"]) == 0
    out, err = capfd.readouterr()
    assert "Foot slide" in out
    assert out.rstrip().endswith("r.json")
    assert "reading rigify:human" in err
    assert "the action was not saved" in err


def test_quiet_prints_nothing(here, capfd):
    assert main(["gait", HUMAN, "--output", "walk.blend", "--quiet"]) == 0
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("problems", "code"), [((), 0), (("The feet slide.",), 1)])
def test_strict_turns_a_fault_in_the_report_into_exit_code_1(problems, code, here, monkeypatch):
    real = api.gait

    def judged(*args: Any, **changes: Any):
        result = real(*args, **changes)
        assert result.report is not None
        return dataclasses.replace(result, report=dataclasses.replace(result.report, problems=problems))

    monkeypatch.setattr(api, "gait", judged)
    assert main(["gait", HUMAN, "--strict", "--quiet"]) == code
    assert main(["gait", HUMAN, "--quiet"]) == 0


def test_the_blend_file_plays_the_walk_at_the_rate_asked_for(here):
    words = ["--fps", "30", "--name", "Stroll", "--root-motion", "none", "--output", "walk.blend", "--quiet"]
    assert main(["gait", HUMAN, *words]) == 0
    rig = choose_armature(None, "the session")
    span = rig.animation_data.action.frame_range
    frames = np.linspace(span[0], span[1], 5)
    made = sample(rig, frames, ["foot.L", "foot.R"])
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=str(here / "walk.blend"))
    rig = bpy.data.objects["metarig"]
    assert rig.animation_data.action.name == "Stroll"
    assert bpy.context.scene.render.fps / bpy.context.scene.render.fps_base == pytest.approx(30.0)
    np.testing.assert_array_equal(sample(rig, frames, ["foot.L", "foot.R"]), made)
    assert np.ptp(made[:, 0, :3, 3], axis=0).max() > 0.3


def test_the_report_of_a_way_is_plain_json_without_lines_that_mean_nothing_there(here, capfd):
    words = ["gait", HUMAN, "--turn", "30", "--frames", "1:60", "--report", "r.json", "--json"]
    assert main([*words, "--quiet"]) == 0
    kept = nan_free(Path("r.json").read_text(encoding="utf-8"))
    assert kept == nan_free(capfd.readouterr().out)
    names = [check["name"] for check in kept["report"]["checks"]]
    assert "Foot slide" in names
    assert not [name for name in names if name.startswith("Hips")]


@pytest.mark.parametrize("motion", ["none", "object"])
def test_the_glb_file_plays_the_same_poses_when_it_is_read_again(motion, here):
    assert main(["gait", HUMAN, "--root-motion", motion, "--output", "walk.glb", "--quiet"]) == 0
    bones = ["thigh.L", "shin.L", "foot.R", "toe.R", "upper_arm.L", "spine.006"]
    rig = choose_armature(None, "the session")
    first, last = (round(frame) for frame in rig.animation_data.action.frame_range)
    made = sample(rig, np.arange(first, last + 1.0), bones)
    assert bpy.data.meshes.get("metarig body") is None
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=str(here / "walk.glb"))
    rig = bpy.data.objects["metarig"]
    # The file begins at 0 s, which the importer puts on frame 0.
    again = sample(rig, np.arange(0.0, last - first + 1.0), bones)
    assert rig.animation_data.action.name.startswith("Walk")
    assert len(made) > 20
    np.testing.assert_allclose(again[:, :, :3, 3], made[:, :, :3, 3], atol=2e-5)
    body = next(thing for thing in bpy.data.objects if thing.type == "MESH" and thing.parent == rig)
    assert [modifier.type for modifier in body.modifiers] == ["ARMATURE"]
    assert {material.name for material in body.data.materials} == {"body", "left", "right"}


def test_the_glb_of_a_rig_with_a_mesh_keeps_that_mesh(here, data_dir):
    source = str(data_dir / "glb/khronos_cesium_man.gltf")
    before = open_rig(source)
    vertices = {len(thing.data.vertices) for thing in formats.bound_meshes(before)}
    assert main(["gait", source, "--output", "walk.glb", "--quiet"]) == 0
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=str(here / "walk.glb"))
    assert vertices <= {len(thing.data.vertices) for thing in bpy.data.objects if thing.type == "MESH"}
    assert not any("body" in thing.name for thing in bpy.data.objects)


def test_an_existing_target_is_replaced(here):
    Path("walk.glb").write_bytes(b"old")
    assert main(["gait", HUMAN, "--output", "walk.glb", "--quiet"]) == 0
    assert Path("walk.glb").read_bytes()[:4] == b"glTF"
    assert [path.name for path in Path().iterdir()] == ["walk.glb"]


def test_a_link_and_the_mode_of_its_file_stay(here):
    Path("kept").mkdir()
    kept = Path("kept/walk.json")
    kept.write_bytes(b"old")
    kept.chmod(0o640)
    Path("walk.json").symlink_to(kept)
    assert main(["gait", HUMAN, "--report", "walk.json", "--quiet"]) == 0
    assert Path("walk.json").is_symlink()
    assert nan_free(kept.read_text(encoding="utf-8"))["action"] == "Walk"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640
    assert list(Path("kept").iterdir()) == [kept]


def test_a_scene_made_for_the_rig_plays_the_walk_and_one_s_own_keeps_its_range(here):
    assert main(["gait", HUMAN, "--frames", "10:40", "--output", "walk.blend", "--quiet"]) == 0
    bpy.ops.wm.open_mainfile(filepath=str(here / "walk.blend"))
    scene = bpy.context.scene
    keyed = bpy.data.objects["metarig"].animation_data.action.frame_range
    span = keyed[0], keyed[1]
    assert (scene.frame_start, scene.frame_end) == span
    assert span[0] == 10
    # A .blend file may be written over itself: all that is in it stays.
    assert main(["gait", "walk.blend", "--frames", "1:30", "--output", "walk.blend", "--quiet"]) == 0
    bpy.ops.wm.open_mainfile(filepath=str(here / "walk.blend"))
    scene = bpy.context.scene
    assert (scene.frame_start, scene.frame_end) == span


# ---- where the rig comes from ----


def test_without_a_file_the_loaded_one_is_used(here):
    open_rig(HUMAN)
    bpy.ops.wm.save_as_mainfile(filepath=str(here / "rig.blend"))
    assert main(["gait", "--speed", "1", "--output", "walk.blend", "--quiet"]) == 0
    assert bpy.data.filepath == str(here / "rig.blend")
    assert choose_armature(None, "it").animation_data.action.name == "Walk"


def test_fbx_and_gltf_files_are_opened(here):
    open_rig(HUMAN)
    bpy.ops.export_scene.fbx(filepath=str(here / "rig.fbx"), object_types={"ARMATURE"}, add_leaf_bones=False)
    bpy.ops.export_scene.gltf(filepath=str(here / "rig.gltf"), export_format="GLTF_SEPARATE")
    for name in ("rig.fbx", "rig.gltf"):
        rig = open_rig(name)
        assert rig.type == "ARMATURE"
        assert "thigh.L" in rig.data.bones
        assert len([thing for thing in bpy.data.objects if thing.type == "ARMATURE"]) == 1


@pytest.mark.parametrize("fps", [24.0, 23.976, 60.0])
def test_a_file_is_opened_at_the_frame_rate_asked_for(fps, data_dir):
    rig = open_rig(str(data_dir / "glb/kaykit_Med_MovementBasic.glb"), fps=fps)
    render = bpy.context.scene.render
    assert render.fps / render.fps_base == pytest.approx(fps, abs=1e-4)
    walk = next(action for action in bpy.data.actions if "Walking_A" in action.name)
    assert rig.type == "ARMATURE"
    # The clip lasts 32 / 30 s in the file, whatever the rate it is opened at.
    assert (walk.frame_range[1] - walk.frame_range[0]) / fps == pytest.approx(32 / 30, abs=0.01)


def test_opening_a_file_leaves_add_ons_and_operators_registered(data_dir):
    class AMBLE_OT_probe(bpy.types.Operator):  # noqa: N801 - Blender's naming rule for operators
        bl_idname = "amble.probe"
        bl_label = "Probe"

    bpy.utils.register_class(AMBLE_OT_probe)
    try:
        open_rig(HUMAN)
        open_rig(str(data_dir / "glb/m2m_rig-human.glb"))
        assert hasattr(bpy.types, "AMBLE_OT_probe")
        assert "rigify" in bpy.context.preferences.addons
    finally:
        bpy.utils.unregister_class(AMBLE_OT_probe)


# ---- as a program ----


def program(
    *words: str, stdout: TextIO | int = subprocess.PIPE, stderr: TextIO | int = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    # The folders that amble and its core are imported from; those of bpy come with the interpreter.
    folders = {str(Path(str(amble_core.__file__)).parent), str(PACKAGE.parent)}
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
    command = [sys.executable, "-m", "amble", *words]
    return subprocess.run(
        command, stdout=stdout, stderr=stderr, text=True, timeout=120, env=environment, check=False
    )


def test_the_program_ends_with_its_exit_code(here):
    done = program("gait", HUMAN, "--output", "walk.blend", "--json")
    assert done.returncode == 0
    assert nan_free(done.stdout)["armature"] == "metarig"
    assert math.isclose(nan_free(done.stdout)["report"]["speed_asked"], 1.4)
    refused = program("gait", HUMAN, "--speed", "-1")
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert len(refused.stderr.splitlines()) == 1


@pytest.mark.parametrize("words", [(), ("--verbose",)])
def test_the_work_is_done_quietly_where_nobody_reads_the_output(words, here):
    nobody, ours = os.pipe()
    os.close(nobody)
    with os.fdopen(ours, "w") as deaf:
        done = program("gait", HUMAN, "--output", "walk.blend", "--json", *words, stdout=deaf)
        assert done.returncode == 0
        assert "Traceback" not in done.stderr
        assert "error" not in done.stderr
        assert program("gait", HUMAN, "--output", "again.blend", *words, stderr=deaf).returncode == 0
    assert Path("walk.blend").stat().st_size > 1000
    assert Path("again.blend").stat().st_size > 1000
