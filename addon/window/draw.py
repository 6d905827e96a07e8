"""Drawing of settings, in the panel and in the redo panel."""

from __future__ import annotations

from typing import Any

from .features import Feature
from .fields import CONTEXT, Field


def draw_settings(layout: Any, holder: Any, feature: Feature, *, folded: bool) -> None:
    """The settings of a feature. folded: only those that come first, else every one by section."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    sections = feature.layout()
    draw_fields(layout, holder, sections[0][1])
    for heading, fields in sections[1:] if not folded else ():
        header, body = layout.panel(f"amble_redo_{feature.name}_{heading}", default_closed=True)
        header.label(text=heading, text_ctxt=CONTEXT)
        if body is not None:
            draw_fields(body, holder, fields)


def draw_fields(layout: Any, holder: Any, fields: tuple[Field, ...]) -> None:
    """A row for each setting."""
    column = layout.column()
    for field in fields:
        draw_field(column, holder, field)


def draw_field(layout: Any, holder: Any, field: Field) -> None:
    """The row of a setting; one that is switched off is grey, and can be set all the same."""
    if field.pointers and hasattr(holder, field.pointers[0][0]) and not field.switch:
        for number, (name, _kind) in enumerate(field.pointers):
            layout.prop(holder, name, text=" " if number else field.label, text_ctxt=CONTEXT)
        return
    if not field.switch:
        layout.prop(holder, field.name)
        return
    on = bool(getattr(holder, field.switch))
    row = layout.row(heading=field.label, heading_ctxt=CONTEXT)
    row.prop(holder, field.switch, text="")
    values = row.row(align=True)
    values.active = on
    values.prop(holder, field.name, text="")
