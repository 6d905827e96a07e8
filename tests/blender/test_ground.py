"""Ground read from real scenes: what stands where, to what height and slope."""

import math
from typing import Any

import amble
import bpy
import numpy as np
import pytest
from amble.scene import MeshGround, Surface, as_ground, read_soup
from tests.blender import rigs

FOOT = np.array([[0.18, 0.18, 0.05, 0.05, -0.07, -0.07], [0.03, -0.03, 0.04, -0.04, 0.03, -0.03]])


def mesh(vertices: Any, faces: Any, name: str = "ground") -> Any:
    """A mesh object in the scene."""
    data = bpy.data.meshes.new(name)
    data.from_pydata(np.asarray(vertices, dtype=np.float64).tolist(), [], faces)
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def plane(size: float = 10.0, name: str = "ground") -> Any:
    """A level square about the origin, two triangles."""
    corners = [(-size, -size, 0), (size, -size, 0), (size, size, 0), (-size, size, 0)]
    return mesh(corners, [[0, 1, 2, 3]], name)


def box(low: Any, high: Any, name: str = "box") -> Any:
    """A closed box."""
    corners = [[(low, high)[k][a] for a, k in enumerate((x, y, z))] for x, y, z in np.ndindex(2, 2, 2)]
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return mesh(corners, faces, name)


def stairs(count: int = 8, rise: float = 0.17, tread: float = 0.28) -> Any:
    """Stairs up along X: tread k, from 0, is at height k * rise, from x = (k - 1) * tread to k * tread."""
    profile = [(-5.0, 0.0)]
    for k in range(count):
        profile += [(k * tread, k * rise), (k * tread, (k + 1) * rise)]
    profile.append((count * tread + 5.0, count * rise))
    corners = [(x, y, z) for x, z in profile for y in (-2.0, 2.0)]
    return mesh(
        corners, [[2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1] for i in range(len(profile) - 1)], "stairs"
    )


def at(places: Any, height: float = 0.0) -> np.ndarray:
    """Points (3, n) over places (n, 2)."""
    places = np.asarray(places, dtype=np.float64)
    return np.concatenate([places.T, np.full((1, len(places)), height)])


def some_places(count: int = 200, size: float = 4.0) -> np.ndarray:
    return np.random.default_rng(1).uniform(-size, size, (count, 2))


def heights(thing: Any, places: Any, height: float = 0.0, **limits: float) -> Surface:
    return as_ground(thing).heights(at(places, height), **limits)


@pytest.mark.parametrize("slope", [10.0, 20.0, 30.0])
@pytest.mark.parametrize("across", [False, True])
def test_a_plane_that_slopes_has_its_height_and_normal_everywhere(slope, across):
    thing = plane()
    thing.rotation_euler = (math.radians(slope), 0, 0) if across else (0, -math.radians(slope), 0)
    places = some_places()
    found = heights(thing, places, up=5.0)
    rise = math.tan(math.radians(slope))
    assert found.found.all()
    # Blender keeps an object's matrix in float32.
    np.testing.assert_allclose(found.height, places[:, 1 if across else 0] * rise, atol=2e-6)
    normal = np.array([0.0, 0.0, math.cos(math.radians(slope))])
    normal[1 if across else 0] = -math.sin(math.radians(slope))
    np.testing.assert_allclose(found.normal, np.repeat(normal[:, None], 200, axis=1), atol=1e-6)


def test_stairs_are_followed_tread_by_tread():
    ground = as_ground(stairs())
    x = np.linspace(-0.501, 8 * 0.28 + 0.503, 333)
    found = ground.follow(np.stack([x, np.zeros_like(x)]), 0.0, up=0.2, down=0.2)
    np.testing.assert_allclose(found.height, np.clip(np.floor(x / 0.28) + 1, 0, 8) * 0.17, atol=1e-6)
    assert found.found.all()
    np.testing.assert_array_equal(found.normal[2], 1.0)


