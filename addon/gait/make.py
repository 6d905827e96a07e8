"""The call: from an armature object to the action that walks it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import action as actions
from .. import core, options
from ..action.memory import Memory, restore
from ..errors import BadSetting
from ..kept import pose_kept_on_error
from ..reading import check_usable, read, standing
from ..report.contacts import Contact
from ..report.sampling import scene_fps
from ..rig import Roles, Skeleton, naming
from ..rig.controls import Controls, is_plain
from ..rig.influences import influences
from ..rig.parts import body_parts, is_stiff, need_knees
from ..rig.roles import separate
from ..rig.search import find_controls
from ..rig.search_legged import find_legged_controls
from ..rig.stance import Turns, on_stance
from ..scene import as_ground, named_thing
from .events import event_curves, markers, numbers
from .legged_body import legged_parts, legs_of
from .paws import is_legged, on_paws
from .plan_legged import plan_legged
from .plan_orbits import plan_orbits, settled, unused
from .plan_straight import plan_straight
from .plan_way import Elsewhere, plan_way
from .reduce import on_other_rest
from .settings import PACES, USUAL_SPEED, GaitSettings, with_cycle
from .styles import name_of, styled
from .timing import Timing
from .trail import MISSED
from .values import usual_speed
from .walk import Walk, travels, with_rest
from .way import Path, animated_path, curve_line

if TYPE_CHECKING:
    from ..report import Report

# A pose channel this little off its rest, as curves and files leave them, is at rest (of a bone's length).
STRAY = 1e-4


@dataclass(frozen=True, slots=True)
class Result:
    """What a call made.

    action: the new action; report: measured on it (None where it was not asked for); roles: what was
    recognised; contacts: every stance; notes: one sentence each, on what is not as asked for; frames: the
    first and last; figures: of the plan, by name; gait: "walk" or "run"; loop: whether the last pose
    closes on the first.
    """

    action: Any
    report: Report | None
    roles: Roles = field(repr=False)
    contacts: tuple[Contact, ...]
    notes: tuple[str, ...]
    frames: tuple[float, float]
    figures: dict[str, float]
    gait: str
    loop: bool


def gait(
    armature_object: Any,
    settings: GaitSettings | None = None,
    *,
    name: str | None = None,
    overwrite: bool = False,
    report: bool = True,
    path: Any = None,
    ground: Any = None,
    **changes: Any,
) -> Result:
    """Make an action in which the armature walks or runs, and let the object play it.

    settings, changes: fields of GaitSettings, the latter by keyword: gait(rig, speed=1.2, frames=(1, 48)).
    name: of the action, None: Walk, Run or that of the style; a number is added where it is taken, or
    with `overwrite` the old one is replaced.
    report: measure the result on the evaluated armature (Result.report).
    path: an object or its name, as the setting of that name, or a Path of a script.
    ground: objects and collections or their names, as the setting of that name; or a Ground, a height of
    level ground in the world, or a function of x and y (arrays) to heights.

    Raises AmbleError, with a sentence that says what to do; then nothing has changed.
    """
    if not (name is None or isinstance(name, str)):
        raise BadSetting(f"name must be a text, not {name!r}.")
    settings = options.changed(GaitSettings, settings, {**changes, **_named(path, ground)})
    asked = settings
    settings, pace = styled(settings, changes)
    settings = settled(settings)
    with_cycle(settings)  # refuses what contradicts itself before the rig is tried out
    check_usable(armature_object)
    at_rest = read(armature_object)
    if settings.contact == "orbit" and len(at_rest.roles.legs) > 2:
        raise BadSetting(
            f"contact orbit is for two legs, and the rig has {len(at_rest.roles.legs)}: "
            "ask for contact planted, or set two of them as legs."
        )
    legged = settings.contact == "planted" and is_legged(at_rest.roles, settings.gait)
    if legged:
        rig = on_paws(at_rest)
        parts = legged_parts(rig.skeleton, rig.roles, legs_of(rig.roles))
    else:
        rig = standing(armature_object, at_rest)
        parts = body_parts(rig.skeleton, rig.roles)
    if settings.speed is None and not legged:
        settings = dataclasses.replace(
            settings, speed=pace * usual_speed(rig.skeleton, rig.roles, rig.size, settings.gait)
        )
    controls = None
    if not is_plain(armature_object, rig.skeleton, parts):
        mode = None if settings.limbs == "as set" else settings.limbs
        if not legged:
            need_knees(rig.roles, "A rig moved by controls")
        find = find_legged_controls if legged else find_controls
        travelling = travels(rig.roles, settings.root_motion)
        controls = find(armature_object, rig.roles, parts, travels=travelling, mode=mode)
    elsewhere = _elsewhere(armature_object, rig.skeleton, settings, path, ground)
    how: dict[str, Any] = {"fps": scene_fps(), "size": rig.size, "controls": controls}
    given = rig.skeleton, rig.roles, rig.soles, settings
    if legged:
        walk = plan_legged(*given, elsewhere, name=armature_object.name, **how)
    elif settings.contact == "orbit":
        walk = plan_orbits(*given, elsewhere=elsewhere, **how)
    elif elsewhere is not None:
        walk = plan_way(*given, elsewhere, **how)
    else:
        walk = plan_straight(*given, **how)
    speed = walk.speed if legged else settings.speed or USUAL_SPEED[settings.gait]
    if rig.turns:
        walk = _on_stance(at_rest.skeleton, walk, rig.turns)
    place = slopes = None
    if settings.root_motion == "object":
        if walk.moves is not None:
            place, slopes = _object_moves(armature_object, rig.skeleton.world, walk.moves, walk.timing)
        elif walk.journey is not None:
            place, slopes = _object_way(armature_object, walk)
        else:
            place, slopes = _object_track(armature_object, rig.travel * speed / walk.timing.fps, walk.frames)
    switched = controls.switched if controls is not None else ()
    frames = (walk.timing.start, walk.timing.end)
    events = event_curves(walk, walk.feet) if settings.events else []
    measured: Report | None = None
    route, asked_speed = walk.route, speed if walk.route is None else walk.route.mean
    if walk.journey is not None:
        speed = walk.speed
        asked_speed = walk.speed
        route = walk.journey.route(walk.timing, elsewhere.ground if elsewhere else None, walk.speed)

    def finish(action: Any) -> None:
        nonlocal measured
        if switched:
            actions.add_constants(armature_object, action, switched, walk.timing.start)
        loop = settings.loop and walk.loop
        actions.add_markers(action, markers(rig.roles, walk.contacts, walk.timing, loop=loop))
        actions.add_events(armature_object, action, events)
        if settings.repeat and loop:
            actions.repeat(armature_object, action)
        actions.add_numbers(action, numbers(walk))
        actions.remember(action, "gait", core.load().__version__, asked)
        if not report:
            return
        from ..report.measure import measure
        from ..shown import shown

        with shown(armature_object):
            measured = measure(
                armature_object,
                rig.roles,
                rig.soles,
                walk.contacts,
                frames,
                speed=asked_speed,
                travel=rig.travel,
                in_place=settings.root_motion == "none",
                cyclic=settings.loop and walk.loop,
                fps=walk.timing.fps,
                gait=walk.gait,
                route=route,
                people=not legged,
                standing=dict(zip(rig.skeleton.names, rig.skeleton.rest, strict=True)) if rig.turns else None,
            )
        if (lack := walk.figures.get("lack", 0.0)) > MISSED:
            problem = f"A leg misses its foot by {100 * lack:.0f} % of its length."
            measured = dataclasses.replace(measured, problems=(*measured.problems, problem))

    with (
        pose_kept_on_error(armature_object, [path for path, _, _ in switched]),
        actions.event_properties(armature_object, events),
    ):
        written = actions.write(
            armature_object,
            name_of(walk.gait, asked.style) if name is None else name,
            walk.bones,
            walk.motion,
            walk.slopes,
            walk.frames,
            walk.channels | _stray(armature_object, walk),
            overwrite=overwrite,
            cyclic=settings.loop and walk.loop,
            object_location=place,
            object_location_slopes=slopes,
            reduction=walk.reduction,
            finish=finish,
        )
    notes = [
        *([walk.timing.note] if walk.timing.note else []),
        *walk.notes,
        *rig.notes,
        *(controls.notes if controls is not None else ()),
        *written.skipped,
        *unused(settings),
        *influences(armature_object, walk.bones, rig.roles, rig.soles, ok=bool(measured and measured.ok)),
    ]
    if controls is not None and np.linalg.det(rig.skeleton.world[:3, :3]) < 0.0:
        turned = [part.bone for part in parts if _turned_over(rig.skeleton, controls, part.bone)]
        if turned:
            notes.append(
                f'"{armature_object.name}" is mirrored by its scale, under which Blender turns what some '
                f"constraints move the wrong way ({naming.spoken(turned)}): apply the scale."
            )
    if events and armature_object.override_library is not None:
        notes.append(
            f'Blender does not save new custom properties of "{armature_object.name}", which is a library '
            "override: for event curves that last, make the walk once in the file that it comes from."
        )
    stiff = [leg.bones[0] for leg in rig.roles.legs if is_stiff(leg)]
    if stiff:
        notes.append(
            f"The legs have no knees ({naming.spoken(stiff)}): the hips turn and tilt to bring them forward."
        )
    if settings.limbs == "ik" and controls is None:
        notes.append("The rig has no inverse kinematics: its limbs are moved by forward kinematics.")
    if settings.root_motion == "auto" and walk.carrier != rig.roles.root:
        notes.append(f'The rig has no root bone that is free: "{walk.carrier}" carries the motion forward.')
    if walk.carrier is not None and all(armature_object.pose.bones[walk.carrier].lock_location):
        notes.append(f'"{walk.carrier}" is locked, so that no bone moves the body: let the object carry it.')
    return Result(
        written.action,
        measured,
        separate(rig.roles),
        walk.contacts,
        tuple(notes),
        frames,
        walk.figures,
        walk.gait,
        loop=settings.loop and walk.loop,
    )


def gait_again(armature_object: Any, memory: Memory, changes: Mapping[str, Any], **how: Any) -> Result:
    """The walk that an action remembers, with changes; how: name, overwrite, report as in `gait`."""
    settings, notes = restore(memory, GaitSettings, changes, PACES)
    result = gait(armature_object, settings, **how)
    return dataclasses.replace(result, notes=(*notes, *result.notes))


def _turned_over(skeleton: Any, controls: Controls, bone: str) -> bool:
    """Whether a bone of the rig's zero pose is far from its rest: over a quarter turn."""
    if bone not in controls.zero:
        return False
    turn = controls.zero[bone][:3, :3] @ np.linalg.inv(skeleton.rest[skeleton.index(bone)][:3, :3])
    return bool(np.trace(turn) < 1.0)


