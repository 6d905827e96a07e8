"""Roles set by hand: what may be said, what is refused and how, what follows from it."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from amble.errors import BadFile, BadSetting
from amble.rig import Limb, Roles, recognise
from amble.rig.by_hand import as_corrections
from amble.rig.corrections import BY_HAND, NONE, Corrections, dump, load, parse, read
from amble.rig.skeleton import reorder
from amble.rig.table import table
from tests.rig import tables

BIPED = tables.skeleton(tables.biped())
LEFT = {"side": "L", "bones": ["thigh.L", "shin.L", "foot.L", "toe.L"]}
RIGHT = {"side": "R", "bones": ["thigh.R", "shin.R", "foot.R", "toe.R"]}


def given(**roles: Any) -> Roles:
    return recognise(BIPED, corrections=read(roles))


def leg(roles: Roles, side: str) -> Limb:
    return next(limb for limb in roles.legs if limb.side == side)


def bare(roles: Roles) -> Roles:
    """Without reasons: what was found is the same however it was found."""
    limbs: Any = {
        what: tuple(dataclasses.replace(limb, why="", sure=0.0) for limb in getattr(roles, what))
        for what in ("legs", "arms", "wings")
    }
    return dataclasses.replace(roles, why={}, sure={}, **limbs)


# ---- refused ----


@pytest.mark.parametrize(
    ("roles", "told"),
    [
        ([], "as a table of role and bones"),
        ({"hips": "pelvis"}, 'no role "hips": use legs, arms, pelvis'),
        ({"pelvis": 3}, "pelvis must be the name of a bone"),
        ({"pelvis": ["a"]}, "pelvis must be the name of a bone"),
        ({"spine": "spine"}, "spine must be a list of bone names"),
        ({"spine": ["spine", 1]}, "spine must be the name of a bone"),
        ({"spine": ["spine", ""]}, "spine must be the name of a bone"),
        ({"spine": ["spine", "spine"]}, 'spine names "spine" twice'),
        ({"facing": "forward"}, "facing must be an axis"),
        ({"facing": [0, 1]}, "facing must be an axis"),
        ({"facing": [0, 0, 0]}, "facing has no direction"),
        ({"facing": [0, float("nan"), 0]}, "facing must be a finite number"),
        ({"facing": [0, 10**400, 0]}, "facing must be a finite number"),
        ({"up": True}, "up must be an axis"),
        ({"ground": True}, "ground must be a finite number, not True"),
        ({"ground": "0"}, 'ground must be a finite number, not "0"'),
        ({"ground": float("inf")}, "ground must be a finite number"),
        ({"pairs": [["a"]]}, "pairs: write each as"),
        ({"pairs": ["ab"]}, "pairs: write each as"),
        ({"pairs": [["a", "a"]]}, '"a" is named twice'),
        ({"pairs": [["a", "b"], ["c", "b"]]}, '"b" is named twice'),
        ({"legs": LEFT}, "legs must be a list of tables"),
        ({"legs": ["thigh.L"]}, "leg 1 must be a table"),
        ({"legs": [LEFT, {**RIGHT, "knee": "shin.R"}]}, 'leg 2 has no key "knee"'),
        ({"arms": [{**LEFT, "toe": "toe.L"}]}, 'arm 1 has no key "toe"'),
        ({"legs": [{"bones": ["thigh.L"]}]}, "leg 1 has no side"),
        ({"legs": [{"side": "L"}]}, "leg 1 has no bones"),
        ({"legs": [{"side": "L", "bones": []}]}, "leg 1 has no bones"),
        ({"legs": [{**LEFT, "side": "left"}]}, 'leg 1: side must be "L", "R" or "C", not "left"'),
        ({"legs": [{**LEFT, "contact": "heel.L"}]}, 'the contact "heel.L" is none of its bones'),
        ({"legs": [{**LEFT, "toe": "heel.L"}]}, 'the toe "heel.L" is none of its bones'),
        ({"legs": [{**LEFT, "contact_end": "tail"}]}, "contact_end says nothing without contact"),
        ({"legs": [{**LEFT, "contact": "toe.L", "contact_end": "top"}]}, 'must be "head" or "tail"'),
        ({"legs": [{**LEFT, "contact": "foot.L", "contact_end": "tail"}]}, "only the last bone"),
        ({"legs": [LEFT, {**RIGHT, "side": "L"}]}, "2 are on the left side and none on the right"),
        ({"legs": [LEFT, LEFT]}, '"thigh.L" is set twice, as leg 1 (left) and as leg 2 (left)'),
        ({"legs": [LEFT], "head": "toe.L"}, '"toe.L" is set twice, as leg 1 (left) and as head'),
        ({"pelvis": "spine", "spine": ["spine"]}, '"spine" is set twice, as pelvis and as spine'),
        ({"legs": [LEFT, RIGHT], "pairs": [["shin.L", "foot.L"]]}, "limbs of the same side"),
    ],
)
def test_what_is_no_role_is_refused_by_name(roles, told):
    with pytest.raises(BadSetting) as raised:
        read(roles)
    assert told in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("roles", "told"),
    [
        ({"pelvis": "pelvi"}, 'no bone "pelvi" (is "pelvis" meant?), named for pelvis'),
        ({"legs": [{**LEFT, "bones": ["thigh.L", "kneee"]}]}, 'no bone "kneee", named for leg 1 (left)'),
        ({"spine": ["a", "b"], "head": "c"}, 'none of the bones "c", "a", "b", named for head, spine'),
        ({"pairs": [["thigh.L", "thigh_R"]]}, 'no bone "thigh_R" (is "thigh.R" meant?)'),
        (
            {"legs": [{**LEFT, "bones": LEFT["bones"][::-1]}]},
            '"toe.L" hangs under "foot.L", which comes after it',
        ),
        (
            {"legs": [{**LEFT, "side": "R"}, {**RIGHT, "side": "L"}]},
            '"thigh.R" is set as left and "thigh.L" as right, but to a body that faces -y',
        ),
        ({"legs": [LEFT, RIGHT], "facing": "y"}, "but to a body that faces +y they lie the other way round"),
        ({"facing": "z"}, "facing runs along up, which is +z"),
    ],
)
def test_what_does_not_fit_the_rig_is_refused_by_name(roles, told):
    with pytest.raises(BadSetting) as raised:
        recognise(BIPED, corrections=read(roles))
    assert told in str(raised.value)


def test_of_many_missing_bones_some_are_named_and_the_rest_counted():
    with pytest.raises(BadSetting, match=r'"b0", .*"b7" and 3 more, named for spine: correct the names'):
        given(spine=[f"b{k}" for k in range(11)])


# ---- files ----


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("pelvis = ", "is no TOML file: Invalid value (at"),
        ("up = 'z'\nhips = 'a'\n", 'r.toml, line 2: There is no role "hips"'),
        ("up = 'z'\n\nground = 'low'\n", "r.toml, line 3: ground must be a finite number"),
        (
            '[[legs]]\nside = "L"\nbones = ["a"]\n[[legs]]\nbones = ["b"]\nside = "left"\n',
            "r.toml, line 6: leg 2: side",
        ),
        (
            '[[legs]]\nside = "L"\nbones = ["a"]\n\n[[legs]]\nknee = "b"\n',
            'r.toml, line 6: leg 2 has no key "knee"',
        ),
        (
            'head = "a"\n[[legs]]\nside = "L"\nbones = ["a"]\n',
            'r.toml, line 1: "a" is set twice, as leg 1 (left)',
        ),
        ("a=" + "[" * 3000 + "]" * 3000, "r.toml"),
    ],
)
def test_a_bad_file_names_the_line(text, told):
    with pytest.raises(BadFile) as raised:
        parse(text, "r.toml")
    assert told in str(raised.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(BadFile, match="There is no file"):
        load(tmp_path / "none.toml")
    with pytest.raises(BadFile, match="cannot be read"):
        load(tmp_path)
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b'up = "z"\nhead = "\xff"\n')
    with pytest.raises(BadFile, match="line 2: this is no UTF-8 text"):
        load(bad)
    bad.write_bytes(b"#" * 2_000_000)
    with pytest.raises(BadFile, match="too large"):
        load(bad)


def test_line_ends_and_the_mark_of_windows_editors_are_read(tmp_path):
    path = tmp_path / "roles.toml"
    path.write_bytes('\ufeffhead = "頭"\r\nneck = []\r\n'.encode())
    assert load(path) == Corrections(head="頭", neck=())


def test_names_of_any_letters_come_back_from_a_file():
    names = [
        'x"]["y',
        "a\\b",
        "🌍.L",
        "tab\there",
        "\x7f",
        "#no comment",
        "'''",
        "${HOME}",
        "__import__('os')",
    ]
    said = read({"spine": names, "pelvis": "骨盤", "ground": -1e-7, "facing": [1, 2, 3], "legs": []})
    assert parse(dump(said), "file") == said


def test_every_text_comes_back_from_a_file():
    hypothesis = pytest.importorskip("hypothesis")
    strategies = hypothesis.strategies
    name = strategies.text(strategies.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)

    @hypothesis.given(strategies.lists(name, unique=True, min_size=2), strategies.floats(-1e6, 1e6))
    def check(names, ground):
        said = read({"spine": names[1:], "head": names[0], "ground": ground, "pairs": [names[:2]]})
        assert parse(dump(said), "file") == said

    check()


def test_plain_values_come_back():
    said = read({"legs": [{**LEFT, "toe": ""}, RIGHT], "up": "z", "root": "", "pairs": [["a", ""]]})
    assert read(said.plain()) == said
    assert read({}) == NONE


def test_what_a_file_only_mentions_is_not_set():
    text = dump(read({"head": "head"}), read({"head": "x", "tail": [], "facing": "-y"}), ["Title"])
    assert text == '# Title\nhead = "head"\n# tail = []\n# facing = [0.0, -1.0, 0.0]\n'
    assert parse(text, "file") == Corrections(head="head")


# ---- what follows ----


def test_what_recognition_finds_set_by_hand_is_the_same():
    for bones in (tables.biped(), tables.quadruped()):
        skeleton = tables.skeleton(bones)
        found = recognise(skeleton)
        said, _ = as_corrections(found)
        again = recognise(skeleton, corrections=parse(dump(said), "file"))
        assert bare(again) == bare(found)
        assert {limb.why for limb in (*again.legs, *again.arms)} == {BY_HAND}
        assert {again.why[role] for role in ("pelvis", "root", "spine", "neck", "head")} == {BY_HAND}
        assert all(again.sure[role] == 1.0 for role in ("pelvis", "root", "spine", "neck", "head"))


def test_a_role_set_by_hand_changes_only_that_role():
    found, changed = recognise(BIPED), given(head="neck", neck=[])
    assert changed.head == "neck"
    assert changed.neck == ()
    assert changed.why["head"] == BY_HAND
    assert bare(dataclasses.replace(changed, head="head", neck=("neck",))) == bare(found)
    assert changed.why["spine"] == found.why["spine"]


def test_length_contact_and_toe_of_legs_set_by_hand_are_worked_out():
    roles = given(legs=[{"side": s, "bones": [f"thigh.{s}", f"shin.{s}"]} for s in "LR"])
    # Thigh (0, .02, .43) and shin (0, .04, .42), which ends 0.08 above the ground.
    length = np.hypot(0.02, 0.43) + np.hypot(0.04, 0.42)
    for limb in roles.legs:
        assert limb.contact == limb.bones[-1]
        assert limb.contact_end == "tail"
        assert limb.toe is None
        assert limb.length == pytest.approx(length)
    assert leg(roles, "L").contact_point == pytest.approx((0.10, 0.02, 0.08))
    assert roles.leg_length == pytest.approx(length)
    assert roles.kind == "biped"


def test_a_contact_set_by_hand_is_taken_and_the_length_ends_there():
    limbs = [{**limb, "contact": limb["bones"][2], "toe": ""} for limb in (LEFT, RIGHT)]
    roles = given(legs=limbs)
    assert leg(roles, "L").contact == "foot.L"
    assert leg(roles, "L").contact_end == "head"
    assert leg(roles, "L").toe is None
    assert leg(roles, "L").length == pytest.approx(np.hypot(0.02, 0.43) + np.hypot(0.04, 0.42))
    assert recognise(BIPED).legs[0].toe == "toe.L"


def test_the_root_and_the_spine_follow_a_pelvis_set_by_hand():
    roles = given(pelvis="spine")
    assert (roles.root, roles.pelvis, roles.spine) == ("root", "spine", ("chest",))
    roles = given(pelvis="root")
    assert (roles.root, roles.pelvis, roles.spine) == (None, "root", ("pelvis", "spine", "chest"))


def test_there_may_be_none_of_a_role():
    roles = given(root="", head="", neck=[], arms=[])
    assert (roles.root, roles.head, roles.neck, roles.arms) == (None, None, (), ())
    assert len(roles.legs) == 2
    assert given(legs=[]).kind == "none"
    assert "Set legs" in given(legs=[]).missing["legs"]


def test_a_spine_that_begins_with_the_pelvis_leaves_the_pelvis_what_it_is():
    roles = given(spine=["pelvis", "spine"])
    assert (roles.pelvis, roles.spine) == ("pelvis", ("spine",))


def test_a_bone_set_for_one_role_is_found_for_no_other():
    roles = given(tail=["neck"])
    assert roles.tail == ("neck",)
    assert roles.neck == ()


def test_facing_set_by_hand_turns_the_sides():
    roles = given(facing="+y")
    assert roles.facing == (0.0, 1.0, 0.0)
    assert leg(roles, "L").bones[0] == "thigh.R"
    assert ("thigh.R", "thigh.L") in roles.pairs
    assert roles.sure["facing"] == 1.0
    assert given(facing=[0, -2, 0.4]).facing == pytest.approx((0.0, -1.0, 0.0))


def test_legs_may_be_exchanged_where_facing_is_set_as_well():
    roles = given(legs=[{**LEFT, "side": "R"}, {**RIGHT, "side": "L"}], facing="y")
    assert leg(roles, "L").bones[0] == "thigh.R"


def test_up_set_by_hand_is_taken():
    laid = tables.skeleton(
        tables.moved(tables.biped(), np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]))
    )  # y up
    roles = recognise(laid, corrections=read({"up": "y", "facing": "z"}))
    assert (roles.up, roles.facing) == ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    assert leg(roles, "L").length == pytest.approx(recognise(BIPED).leg_length)


def test_ground_set_by_hand_is_taken():
    assert given(ground=-0.25).ground == -0.25


def test_pairs_set_by_hand_pair_and_part():
    names = {"clavicle.L": "wing one", "clavicle.R": "other wing"}
    skeleton = tables.skeleton(tables.renamed(tables.biped(), lambda bone: names.get(bone, bone)))
    roles = recognise(skeleton, corrections=read({"pairs": [["other wing", "wing one"], ["toe.L", ""]]}))
    assert ("wing one", "other wing") in roles.pairs  # left first, whatever the order
    assert not any("toe.L" in pair or "toe.R" in pair for pair in roles.pairs)
    assert roles.why["pairs"] == BY_HAND


def test_legs_without_any_name_or_likeness_walk_by_what_was_set():
    bones = tables.renamed(tables.biped(), lambda bone: f"Bone.{sorted(tables.biped()).index(bone):03d}")
    number = {bone: f"Bone.{k:03d}" for k, bone in enumerate(sorted(tables.biped()))}
    # The right leg is drawn up: nothing mirrors it.
    for bone in ("shin.R", "foot.R", "toe.R"):
        head, tail, parent = bones[number[bone]]
        bones[number[bone]] = ((head[0], head[1] + 0.3, 0.5), (tail[0], tail[1] + 0.3, 0.45), parent)
    legs = [{"side": s, "bones": [number[f"{part}.{s}"] for part in ("thigh", "shin", "foot")]} for s in "LR"]
    roles = recognise(tables.skeleton(bones), corrections=read({"legs": legs, "up": "z", "facing": "-y"}))
    assert [limb.bones for limb in roles.legs] == [tuple(limb["bones"]) for limb in legs]
    assert roles.kind == "biped"


def test_two_legs_of_four_make_a_biped_whose_other_limbs_are_arms():
    skeleton = tables.skeleton(tables.quadruped())
    legs = [{"side": s, "bones": [f"{b}.{s}" for b in ("thigh", "shin", "hock", "paw")]} for s in "LR"]
    roles = recognise(skeleton, corrections=read({"legs": legs}))
    assert roles.kind == "biped"
    assert {limb.pair for limb in roles.legs} == {"hind"}
    assert not {bone for limb in roles.arms for bone in limb.bones} & {
        b for one in legs for b in one["bones"]
    }


def test_a_leg_alone_and_three_legs_are_other_bodies():
    assert given(legs=[LEFT]).kind == "other"
    middle = {"side": "C", "bones": ["neck", "head"]}
    roles = given(legs=[LEFT, RIGHT, middle], head="", neck=[])
    assert roles.kind == "other"
    assert sorted(limb.side for limb in roles.legs) == ["C", "L", "R"]


def test_the_order_of_bones_does_not_matter():
    said = read({"legs": [RIGHT, LEFT], "pelvis": "spine", "pairs": [["hand.L", ""]]})
    wanted = recognise(BIPED, corrections=said)
    for seed in range(5):
        keys = np.random.default_rng(seed).random(len(BIPED.names))
        order = [int(k) for k in np.argsort(keys)]
        placed: list[int] = []
        while len(placed) < len(order):
            placed += [
                k for k in order if k not in placed and (BIPED.parents[k] < 0 or BIPED.parents[k] in placed)
            ]
        assert recognise(reorder(BIPED, np.array(placed)), corrections=said) == wanted


# ---- what is missing ----


def without(*bones: str) -> Roles:
    return recognise(tables.skeleton({b: v for b, v in tables.biped().items() if b not in bones}))


def test_a_missing_leg_names_what_was_looked_at_and_what_to_set():
    roles = without(
        "thigh.R",
        "shin.R",
        "foot.R",
        "toe.R",
        *(f"{b}.{s}" for b in ("clavicle", "upper_arm", "forearm", "hand") for s in "LR"),
    )
    assert '"thigh.L" to "toe.L" (no bone mirrors it)' in roles.missing["legs"]
    assert "Set legs, each with side and bones" in roles.missing["legs"]


def test_one_leg_without_knee_names_the_shin_and_a_pair_of_them_lacks_nothing():
    one = given(legs=[{"side": "L", "bones": ["thigh.L"]}, RIGHT])
    assert '"thigh.L" is all of the left leg' in one.missing["shin"]
    both = without("shin.L", "shin.R", "foot.L", "foot.R", "toe.L", "toe.R")
    assert "shin" not in both.missing
    assert recognise(BIPED).missing == {}


def test_a_missing_pelvis_names_what_the_legs_hang_on():
    roles = given(pelvis="")
    assert 'The legs hang on "pelvis"' in roles.missing["pelvis"]
    assert "Set pelvis" in roles.missing["pelvis"]


# ---- as a table ----


def test_the_table_is_aligned_with_wide_letters_too():
    bones = tables.renamed(
        tables.biped(), lambda bone: {"spine": "上半身", "chest": "上半身2"}.get(bone, bone)
    )
    skeleton = tables.skeleton(bones)
    lines = table(skeleton, recognise(skeleton, corrections=read({"head": "head"}))).splitlines()
    why = lines[0].index("why")
    head = next(line for line in lines if line.startswith("head"))
    spine = next(line for line in lines if line.startswith("spine"))
    assert head[why:] == BY_HAND
    assert head.split()[1:3] == ["100", "%"]
    assert "上半身 › 上半身2" in spine
    assert spine[why - 6 :].startswith("the middle line")  # six letters of two columns each
    assert all(len(line) <= 116 for line in lines)


def test_the_table_lists_sided_bones_without_partner():
    bones = {**tables.biped(), "hat.L": ((0.02, 0, 1.8), (0.05, 0, 1.9), "head")}
    skeleton = tables.skeleton(bones)
    assert "without partner: hat.L" in table(skeleton, recognise(skeleton))