def test_a_step_that_is_too_high_is_no_ground_and_neither_is_a_drop_that_is_too_deep():
    thing = stairs(1, rise=0.4)
    found = heights(thing, [(-0.1, 0.0), (0.1, 0.0)], up=0.3, down=0.3)
    assert found.found.tolist() == [True, False]
    assert found.height.tolist() == [0.0, 0.0]
    found = heights(thing, [(-0.1, 0.0), (0.1, 0.0)], height=0.4, up=0.3, down=0.3)
    assert found.found.tolist() == [False, True]


def test_what_is_overhead_is_no_ground():
    things = [plane(), box((-1, -1, 2.2), (1, 1, 2.5), "bridge")]
    assert np.abs(heights(things, [(0, 0), (3, 0)]).height).max() == 0.0
    np.testing.assert_allclose(heights(things, [(0, 0), (3, 0)], 2.5).height, [2.5, 0.0], atol=1e-6)


def test_noise_by_a_modifier_is_the_evaluated_surface():
    thing = plane(2.0)
    subdivided = thing.modifiers.new("subdivide", "SUBSURF")
    subdivided.subdivision_type, subdivided.levels = "SIMPLE", 6
    texture = bpy.data.textures.new("noise", "CLOUDS")
    texture.noise_scale = 0.4
    displaced = thing.modifiers.new("displace", "DISPLACE")
    displaced.texture, displaced.strength, displaced.mid_level = texture, 0.15, 0.5
    depsgraph = bpy.context.evaluated_depsgraph_get()
    evaluated = thing.evaluated_get(depsgraph)
    places = some_places(100, 1.9)
    found = heights(thing, places)
    assert found.found.all()
    assert np.ptp(found.height) > 0.05
    for place, height, normal in zip(places, found.height, found.normal.T, strict=True):
        hit, location, its_normal, _ = evaluated.ray_cast((*place, 1.0), (0, 0, -1))
        assert hit
        assert height == pytest.approx(location.z, abs=1e-6)
        assert normal @ np.array(its_normal) == pytest.approx(1.0, abs=1e-5)
    assert len(thing.data.vertices) == 4


def test_holes_are_told():
    thing = mesh(
        [(x, y, 0) for x in (-3, -0.4, 0.4, 3) for y in (-3, 3)], [[0, 2, 3, 1], [4, 6, 7, 5]], "gap"
    )
    found = heights(thing, [(-1, 0), (0, 0), (1, 0)], height=0.25)
    assert found.found.tolist() == [True, False, True]
    assert found.height.tolist() == [0.0, 0.25, 0.0]
    assert found.normal[:, 1].tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("scale", [(1, 1, 1), (-1, 2, 0.5), (-1, -1, -1), (3, 3, -3)])