def _on_stance(skeleton: Skeleton, walk: Walk, turns: Turns) -> Walk:
    """The walk made on a stance as keys from rest; bones of the stance that it does not move are held."""
    held = tuple(bone for bone in turns if bone not in walk.bones)
    bones = (*walk.bones, *held)
    motion, slopes = on_stance(
        skeleton,
        turns,
        bones,
        [with_rest(walk.motion, len(held), 1.0), with_rest(walk.slopes, len(held), 0.0)],
    )
    channels = np.concatenate([walk.channels, np.zeros((len(held), 3), dtype=bool)])
    channels[:, 1] |= [bone in turns for bone in bones]
    reduction = walk.reduction
    if reduction is not None:
        reduction = on_other_rest(reduction, skeleton.rest[[skeleton.index(bone) for bone in bones]])
    return dataclasses.replace(
        walk, bones=bones, motion=motion, slopes=slopes, channels=channels, reduction=reduction
    )


def _stray(armature_object: Any, walk: Walk) -> Any:
    """Channels, bool (bones, 3), that are not at rest in the pose that is shown.

    Without keys of their own they would stay so under the action, and pull the legs apart.
    """
    found = np.zeros((len(walk.bones), 3), dtype=bool)
    bones = armature_object.pose.bones
    places, scales = (np.empty(3 * len(bones), dtype=np.float32) for _ in range(2))
    bones.foreach_get("location", places)
    bones.foreach_get("scale", scales)
    off = (places.reshape(-1, 3) != 0.0).any(axis=1) | (scales.reshape(-1, 3) != 1.0).any(axis=1)
    names = bones.keys()
    looked_at = {walk.carrier, *(names[place] for place in np.flatnonzero(off))}
    for row, name in enumerate(walk.bones):
        if name not in looked_at:
            continue
        bone = bones[name]
        connected = bone.parent is not None and bone.bone.use_connect
        far = bone.location.length > STRAY * bone.bone.length
        found[row, 0] = far and not connected and not all(bone.lock_location)
        found[row, 1] = name == walk.carrier and bone.matrix_basis.to_quaternion().angle > STRAY
        grown = max(abs(factor - 1.0) for factor in bone.scale) > STRAY
        found[row, 2] = grown and not all(bone.lock_scale)
    return found


