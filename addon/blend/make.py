"""The call: from two actions to the one that leads out of the first into the second."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from .. import action as actions
from .. import core, options
from ..action.channels import bone_path, driven_channels, rotation_path
from ..action.names import action_of
from ..action.read import Channel
from ..action.write import Row, write_rows
from ..errors import BadSetting
from ..kept import pose_kept_on_error
from ..reading import Rig, check_playing, read
from ..report.sampling import scene_fps, unit_size
from ..rig import Roles
from .clips import Frame, frame_of, motion_of
from .distance import LONGEST, Need, Peaks, at_least_easy, joints, need, own_peaks, peaks
from .feet import STEP, Held, feet_of, footings, groups_of, slide
from .ground import Move, find_carrier, find_move
from .join import Cut, Pair, Stance, edges, join, lead_of, seams, shares_of
from .report import BlendReport
from .search import find_meeting
from .settings import CURVES, BlendSettings
from .source import ClipSource, Joined, Source
from .table import table_of

_TURNS = ("rotation_quaternion", "rotation_axis_angle", "rotation_euler")
AUTO = "auto"
# Where the frames that are needed by themselves do not do, these multiples of them are tried.
TRIED = (1.0, 1.2, 1.5, 2.0, 3.0, 0.8, 0.6, 0.4)


@dataclass(frozen=True, slots=True)
class BlendResult:
    """What a call made.

    action: the new action; report: figures of it (None where not asked for); roles: what was recognised;
    notes: one sentence each on what is not as it might be expected; frames: first and last of the action.
    """

    action: Any
    report: BlendReport | None
    roles: Roles = field(repr=False)
    notes: tuple[str, ...]
    frames: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Body:
    """An armature object read once for any number of transitions. up: axis of the ground, metres: length of
    a unit, and reach: length of the legs, all in the space of the poses; fps: frames a second."""

    target: Any
    rig: Rig
    frame: Frame
    up: npt.NDArray[np.float64]
    metres: float
    reach: float
    fps: float


def body_of(armature_object: Any) -> Body:
    """Read an armature object. Raises AmbleError for what cannot be animated."""
    check_playing(armature_object)
    rig = read(armature_object)
    return Body(
        armature_object,
        rig,
        frame_of(armature_object, rig.skeleton, with_object=False),
        np.array(rig.roles.up, np.float64),
        unit_size(rig.skeleton.world),
        max(rig.roles.leg_length, 1e-6),
        scene_fps(),
    )


def _on_object(body: Body) -> Body:
    """The same where the object itself is moved: poses are then in the space of its parent."""
    basis = np.array(body.target.matrix_basis, np.float64)[:3, :3]
    up = basis @ body.up
    scale = float(np.cbrt(abs(np.linalg.det(basis)))) or 1.0
    return dataclasses.replace(
        body,
        frame=frame_of(body.target, body.rig.skeleton, with_object=True),
        up=up / (float(np.linalg.norm(up)) or 1.0),
        metres=body.metres / scale,
        reach=body.reach * scale,
    )


def sources_of(
    body: Body, given: Sequence[bpy.types.Action]
) -> tuple[Body, list[ClipSource], tuple[str, ...]]:
    """Clips to blend, the body as they move it, and notes on how they were read."""
    motions = [motion_of(body.target, action, body.frame) for action in given]
    if any(motion.keyed[0].any() for motion in motions):
        body = _on_object(body)
        motions = [motion.on(body.frame) for motion in motions]
    notes = tuple(note for motion in motions for note in motion.notes)
    return body, [ClipSource(motion, motion.first, motion.last) for motion in motions], notes


def settings_of(settings: BlendSettings | None, changes: dict[str, Any]) -> BlendSettings:
    """Settings with changes by keyword, checked. frames="auto" is None."""
    if changes.get("frames") == AUTO:
        changes = {**changes, "frames": None}
    found = options.changed(BlendSettings, settings, changes)
    if found.frames is not None and found.seconds is not None:
        raise BadSetting("frames and seconds are set, and each of them sets how long it takes: set one.")
    return found


@dataclass(frozen=True, slots=True)
class Planned:
    """A transition before it is written."""

    joined: Joined
    cut: Cut
    move: Move
    need: Need
    own: Peaks
    pair: Pair
    held: Held | None
    notes: tuple[str, ...]


def plan(body: Body, a: Source, b: Source, settings: BlendSettings, name: str) -> Planned:
    """Decide where to cut, where to set B down and how long to take, and blend."""
    frame, roles = body.frame, body.rig.roles
    notes: list[str] = []
    a, b = _with_object(a, b, settings)
    at = a.last if settings.at is None else float(settings.at)
    if at < a.first:
        raise BadSetting(
            f'at is {at:g}, before "{a.name}" begins at {a.first:g}: choose a frame from there on.'
        )
    entry = b.first if settings.entry is None else float(settings.entry)
    if not b.first <= entry <= b.last:
        raise BadSetting(f'entry is {entry:g}, but "{b.name}" goes from {b.first:g} to {b.last:g}.')
    given = settings.frames
    if settings.seconds is not None:
        given = math.floor(settings.seconds * body.fps + 0.5)
    lead = 1.0 if given == 0 else lead_of(settings.curve)
    if settings.find:
        at, entry = _searched(body, a, b, at, entry, settings)
        notes.append(f"A is left at frame {at:g} and B entered at {entry:g}, where the two are nearest.")
    if isinstance(a, ClipSource):
        a = a.on_frames_of(at)
    if isinstance(b, ClipSource):
        b = b.on_frames_of(entry)
    own_a, own_b = own_peaks(frame, a, at), own_peaks(frame, b, entry)
    own = Peaks(max(own_a.speed, own_b.speed), max(own_a.jump, own_b.jump), max(own_a.jerk, own_b.jerk))

    def moved(length: float) -> Move:
        return find_move(
            frame,
            roles,
            body.reach,
            a,
            b,
            (at, entry),
            align=settings.align,
            up=body.up,
            fps=body.fps,
            length=length,
            drifts=CURVES[settings.curve].moving,
        )

    move = moved(float(given or 1))
    start = edges(a, at)
    onto = move.moved(frame, edges(b, entry - lead), np.array([-1.0, 0.0, 1.0]))
    bounds = at_least_easy(own, body.reach, body.fps)
    if settings.acceleration is not None:
        limit = settings.acceleration / body.metres / body.fps**2
        bounds = dataclasses.replace(bounds, jump=limit)
    wanted = need(frame, start, onto, bounds=bounds, fps=body.fps)
    if given is None:
        speed = f"{bounds.jump * body.metres * body.fps**2:.0f} m/s²"
        where = f'"{wanted.joint}" is {wanted.distance * body.metres:.3f} m away'
        wanted = dataclasses.replace(wanted, why=f"{where}; within {speed}")
    else:
        wanted = dataclasses.replace(wanted, frames=given, why="as asked")
    legs = [name for leg in roles.legs for name in (*leg.girdle, *leg.bones)]
    arms = [name for arm in roles.arms for name in (*arm.girdle, *arm.bones)]
    stance = _stance(body, a, b, at, entry - lead, settings)
    pair = Pair(frame, a, b, settings, shares_of(frame, settings, legs, arms), stance)
    cut = Cut(at, entry, lead, wanted.frames)
    if given is None:
        groups = _groups(pair, move, entry)
        if groups and cut.frames < groups * STEP * body.fps:
            cut = dataclasses.replace(cut, frames=math.ceil(groups * STEP * body.fps))
            wanted = dataclasses.replace(wanted, why=wanted.why + "; feet take steps")
        move = moved(float(cut.frames))
        if lead == 0.0:
            cut, move = _long_enough(pair, cut, moved, bounds, body.fps)
        wanted = dataclasses.replace(wanted, frames=cut.frames)
    joined, held = join(pair, cut, move, name)
    if stance is None and roles.legs and (settings.feet or (settings.feet is None and lead == 0.0)):
        notes.append("The feet are not held: other bones or constraints of the rig move its legs.")
    if joined.extra_steps.any():
        stepped = [c.path for c, s in zip(joined.extras, joined.extra_steps, strict=True) if s]
        notes.append(f"{stepped[0]} and whatever else has steps changes over at frame {cut.switch:g}.")
    return Planned(joined, cut, move, wanted, own, pair, held, tuple(notes))


def _searched(
    body: Body, a: Source, b: Source, at: float, entry: float, settings: BlendSettings
) -> tuple[float, float]:
    """Last frame of A and first of B, within the window, where the two are nearest."""
    frame, roles = body.frame, body.rig.roles
    carrier, _ = find_carrier(frame, roles, body.reach, ((a, at), (b, entry)), body.up)
    stand = carrier if carrier is not None else 0
    found = find_meeting(
        frame,
        roles,
        feet_of(body.rig, frame),
        (a, max(at - settings.find, a.first), at),
        (b, entry, min(entry + settings.find, b.last)),
        (stand, stand),
        body.reach,
        body.up,
        body.fps,
    )
    return found.at, found.entry


def _stance(
    body: Body, a: Source, b: Source, at: float, entry: float, settings: BlendSettings
) -> Stance | None:
    """The feet to hold, where they are asked for and the rig has such as can be held."""
    asked = CURVES[settings.curve].moving if settings.feet is None else settings.feet
    feet = feet_of(body.rig, body.frame) if asked else ()
    if not feet:
        return None
    both = footings(body.frame, feet, ((a, at), (b, entry)), body.reach, body.up, body.fps)
    return Stance(feet, both[0], both[1], body.reach, body.up)


def _groups(pair: Pair, move: Move, entry: float) -> int:
    """How many groups of feet must step."""
    stance = pair.stance
    if stance is None:
        return 0
    return groups_of(stance.feet, stance.a, stance.b, move, pair.frame, pair.b, entry, stance.reach)


def _long_enough(
    pair: Pair, cut: Cut, moved: Callable[[float], Move], bounds: Peaks, fps: float
) -> tuple[Cut, Move]:
    """The cut with the fewest frames from those needed on with which no joint exceeds the bounds where B's
    motion and the offset's add up.

    Where none will do, the number that exceeds them least, fewer among them: a B that begins with a jolt is
    the worse the longer the offset lasts.
    """
    best: tuple[float, Cut, Move] | None = None
    for factor in TRIED:
        frames = math.ceil(cut.frames * factor)
        if frames > LONGEST * fps and factor > 1.0:
            continue
        tried = dataclasses.replace(cut, frames=max(frames, 2))
        move = moved(float(tried.frames))
        found = peaks(joints(pair.frame, seams(pair, tried, move)))
        over = max(found.jump / bounds.jump, found.jerk / bounds.jerk)
        if best is None or over < best[0]:
            best = over, tried, move
        if over <= 1.0:
            break
    assert best is not None
    return best[1], best[2]


def _with_object(a: Source, b: Source, settings: BlendSettings) -> tuple[Source, Source]:
    """Where only one of the two moves the object, the other one holds it where they meet."""
    at = a.last if settings.at is None else settings.at
    entry = b.first if settings.entry is None else settings.entry
    if a.keyed[0].any() and isinstance(b, ClipSource):
        b = dataclasses.replace(b, hold=a.numbers([at])[0, :, 0])
    elif b.keyed[0].any() and isinstance(a, ClipSource):
        a = dataclasses.replace(a, hold=b.numbers([entry])[0, :, 0])
    return a, b


def blend(
    armature_object: Any,
    a: Any,
    b: Any,
    settings: BlendSettings | None = None,
    *,
    name: str | None = None,
    overwrite: bool = False,
    report: bool = True,
    assign: bool = True,
    table: Any = None,
    **changes: Any,
) -> BlendResult:
    """Make an action that leads out of action a into action b, and let the object play it.

    a, b: actions, or names of actions. settings, changes: fields of BlendSettings, the latter by keyword:
    blend(rig, "Walk", "Jump", at=31, frames=12, curve="inertial"); frames="auto" is the default.
    name: of the action, default "A to B"; a number is added where it is taken, or with `overwrite` the old
    one is replaced. report: measure it. assign: False lets the object go on with what it plays.
    table: a transition table (TransitionTable, {(a, b): frames}, a TOML file, or True for the one kept on the
    object) that gives the frames where they are not set; a pair that is not in it is cut straight.

    Raises AmbleError, with a sentence that says what to do; then nothing has changed.
    """
    settings = settings_of(settings, changes)
    body = body_of(armature_object)
    first, second = action_of(a, "a"), action_of(b, "b")
    pairs = table_of(table, armature_object)
    if pairs is not None and settings.frames is None and settings.seconds is None:
        settings = dataclasses.replace(settings, frames=pairs.frames(first.name, second.name))
    body, (source_a, source_b), read_notes = sources_of(body, (first, second))
    planned = plan(body, source_a, source_b, settings, name or f"{first.name} to {second.name}")
    measured = report_on(body, planned, source_a, source_b) if report else None
    action, skipped = write_joined(
        body,
        planned.joined,
        planned.joined.name,
        overwrite=overwrite,
        assign=assign,
        markers=markers_of(planned.cut, settings, first, second),
        remembered=settings,
    )
    joined = planned.joined
    notes = tuple(dict.fromkeys((*read_notes, *planned.notes, *skipped, *body.rig.notes)))
    return BlendResult(action, measured, body.rig.roles, notes, (joined.first, joined.last))


def write_joined(
    body: Body,
    joined: Joined,
    name: str,
    *,
    overwrite: bool,
    assign: bool,
    markers: Sequence[tuple[str, float]],
    remembered: Any,
) -> tuple[Any, tuple[str, ...]]:
    """Write a motion as an action; what was left out, in words."""
    rows, values, slopes, slopes_after, steps, skipped = _rows_of(body, joined)
    native = core.load()
    stepped = None
    if steps.any():
        stepped = np.repeat(steps[:, None], joined.times.size, 1)

    def finish(action: Any) -> None:
        actions.add_markers(action, markers)
        actions.remember(action, "blend", native.__version__, remembered)

    with pose_kept_on_error(body.target):
        action = write_rows(
            body.target,
            name,
            rows,
            values,
            slopes,
            joined.times,
            leaving=slopes_after,
            stepped=stepped,
            overwrite=overwrite,
            assign=assign,
            finish=finish,
        )
    return action, skipped


def _rows_of(body: Body, joined: Joined) -> tuple[list[Row], Any, Any, Any, Any, tuple[str, ...]]:
    """Curves, their values, slopes to and from each key, which of them are stepped, and what is left out in
    words."""
    frame, target = body.frame, body.target
    driven = driven_channels(target)
    rows: list[Row] = []
    taken: list[int] = []
    skipped: list[str] = []
    keyed = joined.keyed.copy()
    turned = np.asarray(keyed[:, 3:7].any(axis=1))
    angles = frame.modes >= 2
    keyed[:, 3:7] = turned[:, None]
    keyed[angles, 3] = False
    keyed[np.logical_and(frame.flags & 1, frame.parents > 0), :3] = False  # connected: Blender reads none
    modes = [target.rotation_mode, *body.rig.skeleton.rotation_modes]
    starts = ["", *(bone_path(name) + "." for name in frame.names[1:])]
    for bone, row in np.argwhere(keyed).tolist():
        if row < 3:
            path, axis = "location", row
        elif row >= 7:
            path, axis = "scale", row - 7
        else:
            path, axis = rotation_path(modes[bone]), row - (4 if angles[bone] else 3)
        path = starts[bone] + path
        if (path, axis) in driven:
            skipped.append(f"{path}[{axis}], which is driven")
            continue
        color = "AUTO_YRGB" if 3 <= row < 7 and not angles[bone] else "AUTO_RGB"
        rows.append(Row(path, axis, frame.names[bone] or "Object Transforms", color))
        taken.append(10 * bone + row)
    values, coming, leaving = (
        block.reshape(-1, joined.times.size)[taken] for block in (joined.rows, joined.coming, joined.leaving)
    )
    steps = np.zeros(len(rows), bool)
    if joined.extras:
        free = []
        for number, channel in enumerate(joined.extras):
            path = _path_of(channel)
            if (path, channel.axis) in driven:
                skipped.append(f"{path}[{channel.axis}], which is driven")
                continue
            rows.append(Row(path, channel.axis, channel.bone or "Properties"))
            free.append(number)
        more = np.ascontiguousarray(joined.extra_rows[free])
        rates = core.load().slopes(joined.times, more)
        values = np.concatenate((values, more))
        coming, leaving = np.concatenate((coming, rates)), np.concatenate((leaving, rates))
        steps = np.concatenate((steps, joined.extra_steps[free]))
    return rows, values, coming, leaving, steps, tuple(skipped)


def _path_of(channel: Channel) -> str:
    return f"{bone_path(channel.bone)}.{channel.path}" if channel.bone else channel.path


def markers_of(cut: Cut, settings: BlendSettings, a: Any, b: Any) -> list[tuple[str, float]]:
    """Markers of A up to the cut, and those of B: at B's own frames, or none before B is alone (B7)."""
    found = []
    if settings.result == "whole":
        found = [(m.name, float(m.frame)) for m in a.pose_markers if m.frame <= cut.at]
    for marker in b.pose_markers:
        frame = marker.frame - cut.entry + cut.at + cut.lead
        if frame < cut.at:
            continue
        if settings.markers == "time" and frame < cut.end:
            frame = cut.end
        found.append((marker.name, frame))
    return found


