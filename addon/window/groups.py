"""What the panel is set to: a group of properties a feature, kept in the scene and saved with it."""

from __future__ import annotations

from typing import Any

import bpy

from .features import FEATURES, Feature
from .fields import properties_of

PROPERTY = "amble"
props: Any = bpy.props
make_class: Any = type


def groups() -> list[type]:
    """The classes, in the order in which they have to be registered."""
    made = {feature.name: _group(feature) for feature in FEATURES.values()}
    together = make_class(
        "AmbleProperties",
        (bpy.types.PropertyGroup,),
        {
            "__doc__": "All that the panel is set to.",
            "__annotations__": {name: props.PointerProperty(type=group) for name, group in made.items()},
        },
    )
    return [*made.values(), together]


def group_of(scene: Any, feature: Feature) -> Any:
    """The group of a feature in a scene."""
    return getattr(getattr(scene, PROPERTY), feature.name)


def _group(feature: Feature) -> type:
    return make_class(
        f"Amble{feature.name.title()}Properties",
        (bpy.types.PropertyGroup,),
        {
            "__doc__": f"What the panel {feature.label} is set to.",
            "__annotations__": properties_of(feature.fields(), pointers=True),
            "reset": _reset,
        },
    )


def _reset(group: Any) -> None:
    """Set everything back; presets begin so."""
    for prop in group.bl_rna.properties:
        if prop.identifier not in ("rna_type", "name") or prop.identifier in group:
            group.property_unset(prop.identifier)
