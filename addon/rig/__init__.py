"""From an armature to arrays and roles: skeleton, names, limbs, soles; roles set by hand."""

from .by_hand import clear_roles, load_roles, save_roles, set_roles
from .roles import Limb, Roles, recognise, roles
from .skeleton import Skeleton, read_skeleton
from .skin import Skin, read_skin
from .sole import Sole, foot_bones, foot_points, sole

__all__ = [
    "Limb",
    "Roles",
    "Skeleton",
    "Skin",
    "Sole",
    "clear_roles",
    "foot_bones",
    "foot_points",
    "load_roles",
    "read_skeleton",
    "read_skin",
    "recognise",
    "roles",
    "save_roles",
    "set_roles",
    "sole",
]
