"""Part of a mirror image laid over the original: chosen bones, one side, the upper body, frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..action.copied import KEY_PROPERTIES, copy_curve
from ..action.read import channel_of
from ..action.slots import CurveHome
from ..errors import BadSetting
from ..rig.partners import Partners
from ..rig.skeleton import Skeleton
from .plane import Floats
from .settings import MirrorSettings
from .sums import DEFAULTS


def chosen_bones(
    skeleton: Skeleton, partners: Partners, left: Floats, spine: Sequence[str], settings: MirrorSettings
) -> frozenset[str]:
    """Names of the bones whose curves are replaced.

    left: the character's own, unit vector; spine: names of the bones above the pelvis. Raises BadSetting for
    bones that are not there.
    """
    names, partner = skeleton.names, partners.partner
    for bone in settings.bones:
        if bone not in names:
            raise BadSetting(f'bones names "{bone}", which the armature has not: name bones that it has.')
    wanted = set(range(len(names)))
    if settings.bones:
        given = {names.index(bone) for bone in settings.bones}
        wanted = given | {int(partner[i]) for i in given}
    if settings.part != "whole":
        upper = _under(skeleton, spine)
        wanted &= upper if settings.part == "upper" else set(range(len(names))) - upper
    if settings.sides != "both":
        side = (skeleton.heads - skeleton.heads[partner]) @ left
        tails = (skeleton.tails - skeleton.tails[partner]) @ left
        side = np.where(np.abs(side) > 1e-6 * partners.size, side, tails)
        onto = side < 0.0 if settings.sides == "left to right" else side > 0.0
        wanted &= {int(i) for i in np.flatnonzero(onto & (partner != np.arange(len(names))))}
    return frozenset(names[i] for i in wanted)


def _under(skeleton: Skeleton, spine: Sequence[str]) -> set[int]:
    """The first bone of the spine and all that hang on it."""
    if not spine:
        raise BadSetting(
            "The rig has no spine that an upper body could begin at: name bones instead of a part."
        )
    found = {skeleton.index(spine[0])}
    for bone, parent in enumerate(skeleton.parents.tolist()):
        if parent in found:
            found.add(bone)
    return found


def lay_over(
    home: CurveHome, mirrored: CurveHome, bones: frozenset[str] | None, frames: tuple[float, float] | None
) -> None:
    """Put the mirrored curves of bones (None: of everything) into the original's, within frames.

    home: curves of a copy of the original, which are changed; mirrored: those of its mirror image.
    """
    old = {_key(curve): curve for curve in home.bag.fcurves}
    new = {_key(curve): curve for curve in mirrored.bag.fcurves}
    chosen = [key for key in {**old, **new} if bones is None or channel_of(*key).bone in bones]
    spliced = {key: _spliced(old.get(key), new.get(key), key, frames) for key in chosen} if frames else {}
    for key in chosen:
        source, there = new.get(key), old.get(key)
        if source is not None:
            if there is not None:
                home.bag.fcurves.remove(there)
            group = source.group.name if source.group is not None else channel_of(*key).bone
            there = copy_curve(home, source, *key, group)
        elif frames is None:
            home.bag.fcurves.remove(there)
        if frames is not None:
            _write(there, spliced[key])


def _key(curve: Any) -> tuple[str, int]:
    return curve.data_path, curve.array_index


class _Keys(dict[str, Any]):
    """All that the keys of a curve hold, by property, (n, width)."""

    @classmethod
    def of(cls, curve: Any) -> _Keys:
        found = cls()
        count = len(curve.keyframe_points)
        for name, width, kind in KEY_PROPERTIES:
            block = np.empty(count * width, kind)
            curve.keyframe_points.foreach_get(name, block)
            found[name] = block.reshape(count, width)
        return found

    def part(self, mask: Any) -> _Keys:
        return _Keys({name: block[mask] for name, block in self.items()})


def _spliced(there: Any, source: Any, key: tuple[str, int], frames: tuple[float, float]) -> _Keys:
    """Keys of the original outside of the frames and of the mirror image within."""
    first, last = frames
    pieces = []
    inner, outer = (None if one is None else _Keys.of(one) for one in (source, there))
    if inner is not None:
        time = inner["co"][:, 0]
        pieces.append(inner.part((time >= first) & (time <= last)))
    if outer is not None:
        time = outer["co"][:, 0]
        pieces.append(outer.part((time < first) | (time > last)))
    rest = _rest(*key)
    model = inner if inner is not None else outer
    if rest is not None and model is not None and len(model["co"]):
        # Where one of the two has no curve it is at rest there.
        if outer is None:
            pieces.append(_resting(model, (first - 1.0, last + 1.0), rest))
        if inner is None:
            pieces.append(_resting(model, (first, last), rest))
    joined = _Keys({name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]})
    return joined.part(np.argsort(joined["co"][:, 0], kind="stable"))


def _rest(path: str, axis: int) -> float | None:
    values = DEFAULTS.get(channel_of(path, axis).path)
    return None if values is None else float(values[axis])


def _resting(model: _Keys, times: tuple[float, float], value: float) -> _Keys:
    made = model.part(np.zeros(2, int))
    for name in ("co", "handle_left", "handle_right"):
        made[name] = np.array([[time, value] for time in times], np.float32)
    made["handle_left"][:, 0] -= 1.0 / 3.0
    made["handle_right"][:, 0] += 1.0 / 3.0
    return made


def _write(curve: Any, keys: _Keys) -> None:
    curve.keyframe_points.clear()
    curve.keyframe_points.add(len(keys["co"]))
    for name, _, _ in KEY_PROPERTIES:
        curve.keyframe_points.foreach_set(name, np.ascontiguousarray(keys[name]).ravel())
    curve.update()
