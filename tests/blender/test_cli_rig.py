"""`amble rig`, and --roles: what is printed, drawn and saved, how it fails."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import bpy
import numpy as np
import pytest
from amble import picture
from amble.action import slots
from amble.cli import main
from amble.files import open_rig
from amble.picture.coloured import INK, entries_of, limb_ink, parts_of
from amble.picture.inks import INKS
from amble.picture.rig import shortened
from amble.rig import read_skeleton, roles
from tests.blender import rigs

HUMAN = "rigify:human"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """An empty folder that the program runs in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def small(monkeypatch):
    """Pictures that take a second."""
    monkeypatch.setattr(picture, "rig_picture", functools.partial(picture.rig_picture, width=420))


def fails(capfd, *words: str) -> str:
    """Run a command line that must be refused; its one line on standard error."""
    before = sorted(Path().iterdir())
    capfd.readouterr()
    assert main([*words]) == 2
    out, err = capfd.readouterr()
    lines = [line for line in err.splitlines() if not line.startswith("amble:  ")]
    assert (out, len(lines)) == ("", 1)
    assert lines[0].startswith("amble: error: ")
    assert sorted(Path().iterdir()) == before
    return lines[0]


def biped_file() -> str:
    """A plain biped, saved."""
    rigs.clear()
    rigs.biped()
    bpy.ops.wm.save_as_mainfile(filepath=str(Path("biped.blend").resolve()))
    return "biped.blend"


# ---- the table ----


def test_the_table_has_a_line_for_each_role_in_columns(capfd):
    source = biped_file()
    capfd.readouterr()
    assert main(["rig", source]) == 0
    out, err = capfd.readouterr()
    lines = out.splitlines()
    assert lines[0] == '"biped": biped, 22 bones, faces -y, legs 1 long'
    sure, bones, why = (lines[2].index(word) for word in ("sure", "bones", "why"))
    rows = {line[:sure].strip(): line for line in lines[4:]}
    assert rows["pelvis"][bones:why].strip() == "pelvis"
    assert rows["spine"][bones:why].strip() == "spine › chest"
    assert rows["left leg"][bones:why].strip() == "thigh.L › shin.L › foot.L › toe.L"
    assert rows["right arm"][bones:why].strip() == "upper_arm.R › forearm.R › hand.R"
    assert rows["tail"][bones:].strip() == "–"
    assert rows["left leg"][sure:bones].strip() == "95 %"
    assert rows["left leg"][why:].startswith("paired, reaches the ground")
    assert "Missing" not in out
    assert "reading biped.blend" in err


def test_json_holds_all_that_is_known(capfd, data_dir):
    assert main(["rig", str(data_dir / "blend/quaternius_Cat.blend"), "--json", "--quiet"]) == 0
    told = json.loads(capfd.readouterr().out, parse_constant=lambda word: pytest.fail(word))
    assert (told["armature"], told["kind"], told["facing"]) == ("CatArmature", "quadruped", [1.0, 0.0, 0.0])
    assert [leg["side"] + leg["pair"] for leg in told["legs"]] == ["Lfore", "Rfore", "Lhind", "Rhind"]
    assert told["legs"][0]["bones"] == ["Bone.017", "Bone.018", "Bone.019"]
    assert ["Bone.008", "Bone.011"] in told["pairs"]
    assert told["missing"] == {}
    assert told["unpaired"] == []


def test_what_is_missing_is_said_and_strict_makes_it_an_exit_code(capfd, data_dir):
    snake = str(data_dir / "glb/m2m_rig-snake.glb")
    assert main(["rig", snake]) == 0
    out = capfd.readouterr().out
    assert '"Armature": no legs, 28 bones' in out
    assert "Missing:\n  No legs were found. Looked at" in out
    assert main(["rig", snake, "--strict", "--quiet"]) == 1
    assert main(["rig", biped_file(), "--strict", "--quiet"]) == 0


