"""What the scene holds, as arrays: the ground that is walked on, and the triangles of meshes.

Vectors of many points are (3, n), in the world, Z up, in Blender's units.
"""

from .field import Flat, HeightField
from .ground import Footing, Ground, Stand, Surface
from .meshes import MeshGround, as_ground
from .read import Soup, named_thing, read_soup

__all__ = [
    "Flat",
    "Footing",
    "Ground",
    "HeightField",
    "MeshGround",
    "Soup",
    "Stand",
    "Surface",
    "as_ground",
    "named_thing",
    "read_soup",
]
