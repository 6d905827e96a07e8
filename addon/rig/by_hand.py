"""Set roles by hand, keep them with the rig, and carry them over to other rigs as a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from ..errors import BadFile
from . import stored
from .corrections import ENDS, NONE, Corrections, GivenLimb, dump, load, read
from .roles import Limb, Roles, recognise
from .skeleton import read_skeleton
from .skin import read_skin


def set_roles(armature_object: Any, roles: Mapping[str, Any]) -> Roles:
    """Set roles of an armature object by hand, and return all its roles as they are then.

    roles: the keys that `corrections` describes, for example {"pelvis": "Body", "legs": [{"side": "L",
    "bones": ["Thigh.L", "Shin.L", "Foot.L"]}, ...]}. They are added to those set before, role by role; None
    lets a role be recognised again. They are kept with the object: saved, copied and linked with it, honoured
    by every call. Edit mode is not needed, and the armature data is not touched.

    Raises BadSetting where they do not fit the rig or each other; then nothing has changed.
    """
    before = stored.corrections_of(armature_object).plain()
    changed = {key: value for key, value in {**before, **roles}.items() if value is not None}
    corrections = read(changed)
    found = _recognised(armature_object, corrections)
    stored.store(armature_object, corrections)
    return found


def replace_roles(armature_object: Any, roles: Mapping[str, Any]) -> Roles:
    """The same in place of all that were set before."""
    return set_roles(
        armature_object, dict.fromkeys((f.name for f in fields(Corrections)), None) | dict(roles)
    )


def clear_roles(armature_object: Any) -> None:
    """Take back all roles set by hand on an armature object: everything is recognised again."""
    stored.store(armature_object, NONE)


def load_roles(path: str | Path) -> dict[str, Any]:
    """The roles in a TOML file, as `roles` and `set_roles` take them. Raises BadFile naming the line."""
    return load(path).plain()


def save_roles(armature_object: Any, path: str | Path) -> None:
    """Write the roles of an armature object to a TOML file, for all rigs whose bones have the same names.

    Bones are written as they were recognised or set; facing, up and ground, which belong to one rig more than
    to a family, as comments, unless they were set by hand. Raises BadFile where the file cannot be written.
    """
    text = roles_text(armature_object)
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadFile(f"{path} cannot be written: {error.strerror}.") from error


def roles_text(armature_object: Any) -> str:
    """What `save_roles` writes."""
    own = stored.corrections_of(armature_object)
    found = _recognised(armature_object, own)
    title = (
        f'Roles of "{armature_object.name}". What a "#" stands before is recognised on each rig:',
        'take the "#" away to set it.',
    )
    return dump(*as_corrections(found, own), title)


def as_corrections(roles: Roles, own: Corrections = NONE) -> tuple[Corrections, Corrections]:
    """(what a file sets, what it only mentions) for roles of which `own` were set by hand."""

    def limb(limb: Limb) -> GivenLimb:
        if not limb.contact:
            return GivenLimb(limb.side, limb.bones)
        end = limb.contact_end if limb.contact_end in ENDS else None
        return GivenLimb(limb.side, limb.bones, limb.contact, end, limb.toe or "")

    # Where a rig is no body to speak of, one bone may have been found for two roles; a file sets one of them.
    used = {bone for part in (*roles.legs, *roles.arms) for bone in part.bones}
    used.update((roles.head or "", *roles.spine, *roles.neck, *roles.tail))
    said = Corrections(
        legs=tuple(limb(leg) for leg in roles.legs) or own.legs,
        arms=tuple(limb(arm) for arm in roles.arms) or own.arms,
        pelvis=own.pelvis if roles.pelvis in used else roles.pelvis or own.pelvis,
        root=own.root if roles.root in {*used, roles.pelvis} else roles.root or own.root,
        head=roles.head or own.head,
        spine=roles.spine or own.spine,
        neck=roles.neck or own.neck,
        tail=roles.tail or own.tail,
        facing=own.facing,
        up=own.up,
        ground=own.ground,
        pairs=own.pairs,
    )
    hints = Corrections(
        pelvis="", root="", head="", spine=(), neck=(), tail=(),
        facing=roles.facing, up=roles.up, ground=roles.ground,
    )  # fmt: skip
    return said, hints


def _recognised(armature_object: Any, corrections: Corrections) -> Roles:
    skeleton = read_skeleton(armature_object)
    return recognise(skeleton, read_skin(armature_object, skeleton.names), corrections)