def report_on(body: Body, planned: Planned, a: Source, b: Source) -> BlendReport:
    """Figures of a transition, from its arrays."""
    frame, cut, joined = body.frame, planned.cut, planned.joined
    metres, fps = body.metres, body.fps
    span = cut.at + np.arange(-3.0, cut.frames + 4.0)
    points = joints(frame, joined.numbers(span))
    jumps = [peaks(points[..., seam - 1 : seam + 3]).jump for seam in (3, 3 + cut.frames)]
    inner = peaks(points)
    straight = np.concatenate(
        (
            a.numbers([cut.at - 1.0, cut.at]),
            planned.move.moved(frame, b.numbers([cut.entry, cut.entry + 1.0]), np.array([0.0, 1.0])),
        ),
        axis=2,
    )
    jump_cut = peaks(joints(frame, straight)).jump
    carrier = planned.move.carrier
    root_jump = 0.0
    if carrier is not None:
        root = points[frame.place[carrier], :, 2:5].astype(np.float64)
        root_jump = float(np.linalg.norm(root[:, 2] - 2.0 * root[:, 1] + root[:, 0]))
    numbers = planned.move.numbers
    slid, slid_own = _slide(planned)
    return BlendReport(
        frames=cut.frames,
        why=planned.need.why,
        at=cut.at,
        entry=cut.entry,
        end=cut.end,
        distance_m=planned.need.distance * metres,
        jump=max(jumps) * metres * fps,
        jump_own=planned.own.jump * metres * fps,
        jump_cut=jump_cut * metres * fps,
        jerk=inner.jerk * metres * fps**3,
        jerk_own=planned.own.jerk * metres * fps**3,
        slide_mm=slid * metres * 1000.0,
        slide_own_mm=slid_own * metres * 1000.0,
        steps=int(planned.held.stepping.sum()) if planned.held is not None else 0,
        root_jump_m=root_jump * metres,
        carrier="-" if carrier is None else carrier or "object",
        turn_deg=math.degrees(2.0 * math.atan2(float(np.linalg.norm(numbers[7:10])), float(numbers[6])))
        if carrier is not None
        else 0.0,
        moved_m=float(np.linalg.norm(numbers[3:6] - numbers[:3])) * metres,
    )


def _slide(planned: Planned) -> tuple[float, float]:
    stance, held, cut = planned.pair.stance, planned.held, planned.cut
    if stance is None or held is None:
        return math.nan, math.nan
    rows = planned.joined.numbers(cut.at + np.arange(cut.frames + 1.0))
    return slide(planned.pair.frame, stance.feet, held, rows, stance.up)
