"""The panels of the sidebar's tab Animation."""

from __future__ import annotations

from typing import Any

import bpy

from .draw import draw_fields, draw_settings
from .features import FEATURES, Feature
from .fields import CONTEXT
from .groups import group_of, make_class
from .memory import feature_of
from .presets import preset_panel
from .rigs import active_rig, chosen_rigs, why_not
from .roles import bones_of
from .seen import seen, sureness
from .told import kept
from .translations import translated as _

TAB = "Animation"
MAIN = "AMBLE_PT_main"
LETTER, MARGINS = 6.4, 76  # pixels of a letter and beside a line, at a scale of 1
SURE = 0.7  # what is surer than this is shown as such
_KINDS = {
    "biped": "Biped",
    "quadruped": "Quadruped",
    "six": "Six Legs",
    "eight": "Eight Legs",
    "other": "Other Body",
    "none": "No Legs",
}
_SINGLE = (
    ("root", "Root"),
    ("pelvis", "Pelvis"),
    ("spine", "Spine"),
    ("neck", "Neck"),
    ("head", "Head"),
    ("tail", "Tail"),
)
_SIDES = {"L": "Left", "R": "Right", "C": "Middle"}


class AMBLE_PT_main(bpy.types.Panel):  # noqa: N801 - Blender's rule for names
    """Which armature is seen, and what the last run came to."""

    bl_idname = MAIN
    bl_label = "Amble"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = TAB

    def draw(self, context: Any) -> None:
        """Draw it."""
        layout: Any = self.layout
        reason = why_not(context)
        if reason:
            lines(layout, _(reason), icon="INFO")
            return
        rig = active_rig(context)
        _draw_rig(layout, rig, len(chosen_rigs(context)))
        action = rig.animation_data.action if rig.animation_data else None
        if action is not None:
            _draw_action(layout, action)


class AMBLE_PT_roles(bpy.types.Panel):  # noqa: N801 - Blender's rule for names
    """What was recognized of the armature, and how to correct it."""

    bl_idname = "AMBLE_PT_roles"
    bl_label = "Roles"
    bl_translation_context = CONTEXT
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = TAB
    bl_parent_id = MAIN
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012 - Blender reads it from the class

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Nothing is shown where nothing can be done."""
        return not why_not(context)

    def draw(self, context: Any) -> None:
        """A row for each role: its bones, how sure, pick, show."""
        layout: Any = self.layout
        found = seen(active_rig(context))
        if isinstance(found, str):
            lines(layout, found, icon="ERROR")
        column = layout.column(align=True)
        for role, label in _roles_of(found):
            _draw_role(column, found, role, label)
        row = layout.row(align=True)
        row.operator("amble.load_roles", text="Load", icon="IMPORT")
        row.operator("amble.save_roles", text="Save", icon="EXPORT")
        row.operator("amble.clear_roles", text="Clear", icon="X")


class _FeaturePanel:
    """What the panels of all features have in common."""

    feature: Feature
    layout: Any
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = TAB
    bl_parent_id = MAIN

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Nothing is shown where nothing can be done."""
        return not why_not(context)

    def draw_header_preset(self, _context: Any) -> None:
        """The presets."""
        preset_panel(self.feature).draw_panel_header(self.layout)

    def draw(self, context: Any) -> None:
        """What matters first, the button, and the rest folded."""
        feature, group = self.feature, group_of(context.scene, self.feature)
        layout = self.layout
        draw_settings(layout, group, feature, folded=True)
        button = layout.column()
        button.scale_y = 1.5
        button.operator(f"amble.{feature.name}", icon=feature.icon)
        for heading, fields in feature.layout()[1:]:
            header, body = layout.panel(f"amble_{feature.name}_{heading}", default_closed=True)
            header.label(text=heading, text_ctxt=CONTEXT)
            if body is not None:
                draw_fields(body, group, fields)


def _draw_rig(layout: Any, rig: Any, count: int) -> None:
    """Which armature, of how many, what it is taken for, and how sure that is."""
    found = seen(rig)
    row = layout.row()
    row.label(text=rig.name, icon="OUTLINER_OB_ARMATURE", translate=False)
    if count > 1:
        row.label(text=_("and {} more").format(count - 1), translate=False)
    if isinstance(found, str):
        lines(layout, found, icon="ERROR")
        return
    if found.missing:
        for sentence in found.missing.values():
            lines(layout, sentence, icon="ERROR")
        return
    sure = sureness(found)
    text = _("{kind}, {sure:.0f} % sure").format(
        kind=_(_KINDS.get(found.kind, "Other Body")), sure=100 * sure
    )
    layout.label(text=text, icon="CHECKMARK" if sure >= SURE else "QUESTION", translate=False)
    for sentence in found.warnings:
        lines(layout, sentence, icon="INFO")


