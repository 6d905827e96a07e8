"""The operators behind the buttons: one a feature, from the same settings as everything else."""

from __future__ import annotations

from typing import Any

import bpy

from .features import FEATURES, Feature
from .fields import properties_of
from .groups import group_of, make_class
from .rigs import chosen_rigs, why_not


class _Maker:
    """What the operators of all features have in common."""

    feature: Feature
    properties: Any
    report: Any
    bl_options = {"REGISTER", "UNDO", "PRESET"}  # noqa: RUF012 - Blender reads it from the class

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Whether there is an armature to work on; else Blender shows why not."""
        reason = why_not(context)
        if reason:
            cls.poll_message_set(reason.rstrip("."))  # type: ignore[attr-defined]
        return not reason

    def invoke(self, context: Any, _event: Any) -> set[str]:
        """From a button, a menu or the search: what the panel is set to."""
        group = group_of(context.scene, self.feature)
        for field in self.feature.fields():
            field.write(self, field.read(group))
        return self.execute(context)

    def execute(self, context: Any) -> set[str]:
        """Make the action for every armature that is chosen."""
        from ..errors import AmbleError
        from .told import keep, tell

        made, failed = 0, ""
        for rig in chosen_rigs(context):
            try:
                more = {field.name: field.read(self) for field in self.feature.more_fields()}
                settings = self.feature.settings(
                    **{field.name: field.read(self) for field in self.feature.own_fields()}
                )
                result = self.feature.call(rig, settings, more)
            except AmbleError as error:
                failed = failed or " ".join(str(error).split())
                continue
            except Exception as error:
                import traceback

                traceback.print_exc()
                failed = failed or (
                    f"Amble went wrong ({type(error).__name__}: {error}): please report it, with the lines "
                    "that Blender printed in its console."
                )
                continue
            keep(result, self.feature.name)
            tell(self, result)
            made += 1
        if failed:
            self.report({"WARNING" if made else "ERROR"}, failed)
        return {"FINISHED"} if made else {"CANCELLED"}

    def draw(self, _context: Any) -> None:
        """In the redo panel: the settings as in the panel."""
        from .draw import draw_settings

        draw_settings(self.layout, self, self.feature, folded=False)  # type: ignore[attr-defined]


def operators() -> list[type]:
    """The classes."""
    return [_operator(feature) for feature in FEATURES.values()]


def _operator(feature: Feature) -> type:
    return make_class(
        f"AMBLE_OT_{feature.name}",
        (_Maker, bpy.types.Operator),
        {
            "__doc__": feature.about,
            "__annotations__": properties_of(feature.fields(), pointers=False),
            "bl_idname": f"amble.{feature.name}",
            "bl_label": feature.button,
            "bl_description": feature.about,
            "feature": feature,
        },
    )