def _object_moves(armature_object: Any, world: Any, moves: Any, timing: Timing) -> tuple[Any, Any]:
    """The object's own location and its slope, (3, frames) each, for a way in its space at the start, (6,
    frames)."""
    parent = np.array(armature_object.matrix_world @ armature_object.matrix_basis.inverted())[:3, :3]
    own = np.linalg.solve(parent, world[:3, :3])
    start = np.array(actions.first_location(armature_object))
    return start[:, None] + own @ moves[:3], own @ moves[3:] / timing.fps


def _named(path: Any, ground: Any) -> dict[str, Any]:
    """The settings that path and ground make, where they are objects or names."""
    found: dict[str, Any] = {}
    if path is not None and not isinstance(path, Path):
        found["path"] = path if isinstance(path, str) else getattr(path, "name", path)
    things = ground if isinstance(ground, (list, tuple, set)) else [ground]
    names = [thing if isinstance(thing, str) else getattr(thing, "name", None) for thing in things]
    if ground is not None and all(isinstance(name, str) for name in names):
        found["ground"] = tuple(names)
    return found


def _elsewhere(
    armature_object: Any, skeleton: Skeleton, settings: GaitSettings, path: Any, ground: Any
) -> Elsewhere | None:
    """What the settings ask for beyond a straight way over level ground; None for that."""
    chosen = None
    if settings.ground:
        chosen = as_ground([named_thing(name, "ground") for name in settings.ground], armature_object)
    elif ground is not None:
        chosen = as_ground(ground, armature_object)
    way: Any = path if isinstance(path, Path) else None
    if settings.path is not None:
        thing = named_thing(settings.path, "path", collections=False)
        if getattr(thing, "type", None) == "CURVE":
            way = curve_line(thing)
        else:
            if settings.frames is None:
                raise BadSetting(f'frames must be set to follow the animation of "{settings.path}".')
            first, last = settings.frames
            way = animated_path(thing, np.arange(first, last + 1, dtype=np.float64))
    if chosen is None and way is None and not (settings.speeds or settings.turn or settings.direction):
        return None
    return Elsewhere(armature_object.name, skeleton.world, way, chosen)