def test_objects_stand_where_their_parents_and_transforms_put_them(scale):
    parent = bpy.data.objects.new("parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.location, parent.rotation_euler = (1, 2, 3), (0.2, -0.1, 0.7)
    thing = plane(3.0)
    thing.parent, thing.scale, thing.rotation_euler = parent, scale, (0.1, 0.2, 0.3)
    bpy.context.view_layer.update()
    corners = np.array([thing.matrix_world @ v.co for v in thing.data.vertices])
    soup = read_soup(thing)
    np.testing.assert_allclose(np.unique(soup.vertices, axis=0), np.unique(corners, axis=0), atol=1e-6)
    # A triangle faces as Blender's normal of it does, mirrored or not.
    a, b, c = soup.vertices[soup.triangles[0]]
    seen = (thing.matrix_world.to_3x3().inverted().transposed() @ thing.data.polygons[0].normal).normalized()
    across = np.cross(b - a, c - a)
    assert across @ np.array(seen) / np.linalg.norm(across) == pytest.approx(1.0, abs=1e-5)
    centre = np.array(thing.matrix_world.translation)
    found = as_ground(thing).heights(centre[:, None])
    assert found.height == pytest.approx([centre[2]], abs=1e-6)


def test_instances_of_collections_are_ground():
    stone = box((-0.5, -0.5, 0), (0.5, 0.5, 0.3), "stone")
    stones = bpy.data.collections.new("stones")
    stones.objects.link(stone)
    bpy.context.scene.collection.objects.unlink(stone)
    things = []
    for x, size in ((2.0, 1.0), (5.0, -2.0)):
        empty = bpy.data.objects.new("stones", None)
        empty.instance_type, empty.instance_collection = "COLLECTION", stones
        empty.location, empty.scale = (x, 0, 0), (size, 2, 1)
        bpy.context.scene.collection.objects.link(empty)
        things.append(empty)
    found = heights(things, [(2, 0), (2.4, 0.9), (2.6, 0), (5.9, 0), (6.1, 0)])
    assert found.found.tolist() == [True, True, False, True, False]
    np.testing.assert_allclose(found.height, [0.3, 0.3, 0, 0.3, 0], atol=1e-6)


def test_instances_on_faces_are_ground_beside_what_carries_them():
    thing = plane(1.0)
    stone = box((-0.2, -0.2, 0), (0.2, 0.2, 0.3), "stone")
    stone.parent, thing.instance_type = thing, "FACES"
    found = heights(thing, [(0, 0), (0.15, -0.15), (0.5, 0.5)])
    np.testing.assert_allclose(found.height, [0.3, 0.3, 0.0], atol=1e-6)


def test_instances_made_by_geometry_nodes_are_ground():
    thing = plane(2.0)
    group: Any = bpy.data.node_groups.new("stones", "GeometryNodeTree")
    group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    into, out = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    stones = group.nodes.new("GeometryNodeInstanceOnPoints")
    cube = group.nodes.new("GeometryNodeMeshCube")
    cube.inputs["Size"].default_value = (0.4, 0.4, 0.4)
    group.links.new(into.outputs[0], stones.inputs["Points"])
    group.links.new(cube.outputs["Mesh"], stones.inputs["Instance"])
    group.links.new(stones.outputs["Instances"], out.inputs[0])
    thing.modifiers.new("stones", "NODES").node_group = group
    # Cubes about the corners of the plane, whose own faces are gone.
    found = heights(thing, [(-2, -2), (2.15, 1.85), (0, 0)])
    assert found.found.tolist() == [True, True, False]
    np.testing.assert_allclose(found.height[:2], 0.2, atol=1e-6)


def test_ground_in_edit_mode_is_read_as_it_is_shown():
    thing = plane(1.0)
    bpy.context.view_layer.objects.active = thing
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(0, 0, 0.25))
    assert heights(thing, [(0, 0)]).height[0] == pytest.approx(0.25, abs=1e-6)
    assert thing.mode == "EDIT"


@pytest.mark.parametrize("kind", ["CURVE", "SURFACE", "FONT", "META"])
def test_what_is_shown_as_faces_is_ground(kind):
    if kind == "CURVE":
        bpy.ops.curve.primitive_bezier_circle_add(radius=2.0, location=(0, 0, 0.5))
        bpy.context.object.data.dimensions = "2D"
        bpy.context.object.data.fill_mode = "BOTH"
    elif kind == "SURFACE":
        bpy.ops.surface.primitive_nurbs_surface_sphere_add(radius=1.0, location=(0, 0, 0.5))
    elif kind == "FONT":
        bpy.ops.object.text_add(radius=4.0, location=(0, -1, 0.5))
        bpy.context.object.data.body = "I"
        bpy.context.object.data.align_x = "CENTER"
    else:
        bpy.ops.object.metaball_add(radius=1.0, location=(0, 0, 0.5))
    thing = bpy.context.object
    assert thing.type == kind
    found = heights(thing, [(0.05, 0.03), (7.0, 7.0)], up=3.0)
    assert found.found.tolist() == [True, False]
    # The flat ones lie at 0.5; the round ones are highest over the middle.
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    top = max((thing.matrix_world @ v.co).z for v in evaluated.to_mesh().vertices)
    evaluated.to_mesh_clear()
    assert top == pytest.approx(0.5, abs=1e-6) if kind in ("CURVE", "FONT") else top > 1.0
    assert found.height[0] == pytest.approx(top, abs=1e-6 if top < 1.0 else 1e-2)


