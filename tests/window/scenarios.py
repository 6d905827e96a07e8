"""What a user does in Blender's window, step by step, and what has to come of it. See screen.py."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import bpy
from tests.data import DATA
from tests.window.screen import Screen, Steps

FIGURE = DATA / "blend" / "quaternius_Male_Casual.blend"
MODULE = "bl_ext.user_default.amble"
# Pixels from the top of the sidebar down to the big button of a gait, with one armature and no report.
BUTTON = 258
# The same to what is folded under a report of two lines.
DETAILS = 171


def start(screen: Screen, count: int = 1) -> Generator[float, None, Any]:
    """A new file with armatures, the first of them active, all selected, to which undo goes back."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True, load_ui=False)
    yield 0.3
    made = [_biped(screen, f"Biped {number + 1}", float(number)) for number in range(count)]
    for rig in made:
        rig.select_set(True)
    bpy.context.view_layer.objects.active = made[0]
    screen.run(bpy.ops.ed.undo_push, message="Set up")
    yield 0.2
    return made[0]


def _biped(screen: Screen, name: str, x: float) -> Any:
    # The tables import the package by its own name.
    sys.modules.setdefault("amble", importlib.import_module(MODULE))
    from tests.rig import tables

    data = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    screen.run(bpy.ops.object.mode_set, mode="EDIT")
    for bone, (head, tail, parent) in tables.biped().items():
        edit = data.edit_bones.new(bone)
        edit.head, edit.tail = head, tail
        edit.parent = None if parent is None else data.edit_bones[parent]
    screen.run(bpy.ops.object.mode_set, mode="OBJECT")
    rig.location.x = x
    return rig


def played(rig: Any = None) -> str:
    """The action that an armature plays, "" for none; by default the active one, which undo replaces."""
    data = (rig or bpy.context.view_layer.objects.active).animation_data
    return data.action.name if data is not None and data.action is not None else ""


def alone() -> None:
    """Take away the panels of others that stand in the same tab in newer Blenders."""
    others = [getattr(bpy.types, name) for name in dir(bpy.types) if not name.startswith("AMBLE")]
    for found in others:
        if getattr(found, "bl_category", "") == "Animation" and issubclass(found, bpy.types.Panel):
            bpy.utils.unregister_class(found)


# ---- scenarios ----


def big_button(screen: Screen) -> Steps:
    """The button walks the armature; undo, redo, undo."""
    yield from start(screen)
    alone()
    yield from screen.tab()
    yield from screen.picture("panel")
    yield from screen.press(BUTTON)
    yield 0.5
    assert played() == "Walk"
    yield from screen.picture("report")
    yield from screen.press(DETAILS)
    yield from screen.picture("details")
    yield from screen.key("Z", ctrl=True)
    assert played() == ""
    yield from screen.key("Z", ctrl=True, shift=True)
    assert played() == "Walk"
    yield from screen.key("Z", ctrl=True)
    assert played() == ""
    assert "Walk" not in bpy.data.actions


def search(screen: Screen) -> Steps:
    """F3 finds all that the menu holds."""
    yield from start(screen)
    yield from screen.tab()
    for text, name in (
        ("generate gait", "Walk"),
        ("generate idle", "Idle"),
        ("mirror action", "Idle_mirrored"),
    ):
        yield from screen.key("F3")
        yield from screen.type_text(text)
        yield from screen.enter()
        yield 1.0
        assert played() == name, (text, played())


def redo_panel(screen: Screen) -> Steps:
    """F9 shows every setting, and what is changed there is made anew in the same step of undo."""
    yield from start(screen)
    yield from screen.tab()
    screen.run(bpy.ops.amble.gait, "INVOKE_DEFAULT", True)
    yield 0.5
    last = bpy.context.window_manager.operators[-1]
    assert last.bl_idname == "AMBLE_OT_gait"
    yield from screen.key("F9")
    yield from screen.picture("redo")
    yield from screen.key("ESC")
    last = bpy.context.window_manager.operators[-1]
    last.properties.speed, last.properties.use_speed = 0.8, True
    screen.run(bpy.ops.ed.undo_redo)
    yield 0.5
    data: Any = bpy.context.object.animation_data
    kept = json.loads(data.action["amble"])["settings"]
    assert abs(kept["speed"] - 0.8) < 1e-6, kept
    assert len(bpy.data.actions) == 1, bpy.data.actions.keys()