def _object_way(armature_object: Any, walk: Walk) -> tuple[Any, Any]:
    """The object's own location and its slope, (3, frames) each, along the walk's way.

    Raises BadSetting where the object would have to turn.
    """
    assert walk.journey is not None
    if float(np.ptp(walk.journey.way.facing)) > 1e-9 or abs(float(walk.journey.way.facing[0])) > 1e-9:
        raise BadSetting(
            "root_motion object cannot turn the object: let a bone carry the motion (auto or bone)."
        )
    carried = walk.journey.carried(walk.timing.start, walk.timing.fps)
    parent = np.array(armature_object.matrix_world @ armature_object.matrix_basis.inverted())
    world = np.array(armature_object.matrix_world)
    frames, step = walk.frames, 1e-3

    def places(times: Any) -> Any:
        return np.linalg.solve(parent, (carried(times) @ world)[:, :, 3].T)[:3]

    start = np.array(actions.first_location(armature_object)) - np.array(armature_object.matrix_basis)[:3, 3]
    slopes = (places(frames + step) - places(frames - step)) / (2.0 * step)
    return places(frames) + start[:, None], slopes


def _object_track(armature_object: Any, step: Any, frames: Any) -> tuple[Any, Any]:
    """The object's own location and its slope, (3, frames) each, for a world step a frame."""
    parent = np.array(armature_object.matrix_world @ armature_object.matrix_basis.inverted())[:3, :3]
    own = np.linalg.solve(parent, step)
    start = np.array(actions.first_location(armature_object))
    gone = frames - frames[0]
    return start[:, None] + own[:, None] * gone, np.repeat(own[:, None], len(gone), axis=1)
