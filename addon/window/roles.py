"""The operators that correct roles: pick the bones of one, show them, save and load all of them."""

from typing import Any

import bpy

from .rigs import active_rig, why_not
from .seen import forget, seen
from .translations import translated

LIMBS = ("legs", "arms")
SUFFIX = ".toml"


class _OnRig(bpy.types.Operator):
    """What these operators have in common."""

    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012 - Blender reads it from the class

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Whether there is an armature; else Blender shows why not."""
        reason = why_not(context)
        if reason:
            cls.poll_message_set(translated(reason).rstrip(".。"))
        return not reason

    def execute(self, context: Any) -> Any:
        """Do it; what cannot be done is one sentence."""
        from ..errors import AmbleError

        try:
            self.change(active_rig(context))
        except AmbleError as error:
            self.report({"ERROR"}, " ".join(str(error).split()))
            return {"CANCELLED"}
        forget()
        return {"FINISHED"}

    def change(self, rig: Any) -> None:
        """What each of them does."""
        raise NotImplementedError


class AMBLE_OT_set_role(_OnRig):  # noqa: N801 - Blender's rule for names
    """Make the bones that are selected those of this role."""

    bl_idname = "amble.set_role"
    bl_label = "Set Role from Selected Bones"
    role: bpy.props.StringProperty(name="Role", description="A role, or legs/0, the first of the legs")  # type: ignore[valid-type]

    def change(self, rig: Any) -> None:
        """Set the role; of a limb its partner too, where each bone has one."""
        from ..errors import BadSetting
        from ..rig import set_roles

        bones = selected_bones(rig)
        if not bones:
            raise BadSetting(
                "No bones are selected: select those of the role in Pose Mode, then press again."
            )
        what, _slash, number = self.role.partition("/")
        if what in LIMBS:
            set_roles(rig, {what: _limbs(seen(rig), what, int(number or 0), bones)})
        else:
            set_roles(rig, {what: bones if what in ("spine", "neck", "tail") else bones[0]})


class AMBLE_OT_select_role(_OnRig):  # noqa: N801 - Blender's rule for names
    """Select the bones of this role, in Pose Mode."""

    bl_idname = "amble.select_role"
    bl_label = "Select Bones of Role"
    role: bpy.props.StringProperty(name="Role", description="A role, or legs/0, the first of the legs")  # type: ignore[valid-type]

    def change(self, rig: Any) -> None:
        """Select them, and nothing else of this armature."""
        wanted = set(bones_of(seen(rig), self.role))
        for bone in rig.pose.bones:
            # Blender 5 keeps the selection with the pose, older ones with the armature.
            holder = bone if hasattr(bone, "select") else bone.bone
            holder.select = bone.name in wanted


class AMBLE_OT_clear_roles(_OnRig):  # noqa: N801 - Blender's rule for names
    """Take back all roles set by hand and recognize everything again."""

    bl_idname = "amble.clear_roles"
    bl_label = "Clear Roles Set by Hand"

    def change(self, rig: Any) -> None:
        """Clear them."""
        from ..rig import clear_roles

        clear_roles(rig)


class _WithFile(_OnRig):
    """An operator on a file that is chosen in Blender's file browser."""

    filepath: str

    def invoke(self, context: Any, _event: Any) -> Any:
        """Ask for the file."""
        if not self.filepath:
            self.filepath = active_rig(context).name + SUFFIX
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def check_path(self) -> None:
        """Refuse to go on without a file: a script may give none."""
        from ..errors import BadSetting

        if not self.filepath.strip():
            raise BadSetting(f"No file was given: set filepath to a {SUFFIX} file.")


class AMBLE_OT_save_roles(_WithFile):  # noqa: N801 - Blender's rule for names
    """Save the roles to a file, for all rigs with the same bone names."""

    bl_idname = "amble.save_roles"
    bl_label = "Save Roles"
    filepath: bpy.props.StringProperty(subtype="FILE_PATH")  # type: ignore[valid-type]
    filter_glob: bpy.props.StringProperty(default="*.toml", options={"HIDDEN"})  # type: ignore[valid-type]

    def change(self, rig: Any) -> None:
        """Save them."""
        from ..rig import save_roles

        self.check_path()
        save_roles(rig, bpy.path.ensure_ext(self.filepath, SUFFIX))


class AMBLE_OT_load_roles(_WithFile):  # noqa: N801 - Blender's rule for names
    """Set the roles that a file holds."""

    bl_idname = "amble.load_roles"
    bl_label = "Load Roles"
    filepath: bpy.props.StringProperty(subtype="FILE_PATH")  # type: ignore[valid-type]
    filter_glob: bpy.props.StringProperty(default="*.toml", options={"HIDDEN"})  # type: ignore[valid-type]

    def change(self, rig: Any) -> None:
        """Load and set them."""
        from ..rig import load_roles, set_roles

        self.check_path()
        set_roles(rig, load_roles(self.filepath))


def role_operators() -> list[type]:
    """The classes."""
    return [
        AMBLE_OT_set_role,
        AMBLE_OT_select_role,
        AMBLE_OT_clear_roles,
        AMBLE_OT_save_roles,
        AMBLE_OT_load_roles,
    ]


def selected_bones(rig: Any) -> list[str]:
    """Names of the pose bones that are selected, parents first."""
    found = [b for b in rig.pose.bones if (b.select if hasattr(b, "select") else b.bone.select)]
    return [bone.name for bone in sorted(found, key=lambda b: len(b.parent_recursive))]


def bones_of(found: Any, role: str) -> list[str]:
    """The bones of a role; none where nothing was recognised."""
    what, _slash, number = role.partition("/")
    value = getattr(found, what, None)
    if what in LIMBS:
        return list(value[int(number)].bones) if value and int(number) < len(value) else []
    return [] if not value else [value] if isinstance(value, str) else list(value)


def _limbs(found: Any, what: str, number: int, bones: list[str]) -> list[dict[str, Any]]:
    """All limbs of a kind, as roles are set, with one replaced or added, and its partner with it."""
    from ..rig import naming

    pairs = {} if isinstance(found, str) else dict(found.pairs)
    pairs.update({right: left for left, right in pairs.items()})
    there = () if isinstance(found, str) else getattr(found, what)
    limbs = [{"side": limb.side, "bones": list(limb.bones)} for limb in there]
    side = there[number].side if number < len(there) else naming.side(bones[0]) or "LR"[number % 2]
    partner = [pairs.get(bone, "") for bone in bones]
    changed = {side: bones}
    if all(partner):
        changed["R" if side == "L" else "L"] = partner
    same_pair = {k for k, limb in enumerate(there) if number < len(there) and limb.pair == there[number].pair}
    kept = [limb for k, limb in enumerate(limbs) if k not in same_pair or limb["side"] not in changed]
    return [*kept, *({"side": one, "bones": chain} for one, chain in changed.items())]
