"""From an armature to arrays and roles: skeleton, names, limbs, soles."""

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
    "foot_bones",
    "foot_points",
    "read_skeleton",
    "read_skin",
    "recognise",
    "roles",
    "sole",
]