def test_help_names_every_option(capfd):
    assert main(["rig", "--help"]) == 0
    out = capfd.readouterr().out
    for option in ("--armature", "--roles", "--save-roles", "--picture", "--json", "--output", "--strict"):
        assert option in out
    assert main(["gait", "--help"]) == 0
    assert "--roles PATH" in capfd.readouterr().out


def test_roles_are_saved_as_toml_and_the_file_that_is_read_stays(capfd):
    source = biped_file()
    assert "--save-roles biped.blend must end in .toml" in fails(capfd, "rig", source, "--save-roles", source)
    Path("biped.png").symlink_to(source)
    assert "the file that is read" in fails(capfd, "rig", source, "--picture", "biped.png")


# ---- roles in files ----


def test_saved_roles_corrected_in_an_editor_are_used(capfd):
    source = biped_file()
    assert main(["rig", source, "--save-roles", "roles.toml", "--quiet"]) == 0
    text = Path("roles.toml").read_text(encoding="utf-8")
    assert 'pelvis = "pelvis"' in text
    assert "# facing = [0.0, -1.0, 0.0]" in text
    text = text.replace('pelvis = "pelvis"', 'pelvis = "spine"').replace('["spine", "chest"]', '["chest"]')
    Path("roles.toml").write_text(text.replace("# ground = 0.0", "ground = -0.5"), encoding="utf-8")
    capfd.readouterr()
    assert main(["rig", source, "--roles", "roles.toml", "--json", "--quiet"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert (told["pelvis"], told["spine"], told["ground"]) == ("spine", ["chest"], -0.5)
    assert told["why"]["pelvis"] == "set by hand"
    assert told["sure"]["pelvis"] == 1.0
    by_hand = Path("roles.toml").read_bytes()
    both = ("--roles", "roles.toml", "--save-roles", "./roles.toml")
    assert "would replace the file of --roles" in fails(capfd, "rig", source, *both)
    assert Path("roles.toml").read_bytes() == by_hand


def test_output_keeps_the_roles_with_the_rig():
    Path("roles.toml").write_text('head = "neck"\nneck = []\n', encoding="utf-8")
    assert main(["rig", biped_file(), "--roles", "roles.toml", "--output", "out.blend", "--quiet"]) == 0
    rig = open_rig("out.blend")
    assert roles(rig).head == "neck"
    # A file of roles stands in place of what was kept.
    Path("roles.toml").write_text("ground = 1.0\n", encoding="utf-8")
    assert main(["rig", "out.blend", "--roles", "roles.toml", "--output", "out.blend", "--quiet"]) == 0
    found = roles(open_rig("out.blend"))
    assert (found.head, found.ground) == ("head", 1.0)


def test_gait_honours_a_file_of_roles_and_keeps_it_with_the_rig():
    Path("roles.toml").write_text('pelvis = "root"\n', encoding="utf-8")
    words = ["gait", biped_file(), "--roles", "roles.toml", "--output", "walk.blend", "--quiet"]
    assert main(words) == 0
    rig = open_rig("walk.blend")
    assert roles(rig).pelvis == "root"
    moved = {curve.data_path for curve in slots.find_curves(rig) if curve.data_path.endswith("location")}
    assert moved == {'pose.bones["root"].location'}


@pytest.mark.parametrize("command", ["rig", "gait"])
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "There is no file roles.toml"),
        ("pelvis =", "roles.toml is no TOML"),
        ('\nhips = "a"', 'roles.toml, line 2: There is no role "hips"'),
        ('pelvis = "pelvi"', 'no bone "pelvi" (is "pelvis" meant?)'),
        ('[[legs]]\nside = "L"\nbones = ["thigh.R"]', None),
    ],
)
def test_a_bad_file_of_roles_is_one_line(command, text, told, capfd):
    source = biped_file()
    if text is not None:
        Path("roles.toml").write_text(text, encoding="utf-8")
    if told is None:  # one leg alone is no contradiction, but no body that walks
        assert main(["rig", source, "--roles", "roles.toml", "--quiet"]) == 0
        return
    assert told in fails(capfd, command, source, "--roles", "roles.toml")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "no FILE is given"),
        (["none.glb"], "There is no file none.glb"),
        ([HUMAN, "--picture", "x.jpg"], "must end in .png"),
        ([HUMAN, "--picture", "no/x.png"], "make it first"),
        ([HUMAN, "--save-roles", "no/x.toml"], "make it first"),
        ([HUMAN, "--output", "x.glb"], "must end in .blend"),
        ([HUMAN, "--speed", "1"], "unrecognized arguments: --speed"),
        ([HUMAN, "--armature", "Bob"], 'There is no armature "Bob"'),
    ],
)
def test_bad_usage_is_one_line(words, told, capfd):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert told in fails(capfd, "rig", *words)