def test_ground_is_read_at_the_frame_that_is_shown_and_told_that_it_moves():
    thing, carried = plane(), plane(1.0, "carried")
    assert as_ground([thing, carried]).notes == ()
    carried.parent = thing
    for frame, z in ((1, 0.0), (11, 1.0)):
        thing.location.z = z
        thing.keyframe_insert("location", frame=frame)
    for frame, z in ((1, 0.0), (11, 1.0)):
        bpy.context.scene.frame_set(frame)
        assert heights(thing, [(0, 0)], up=3.0).height[0] == pytest.approx(z, abs=1e-6)
    assert as_ground([thing, carried]).notes == tuple(
        f'"{name}" is animated: it is taken as it stands at frame 11.' for name in ("ground", "carried")
    )


def test_the_character_is_no_ground_for_itself():
    rig = rigs.biped()
    child, worn, floor = box((-1, -1, 0), (1, 1, 1), "child"), plane(1.0, "worn"), plane()
    child.parent = rig
    worn.modifiers.new("Armature", "ARMATURE").object = rig
    worn.location.z = 0.2
    ground = as_ground([child, worn, floor], rig)
    assert ground.heights(at([(0, 0)]), up=3.0).height[0] == 0.0
    assert [note.split('"')[1] for note in ground.notes] == ["child", "worn"]
    with pytest.raises(amble.AmbleError, match="belongs to the character"):
        as_ground([child, worn], rig)


def test_objects_without_faces_are_named_with_what_to_do():
    scene = bpy.context.scene
    lamp = bpy.data.objects.new("lamp", bpy.data.lights.new("lamp", "POINT"))
    bare = bpy.data.objects.new("bare", bpy.data.meshes.new("bare"))
    hidden, off = plane(1.0, "hidden"), plane(1.0, "off")
    for thing in (lamp, bare):
        scene.collection.objects.link(thing)
    hidden.hide_set(True)
    off.hide_viewport = True
    for thing, reason in (
        (lamp, '"lamp" is of type light, which has no faces: '),
        (bare, '"bare" has no faces at frame 1: '),
        (hidden, '"hidden" is hidden: '),
        (off, '"off" is not evaluated in this view layer: '),
    ):
        with pytest.raises(amble.AmbleError, match=reason):
            as_ground(thing)
    with pytest.raises(amble.AmbleError, match="neither an object nor a collection"):
        as_ground(["ground"])
    with pytest.raises(amble.AmbleError, match="nothing was named"):
        as_ground([])
    # In a collection they are left out, with a note.
    plane()
    ground = as_ground(scene.collection)
    assert [note.split('"')[1] for note in ground.notes] == ["hidden", "off", "bare"]
    assert isinstance(ground, MeshGround)
    assert ground.soup.names == ("ground",)


def test_a_vertex_that_is_no_number_is_named():
    thing = plane()
    thing.data.vertices[0].co.x = math.nan
    with pytest.raises(amble.AmbleError, match='"ground" has vertices that are not finite'):
        as_ground(thing)


def test_reading_leaves_the_scene_as_it_was():
    thing = plane()
    meshes = len(bpy.data.meshes)
    bpy.context.scene.frame_set(7)
    as_ground(thing)
    assert len(bpy.data.meshes) == meshes
    assert bpy.context.scene.frame_current == 7
    assert not thing.data.is_editmode