def in_pose_mode(screen: Screen) -> Steps:
    """All four in pose mode; mode, selection and frame stay."""
    yield from start(screen)
    screen.run(bpy.ops.object.mode_set, mode="POSE")
    bpy.context.scene.frame_set(5)
    yield from screen.tab()
    scene: Any = bpy.context.scene
    for name, made in (("gait", "Walk"), ("idle", "Idle")):
        assert screen.run(getattr(bpy.ops.amble, name), "INVOKE_DEFAULT", True) == {"FINISHED"}
        yield 0.3
        assert played() == made
    scene.amble.blend.a, scene.amble.blend.b = bpy.data.actions["Walk"], bpy.data.actions["Idle"]
    assert screen.run(bpy.ops.amble.blend, "INVOKE_DEFAULT", True) == {"FINISHED"}
    assert screen.run(bpy.ops.amble.mirror, "INVOKE_DEFAULT", True) == {"FINISHED"}
    yield 0.3
    assert bpy.context.view_layer.objects.active.mode == "POSE"
    assert scene.frame_current == 5
    assert bpy.context.view_layer.objects.active.select_get()


def slope(screen: Screen) -> Steps:
    """From the panel alone: ground is chosen, a hill walked, the report is good."""
    rig = yield from start(screen)
    mesh = bpy.data.meshes.new("Hill")
    mesh.from_pydata([(-5, 5, -0.5), (5, 5, -0.5), (5, -5, 0.5), (-5, -5, 0.5)], [], [(0, 1, 2, 3)])
    hill = bpy.data.objects.new("Hill", mesh)
    bpy.context.scene.collection.objects.link(hill)
    yield from screen.tab()
    settings: Any = bpy.context.scene.amble.gait
    settings.ground_object = hill
    settings.frames = (1, 60)
    assert settings.use_frames
    settings.speed = 1.0
    assert screen.run(bpy.ops.amble.gait, "INVOKE_DEFAULT", True) == {"FINISHED"}
    yield 0.5
    rises = []
    for frame in (1, 60):
        bpy.context.scene.frame_set(frame)
        rises.append((rig.matrix_world @ rig.pose.bones["pelvis"].head).z)
    # A metre a second over 59 frames of 24 a second goes up a tenth of the way.
    assert abs((rises[1] - rises[0]) - 0.1 * 59 / 24) < 0.06, rises
    yield from screen.picture("slope")


def several(screen: Screen) -> Steps:
    """Three armatures, one at a time; Escape leaves out the rest."""
    yield from start(screen, 3)
    yield from screen.tab()
    screen.run(bpy.ops.amble.gait, "INVOKE_DEFAULT", True)
    yield 4.0
    assert [played(bpy.data.objects[f"Biped {k}"]) for k in (1, 2, 3)] == ["Walk", "Walk.001", "Walk.002"]
    yield from screen.key("Z", ctrl=True)
    assert not bpy.data.actions
    screen.run(bpy.ops.amble.idle, "INVOKE_DEFAULT", True)
    yield from screen.key("ESC")
    yield 1.0
    made = sum(bool(played(bpy.data.objects[f"Biped {k}"])) for k in (1, 2, 3))
    assert made < 3, made


def nothing_there(screen: Screen) -> Steps:
    """Without an armature, in edit mode, with the object deleted: the panel says what to do."""
    yield from start(screen)
    yield from screen.tab()
    screen.run(bpy.ops.object.mode_set, mode="EDIT")
    yield from screen.picture("edit_mode")
    assert not screen.run(bpy.ops.amble.gait.poll)
    screen.run(bpy.ops.object.mode_set, mode="OBJECT")
    screen.run(bpy.ops.amble.gait, "INVOKE_DEFAULT", True)
    gone: Any = bpy.context.view_layer.objects.active
    bpy.data.objects.remove(gone)
    yield 0.5
    assert not screen.run(bpy.ops.amble.gait.poll)
    assert not screen.run(bpy.ops.amble.again.poll)
    yield from screen.picture("nothing")


def days_later(screen: Screen) -> Steps:
    """Saved and opened again: the settings are there, and the action is made again under the user's layer."""
    rig = yield from start(screen)
    bpy.context.scene.amble.gait.lean = 0.2
    screen.run(bpy.ops.amble.gait, "INVOKE_DEFAULT", True)
    track = rig.animation_data.nla_tracks.new()
    track.strips.new("Mine", 1, bpy.data.actions.new("Mine"))
    path = str(screen.pictures / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    yield 0.3
    yield from start(screen)
    bpy.ops.wm.open_mainfile(filepath=path, load_ui=False)
    yield 0.5
    yield from screen.tab()
    assert abs(bpy.context.scene.amble.gait.lean - 0.2) < 1e-6
    before = bpy.data.actions["Walk"]["amble"]
    yield from screen.key("F3")
    yield from screen.type_text("make again")
    yield from screen.enter()
    yield 1.0
    assert played() == "Walk"
    assert bpy.data.actions["Walk"]["amble"] == before
    tracks = bpy.context.view_layer.objects.active.animation_data.nla_tracks
    assert [strip.action.name for strip in tracks[0].strips] == ["Mine"]
    Path(path).unlink()


def two_windows(screen: Screen) -> Steps:
    """Drawn in two windows, made in the second."""
    yield from start(screen)
    yield from screen.tab()
    screen.run(bpy.ops.wm.window_new)
    yield 1.0
    second = bpy.context.window_manager.windows[1]
    area = next(area for area in second.screen.areas)
    area.type = "VIEW_3D"
    yield 0.5
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=second, area=area, region=region):
        assert bpy.ops.amble.gait("INVOKE_DEFAULT", True) == {"FINISHED"}
    yield 0.5
    assert played() == "Walk"
    with bpy.context.temp_override(window=second):
        bpy.ops.wm.window_close()
    yield 0.5