# ---- the picture ----


def pixels(path: str) -> np.ndarray:
    image = bpy.data.images.load(str(Path(path).resolve()))
    values = np.empty(image.size[0] * image.size[1] * 4, dtype=np.float32)
    image.pixels.foreach_get(values)
    bpy.data.images.remove(image)
    return values.reshape(-1, 4)[:, :3]


def shows(seen: np.ndarray, ink: tuple[float, float, float]) -> bool:
    """Whether a picture holds some of an ink's hue, lit or in the shade (inks are linear, pixels sRGB)."""
    wanted = np.array(ink) ** (1 / 2.2)
    light = seen.max(axis=1, keepdims=True)
    likeness = np.abs(seen / np.maximum(light, 1e-3) - wanted / wanted.max()).max(axis=1)
    return int(((likeness < 0.12) & (light[:, 0] > 0.25)).sum()) > 12


def test_the_picture_holds_every_role_s_colour_and_leaves_the_scene_alone(small, data_dir):
    source = str(data_dir / "blend/quaternius_Cat.blend")
    assert main(["rig", source, "--picture", "cat.png", "--quiet"]) == 0
    assert [path.name for path in Path().iterdir()] == ["cat.png"]
    seen = pixels("cat.png")
    for role in ("pelvis", "spine", "head", "tail", "left leg", "right leg"):
        assert shows(seen, INK[role]), role
    assert len(bpy.data.scenes) == 1
    assert not [mesh.name for mesh in bpy.data.meshes if mesh.name.startswith("amble")]


def test_a_rig_without_legs_or_mesh_has_a_picture_too(small, data_dir):
    assert main(["rig", str(data_dir / "glb/m2m_rig-snake.glb"), "--picture", "snake.png", "--quiet"]) == 0
    assert shows(pixels("snake.png"), INK["tail"])


def test_each_leg_is_drawn_in_its_side_s_colour_down_to_its_contact():
    rig = rigs.biped()
    found, skeleton = roles(rig), read_skeleton(rig)
    parts = parts_of(skeleton, found)
    for limb, ink in zip(found.legs, (INKS[1], INKS[2]), strict=True):
        assert limb_ink(found, limb, "leg") == ink
        mine = [part for part in parts if part.ink == ink]
        assert len(mine) == 4
        np.testing.assert_allclose(mine[0].start, skeleton.heads[skeleton.index(limb.bones[0])])
        np.testing.assert_allclose(mine[2].end, limb.contact_point, atol=1e-6)


def test_the_legend_names_every_role_and_what_is_missing(data_dir):
    found = roles(rigs.biped())
    named = {entry.name: entry.bones for entry in entries_of(found)}
    assert named["left leg"] == ("thigh.L", "shin.L", "foot.L", "toe.L")
    assert set(named) == {
        "head", "neck", "spine", "pelvis", "root", "left arm", "right arm", "left leg", "right leg"
    }  # fmt: skip
    snake = roles(open_rig(str(data_dir / "glb/m2m_rig-snake.glb")))
    assert [entry.name for entry in entries_of(snake) if entry.ink is None] == ["legs"]


def test_long_lists_of_bones_end_with_their_last():
    assert shortened(["a", "b"]) == ["a › b"]
    lines = shortened([f"tail bone {k}" for k in range(30)])
    assert len(lines) == 3
    assert lines[0].startswith("tail bone 0 › tail bone 1 ›")
    assert lines[2] == "  … tail bone 29"
    assert max(len(line) for line in lines) <= 54
