"""Words, sides, hints and pairs that names alone give."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from amble.rig import naming, words


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("thigh.L", "L"),
        ("DEF-thigh.L.001", "L"),
        ("thigh_r", "R"),
        ("r_toe.L", "L"),
        ("l-thigh", "L"),
        ("mixamorig:LeftUpLeg", "L"),
        ("mixamorig9:RightArm", "R"),
        ("lThighBend", "L"),
        ("rShldrTwist", "R"),
        ("LHipJoint", "L"),
        ("rhand", "R"),
        ("arm left shoulder 1", "L"),
        ("Left.UpperArm", "L"),
        ("CC_Base_L_ThighTwist01", "L"),
        ("ValveBiped.Bip01_R_Calf", "R"),
        ("Bip01 L Finger0", "L"),
        ("J_Bip_R_UpperLeg", "R"),
        ("Character1_LeftForeArm", "L"),
        ("左足首", "L"),
        ("右ひざ", "R"),
        ("足.L", "L"),
        ("왼쪽_허벅지", "L"),
        ("허벅지왼쪽", "L"),
        ("손목오른쪽", "R"),
        ("발왼", "L"),
        ("왼팔", "L"),
        ("오른쪽위팔뼈", "R"),
        ("бедролевое", "L"),
        ("лрука", "L"),
        ("cuisse_gauche", "L"),
        ("Oberarm_rechts", "R"),
        ("muslo_izq", "L"),
        ("rightHandIndex1", "R"),
    ],
)
def test_side_is_read_in_every_convention(name: str, side: str):
    assert naming.side(name) == side


@pytest.mark.parametrize(
    "name",
    ["lower", "root", "rib", "reload", "leaf", "leg", "rear", "pelvis.C", "spine", "rig", "lid", "leftover"]
    + ["лапа", "позвонок", "таз", "오리", "머리"],
)
def test_words_that_begin_like_a_side_are_none(name: str):
    assert naming.side(name) == ""


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("upperleg01.L", "thigh"),
        ("UpLeg_L", "thigh"),
        ("LoLeg_L", "shin"),
        ("lowerarm_l", "forearm"),
        ("LeftForeArm", "forearm"),
        ("左足首", "foot"),
        ("右ひざ", "shin"),
        ("左つま先", "toe"),
        ("上半身2", "trunk"),
        ("Oberschenkel.L", "thigh"),
        ("cuisse.G", "thigh"),
        ("handslot.l", "extra"),
        ("r-LEGCONTROL", "control"),
        ("lMetatarsals", "foot"),
        ("f_index.01.L", "finger"),
        ("ik_foot_l", "control"),
        ("허벅지왼쪽", "thigh"),
        ("넓적다리", "thigh"),
        ("허벅지뼈", "thigh"),
        ("정강이", "shin"),
        ("왼앞발", "foot"),
        ("위팔", "upperarm"),
        ("왼쪽위팔뼈", "upperarm"),
        ("상완_오른쪽", "upperarm"),
        ("아래팔뼈", "forearm"),
        ("손목왼쪽", "hand"),
        ("척추뼈", "spine"),
    ],
)
def test_words_hint_at_body_parts(name: str, part: str):
    assert part in naming.parts(name)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("root_motion", {"root"}),
        ("tail_end", {"tail", "end"}),
        ("bend捩", {"twist"}),
        ("lThighBend", {"thigh"}),
        ("foot_roll", {"foot", "control"}),
        ("effector", {"control"}),
        ("앞머리", {"face"}),
    ],
)
def test_words_hint_at_these_parts_alone(name: str, found: set[str]):
    assert naming.parts(name) == found


def test_every_word_of_the_tables_is_read_as_it_stands():
    for part, table in words.PARTS.items():
        for word in table.split():
            assert naming.parts(word) == {part}, word
    for word in (*words.PLAIN_WORDS, *words.LEFT_WORDS, *words.RIGHT_WORDS):
        assert naming.words(word) == (word,)


def test_french_letters_are_sides_only_beside_their_opposite():
    assert naming.name_pairs(["pied.G", "pied.D", "rang.G"]) == [(0, 1)]


def test_symbols_keep_names_apart():
    names = ["🌍.L", 'a"b.L', "a\\b.L", "🌍.R", 'a"b.R', "a\\b.R"]
    assert sorted(naming.name_pairs(names)) == [(0, 3), (1, 4), (2, 5)]


def test_numbers_are_part_of_the_name():
    names = ["left1", "left2", "right1", "right2", "right0"]
    assert sorted(naming.name_pairs(names)) == [(0, 2), (1, 3)]


@pytest.mark.parametrize("file", ["human", "basic_human", "basic_quadruped", "bird", "cat", "horse", "wolf"])
def test_generated_control_rigs_pair_by_their_rule(data_dir: Path, file: str):
    names = json.loads((data_dir / "json" / f"rigify341_{file}_names.json").read_text(encoding="utf-8"))[
        "generated_parent_of"
    ]
    names = list(names)
    pairs = {(names[i], names[j]) for i, j in naming.name_pairs(names)}
    expected = {(n, _swapped(n)) for n in names if _swapped(n) != n and _swapped(n) in names and _is_left(n)}
    assert pairs == expected
    assert len(pairs) > 50


def _is_left(name: str) -> bool:
    return ".L" in name


def _swapped(name: str) -> str:
    """Rigify's own rule: the token L or R after a dot changes."""
    parts = name.split(".")
    return ".".join({"L": "R", "R": "L"}.get(p, p) for p in parts)