def on_and_off(screen: Screen) -> Steps:
    """Ten times off and on by the preferences; nothing of it is left while it is off."""
    yield from start(screen)
    yield from screen.tab()
    for _ in range(10):
        bpy.ops.preferences.addon_disable(module=MODULE)
        yield 0.05
        left = [name for name in dir(bpy.types) if "amble" in name.lower()]
        left += [name for name in dir(bpy.types.Scene) if "amble" in name]
        for name in ("depsgraph_update_post", "undo_post", "redo_post", "load_post"):
            left += [one for one in getattr(bpy.app.handlers, name) if "amble" in one.__module__]
        for name in ("VIEW3D_MT_pose", "VIEW3D_MT_object_animation", "DOPESHEET_MT_key"):
            drawn = getattr(getattr(bpy.types, name).draw, "_draw_funcs", ())
            left += [one for one in drawn if "amble" in one.__module__]
        assert left == [], left
        bpy.ops.preferences.addon_enable(module=MODULE)
        yield 0.05
    yield 0.5
    assert screen.run(bpy.ops.amble.gait, "INVOKE_DEFAULT", True) == {"FINISHED"}


def languages(screen: Screen) -> Steps:
    """The panel in each language that there is a table of."""
    yield from start(screen)
    yield from screen.tab()
    alone()
    view: Any = bpy.context.preferences.view
    for language in ("de_DE", "fr_FR", "ja_JP", "zh_HANS"):
        view.language = language
        view.use_translate_interface = True
        yield 0.5
        translations: Any = bpy.app.translations
        shown = translations.pgettext_iface("Generate Gait", "Operator")
        assert shown != "Generate Gait", language
        screen.area().tag_redraw()
        yield 0.5
        yield from screen.picture(f"panel_{language[:2]}")
    view.language = "en_US"
    yield 0.5


def open_panels(screen: Screen) -> Steps:
    """Pictures of what is folded at first."""
    yield from start(screen)
    alone()
    yield from screen.tab()
    for name in ("roles", "idle", "blend", "mirror"):
        others = [
            getattr(bpy.types, f"AMBLE_PT_{one}") for one in ("roles", "gait", "idle", "blend", "mirror")
        ]
        for panel in others:
            bpy.utils.unregister_class(panel)
        for panel in others:
            panel.bl_options = set() if panel.__name__.endswith(name) else {"DEFAULT_CLOSED"}
            # Blender keeps what is folded by the panel's name.
            panel.bl_idname = f"{panel.__name__}_{name}"
            bpy.utils.register_class(panel)
        yield from screen.tab()
        yield from screen.picture(f"open_{name}")
        for panel in others:
            bpy.utils.unregister_class(panel)
            panel.bl_idname = panel.__name__
            bpy.utils.register_class(panel)


def figure(screen: Screen) -> Steps:
    """The picture of the README: a figure that walks, the panel beside it; none where there is no figure."""
    if not FIGURE.is_file():
        return
    bpy.ops.wm.open_mainfile(filepath=str(FIGURE), load_ui=False)
    yield 0.5
    rig: Any = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    bpy.context.scene.unit_settings.system = "METRIC"
    settings: Any = bpy.context.scene.amble.gait
    settings.speed = 0.8
    alone()
    yield from screen.tab()
    assert screen.run(bpy.ops.amble.gait, "INVOKE_DEFAULT", True) == {"FINISHED"}
    action: Any = rig.animation_data.action
    assert "planted feet" in json.loads(action["amble_report"])["line"]
    bpy.context.scene.frame_set(8)
    screen.run(bpy.ops.view3d.view_selected)
    screen.area().spaces.active.overlay.show_bones = False
    yield 0.8
    yield from screen.picture("figure")


SCENARIOS = (
    big_button, search, redo_panel, in_pose_mode, slope, several, nothing_there, days_later, two_windows,
    languages, open_panels, figure, on_and_off,
)  # fmt: skip
