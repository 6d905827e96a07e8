"""Objects of the scene as one soup of triangles in the world, as they are evaluated at the current frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ..errors import AmbleError, BadSetting

# Types of object that Blender can show as faces.
WITH_FACES = ("MESH", "CURVE", "SURFACE", "FONT", "META")


@dataclass(frozen=True, slots=True)
class Soup:
    """vertices: float64 (n, 3), world; triangles: int32 (m, 3), counterclockwise seen from the front.

    names: of the objects; owner: int32 (m,), which of these a triangle is of; notes: one sentence each, on
    what was left out and why, and on what moves.
    """

    vertices: npt.NDArray[np.float64]
    triangles: npt.NDArray[np.int32]
    names: tuple[str, ...]
    owner: npt.NDArray[np.int32]
    notes: tuple[str, ...]


def read_soup(things: Any, character: Any = None) -> Soup:
    """Triangles of objects and collections, with modifiers and what they instance, at the current frame.

    things: an object, a collection, or several of them. character: an armature object; it, its children and
    the meshes that it deforms are left out, with a note.

    Raises AmbleError naming the object: one without faces, one that is not evaluated, nothing left at all.
    """
    objects: dict[Any, bool] = {}
    for thing, by_name in _objects(things):
        objects[thing] = by_name or objects.get(thing, False)
    notes = []
    wanted = []
    for thing in objects:
        if character is not None and belongs_to(thing, character):
            notes.append(f'"{thing.name}" belongs to "{character.name}" and is left out.')
        else:
            wanted.append(thing)
    if not wanted:
        reason = "all of it belongs to the character" if objects else "nothing was named"
        raise BadSetting(f"There are no faces to use, as {reason}: name objects that have some.")
    if bpy.context.view_layer is None:
        raise BadSetting("There is no view layer in which objects could be evaluated: make one.")
    pieces = _pieces(wanted)
    for thing in wanted:
        if not pieces[thing.name_full]:
            reason = _why_faceless(thing)
            if objects[thing]:
                raise BadSetting(f"{reason}.")
            notes.append(f"{reason.partition(':')[0]} and is left out.")
    wanted = [thing for thing in wanted if pieces[thing.name_full]]
    if not wanted:
        raise BadSetting(f"There are no faces to use: {notes[-1]}")
    scene: Any = bpy.context.scene
    notes += [
        f'"{thing.name}" is animated: it is taken as it stands at frame {scene.frame_current}.'
        for thing in wanted
        if _is_animated(thing)
    ]
    parts = [(number, *piece) for number, thing in enumerate(wanted) for piece in pieces[thing.name_full]]
    starts = np.cumsum([0, *(len(points) for _, points, _ in parts)])
    if starts[-1] > np.iinfo(np.int32).max:
        raise BadSetting(f"These are {starts[-1]} vertices, which is too many: leave some objects out.")
    return Soup(
        np.concatenate([points for _, points, _ in parts]),
        np.concatenate(
            [faces + start for start, (_, _, faces) in zip(starts.astype(np.int32), parts, strict=False)]
        ),
        tuple(thing.name for thing in wanted),
        np.repeat([number for number, _, _ in parts], [len(faces) for _, _, faces in parts]).astype(np.int32),
        tuple(notes),
    )


def named_thing(name: str, setting: str, *, collections: bool = True) -> Any:
    """The object of that name, or the collection. setting: what names it. Raises BadSetting."""
    data: Any = bpy.data
    found = data.objects.get(name) or (data.collections.get(name) if collections else None)
    if found is None:
        kind = "object or collection" if collections else "object"
        raise BadSetting(f'{setting} names "{name}", which is no {kind} in the file: give the name of one.')
    return found


def belongs_to(thing: Any, character: Any) -> bool:
    """Whether an object is the armature, hangs from it, or is deformed by it."""
    above = thing
    while above is not None:
        if above == character:
            return True
        above = above.parent
    return any(m.type == "ARMATURE" and m.object == character for m in thing.modifiers)


def _is_animated(thing: Any) -> bool:
    """Whether the object, what it hangs from, or its shape has animation of its own."""
    owners = [thing.data, getattr(thing.data, "shape_keys", None)]
    while thing is not None:
        owners.append(thing)
        thing = thing.parent
    data = [
        owner.animation_data for owner in owners if owner is not None and hasattr(owner, "animation_data")
    ]
    return any(d is not None and (d.action or len(d.drivers) or len(d.nla_tracks)) for d in data)


def _objects(things: Any) -> Iterator[tuple[Any, bool]]:
    """The objects named, and whether by themselves or as part of a collection."""
    one = isinstance(things, (str, bpy.types.ID)) or not isinstance(things, Iterable)
    for thing in [things] if one else things:
        if isinstance(thing, bpy.types.Collection):
            # What never has faces, as lights, may lie in a collection without being meant.
            yield from ((o, False) for o in thing.all_objects if o.type in WITH_FACES or o.is_instancer)
        elif isinstance(thing, bpy.types.Object):
            yield thing, True
        else:
            raise BadSetting(f"{thing!r} is neither an object nor a collection: name some that have faces.")


Piece = tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]


def _pieces(wanted: list[Any]) -> dict[str, list[Piece]]:
    """Vertices in the world and triangles of each object and what it instances, by its full name."""
    depsgraph: Any = bpy.context.evaluated_depsgraph_get()
    pieces: dict[str, list[Piece]] = {thing.name_full: [] for thing in wanted}
    read: dict[int, Piece | None] = {}
    for instance in depsgraph.object_instances:
        owner = instance.parent if instance.is_instance else instance.object
        name = owner.original.name_full
        if name not in pieces or instance.object.type not in WITH_FACES:
            continue
        # The same data are read once, however often they are instanced.
        key = instance.object.data.as_pointer() if instance.object.data is not None else 0
        if key not in read:
            read[key] = _read(instance.object)
        local = read[key]
        if local is not None:
            pieces[name].append(_in_world(*local, np.array(instance.matrix_world, dtype=np.float64), name))
    return pieces


def _read(evaluated: Any) -> Piece | None:
    """Vertices and triangles of an evaluated object in its own space; None where it has no faces."""
    mesh = evaluated.to_mesh()
    try:
        if mesh is None:
            return None
        mesh.calc_loop_triangles()
        points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        faces = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
        if not len(faces):
            return None
        mesh.vertices.foreach_get("co", points)
        mesh.loop_triangles.foreach_get("vertices", faces)
    finally:
        evaluated.to_mesh_clear()
    return points.reshape(-1, 3).astype(np.float64), faces.reshape(-1, 3)


def _in_world(
    points: npt.NDArray[np.float64],
    faces: npt.NDArray[np.int32],
    matrix: npt.NDArray[np.float64],
    name: str,
) -> Piece:
    placed = points @ matrix[:3, :3].T + matrix[:3, 3]
    if not np.isfinite(placed).all():
        raise AmbleError(f'"{name}" has vertices that are not finite numbers: mend its mesh and transforms.')
    # A mirrored object shows the backs of its triangles unless their corners go round the other way.
    mirrored = np.linalg.det(matrix[:3, :3]) < 0.0
    return placed, faces[:, ::-1] if mirrored else faces


def _why_faceless(thing: Any) -> str:
    """Why nothing was read of an object, and, after a colon, what to do."""
    name = f'"{thing.name}"'
    if thing.type not in WITH_FACES and not thing.is_instancer:
        kind = thing.bl_rna.properties["type"].enum_items[thing.type].name.lower()
        return f"{name} is of type {kind}, which has no faces: name meshes, curves, texts or surfaces"
    if not thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).is_evaluated:
        return (
            f"{name} is not evaluated in this view layer: link it to the scene and neither exclude its "
            "collection nor disable it in viewports"
        )
    if not thing.visible_get():
        return f"{name} is hidden: show it, with the eye in the outliner"
    if thing.type == "META":
        return f"{name} has no faces of its own, or is part of another ball's surface: name that one"
    scene: Any = bpy.context.scene
    return f"{name} has no faces at frame {scene.frame_current}: give it some, or leave it out"