def _draw_action(layout: Any, action: Any) -> None:
    """What is known of the action that is played: the line of its report, its problems, the rest folded."""
    told, made_by = kept(action), feature_of(action)
    if told is None and made_by is None:
        return
    box = layout.box().column()
    head = box.row(align=True)
    head.label(text=action.name, icon="ACTION", translate=False)
    if made_by is not None:
        head.operator("amble.load_settings", text="", icon="IMPORT")
        head.operator(f"amble.{made_by}", text="", icon="FILE_REFRESH").again = action.name
    head.operator("amble.mark_asset", text="", icon="ASSET_MANAGER")
    if told is None:
        return
    if not told["problems"]:
        lines(box, told["line"], icon="CHECKMARK" if told["ok"] else "ERROR")
    for sentence, frame in told["problems"]:
        lines(box, sentence, icon="ERROR")
        if frame is not None:
            row = box.row()
            row.alignment = "RIGHT"
            text = _("Go to Frame {}").format(f"{frame:g}")
            row.operator("amble.go_to_frame", text=text, icon="TIME", translate=False).frame = frame
    header, body = box.panel("amble_details", default_closed=True)
    header.label(text="Details", text_ctxt=CONTEXT)
    if body is not None:
        _draw_details(body, told)


def _draw_details(layout: Any, told: dict[str, Any]) -> None:
    column = layout.column(align=True)
    for name, value, against, ok in told["rows"]:
        row = column.split(factor=0.68)
        row.label(text=name, icon={True: "CHECKMARK", False: "ERROR"}.get(ok, "DOT"))
        row.label(text=value, translate=False)
        if against and ok is False:
            lines(column, against, icon="BLANK1")
    for note in told["notes"]:
        lines(column, note, icon="INFO")


def _roles_of(found: Any) -> list[tuple[str, str]]:
    """(role, label) of every row."""
    rows = list(_SINGLE)
    for what, label in (("legs", "Leg"), ("arms", "Arm")):
        limbs = [] if isinstance(found, str) else getattr(found, what)
        for number, limb in enumerate(limbs):
            pair = f" {limb.pair.title()}" if len(limbs) > 2 and limb.pair else ""
            rows.append((f"{what}/{number}", f"{_SIDES.get(limb.side, '')}{pair} {label}"))
        if not limbs:
            rows += [(f"{what}/0", f"Left {label}"), (f"{what}/1", f"Right {label}")]
    return rows


def _draw_role(layout: Any, found: Any, role: str, label: str) -> None:
    bones = bones_of(found, role)
    what, _slash, number = role.partition("/")
    sure: float | None = None
    if bones:
        limbs = getattr(found, what)
        sure = limbs[int(number)].sure if number else found.sure.get(what)
    row = layout.row(align=True)
    split = row.split(factor=0.34)
    split.label(text=_(label), translate=False)
    text = bones[0] + (f" +{len(bones) - 1}" if len(bones) > 1 else "") if bones else "-"
    icon = "NONE" if sure is None else "CHECKMARK" if sure >= SURE else "QUESTION"
    split.label(text=text, icon=icon, translate=False)
    row.operator("amble.set_role", text="", icon="EYEDROPPER").role = role
    row.operator("amble.select_role", text="", icon="RESTRICT_SELECT_OFF").role = role


def lines(layout: Any, text: str, icon: str) -> None:
    """A sentence over as many lines as it takes in the region, an icon before the first."""
    import textwrap

    column = layout.column(align=True)
    for number, line in enumerate(textwrap.wrap(text, _letters(text))):
        column.label(text=line, icon=icon if number == 0 else "BLANK1", translate=False)


def _letters(text: str) -> int:
    """How many letters a line of the region holds; half as many of scripts with wide ones."""
    import unicodedata

    preferences: Any = bpy.context.preferences
    scale = preferences.system.ui_scale
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text) > 0.3 * len(text)
    region = bpy.context.region
    pixels = (region.width if region is not None else 280) / scale - MARGINS
    return max(int(pixels / (LETTER * (2 if wide else 1))), 12)


def panels() -> list[type]:
    """The classes, parents first."""
    return [AMBLE_PT_main, AMBLE_PT_roles, *(_panel(feature) for feature in FEATURES.values())]


def _panel(feature: Feature) -> type:
    return make_class(
        f"AMBLE_PT_{feature.name}",
        (_FeaturePanel, bpy.types.Panel),
        {
            "__doc__": feature.about,
            "bl_idname": f"AMBLE_PT_{feature.name}",
            "bl_label": feature.label,
            "bl_translation_context": CONTEXT,
            "bl_options": set() if feature.name == "gait" else {"DEFAULT_CLOSED"},
            "feature": feature,
        },
    )
