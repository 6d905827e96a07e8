"""Results as assets: an action with tags, a catalog, an author and a preview, for the Asset Browser."""

import uuid
from pathlib import Path
from typing import Any

import bpy

from .memory import feature_of
from .rigs import active_rig, why_not
from .translations import translated

CATALOGS = "blender_assets.cats.txt"
_HEAD = """# This is an Asset Catalog Definition file for Blender.
VERSION 1

"""
# Pixels of a preview's side, and of half a bone's width in it.
SIDE, WIDTH = 128, 1.6


class AMBLE_OT_mark_asset(bpy.types.Operator):  # noqa: N801 - Blender's rule for names
    """Mark the action that is played as an asset, with tags, catalog and a preview."""

    bl_idname = "amble.mark_asset"
    bl_label = "Mark as Asset"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012 - Blender reads it from the class
    catalog: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Catalog", description="Catalog of the file's folder, made where there is none", default="Amble"
    )
    author: bpy.props.StringProperty(name="Author", description="Who made it")  # type: ignore[valid-type]

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Whether the armature plays an action of this file."""
        reason = why_not(context)
        if not reason:
            data = active_rig(context).animation_data
            if data is None or data.action is None or data.action.library is not None:
                reason = "Let the armature play an action of this file."
        if reason:
            cls.poll_message_set(translated(reason).rstrip(".。"))
        return not reason

    def execute(self, context: Any) -> Any:
        """Mark it."""
        rig = active_rig(context)
        action = rig.animation_data.action
        action.asset_mark()
        asset = action.asset_data
        for tag in ("Amble", feature_of(action)):
            if tag:
                asset.tags.new(tag.title(), skip_if_exists=True)
        asset.description = asset.description or f'"{action.name}" of {rig.name}'
        if self.author:
            asset.author = self.author
        said = self._put_into_catalog(asset)
        draw_preview(action, rig)
        if said:
            self.report({"WARNING"}, said)
        return {"FINISHED"}

    def _put_into_catalog(self, asset: Any) -> str:
        """Set the catalog; a sentence where it is not kept."""
        name = self.catalog.strip().strip("/")
        if not name:
            return ""
        if not bpy.data.filepath:
            return "Save the file first, and mark the action again: catalogs are kept beside the file."
        try:
            asset.catalog_id = catalog_id(_library() / CATALOGS, name)
        except OSError as error:
            return f"The catalog was not kept: {error.strerror}."
        return ""


def catalog_id(path: Path, name: str) -> str:
    """The identifier of a catalog in a file of catalogs; one that is not there is added. Raises OSError."""
    text = path.read_text(encoding="utf-8") if path.is_file() else _HEAD
    for line in text.splitlines():
        identifier, _colon, rest = line.partition(":")
        if rest.partition(":")[0] == name and not line.startswith("#"):
            return identifier
    made = str(uuid.uuid4())
    end = "" if text.endswith("\n") else "\n"
    path.write_text(f"{text}{end}{made}:{name}:{name.replace('/', '-')}\n", encoding="utf-8")
    return made


def draw_preview(action: Any, rig: Any) -> None:
    """A picture of the pose that is shown, bones as lines, seen from the character's left and front."""
    import numpy as np

    deform = [bone for bone in rig.pose.bones if bone.bone.use_deform] or list(rig.pose.bones)
    world = np.array(rig.matrix_world)
    ends = np.array([(*bone.head, *bone.tail) for bone in deform], dtype=np.float64).reshape(-1, 2, 3)
    ends = ends @ world[:3, :3].T
    # Right and up of the picture, for a body that faces -Y.
    across = np.array([0.7, -0.7, 0.0])
    points = np.stack([ends @ across, ends[..., 2]], axis=-1)
    low, high = points.min(axis=(0, 1)), points.max(axis=(0, 1))
    scale = 0.86 * SIDE / max(float((high - low).max()), 1e-9)
    points = (points - 0.5 * (low + high)) * scale + 0.5 * SIDE
    y, x = np.mgrid[0:SIDE, 0:SIDE].astype(np.float64)
    nearest = np.full((SIDE, SIDE), np.inf)
    for start, end in points:
        along = end - start
        length = max(float(along @ along), 1e-12)
        share = np.clip(((x - start[0]) * along[0] + (y - start[1]) * along[1]) / length, 0.0, 1.0)
        gap = np.hypot(x - start[0] - share * along[0], y - start[1] - share * along[1])
        nearest = np.minimum(nearest, gap)
    ink = np.clip(WIDTH + 0.5 - nearest, 0.0, 1.0)
    pixels = np.empty((SIDE, SIDE, 4), dtype=np.float32)
    pixels[..., :3] = (0.95, 0.62, 0.25)
    pixels[..., 3] = ink
    preview = action.preview_ensure()
    preview.image_size = (SIDE, SIDE)
    preview.image_pixels_float.foreach_set(pixels.ravel())


def _library() -> Path:
    """The asset library that the file lies in, else its own folder."""
    own = Path(bpy.data.filepath).resolve()
    preferences: Any = bpy.context.preferences
    for library in preferences.filepaths.asset_libraries:
        root = Path(library.path).resolve() if library.path else None
        if root is not None and root in own.parents:
            return root
    return own.parent
