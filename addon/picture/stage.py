"""A scene of its own to draw in: flat background, soft light, orthographic camera, Cycles.

Stage space, in metres of a figure whose legs are 0.9 long: x to the right of the picture, y away from
the viewer, z up, ground at z = 0.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ..errors import AmbleError

ATTRIBUTE = "amble_colour"
ELEVATION = math.radians(9.0)  # enough to see the prints on the ground, still a side view
FAR = 30.0
# Without Open Image Denoise (some distributions leave it out) more samples have to do.
SAMPLES_DENOISED, SAMPLES_RAW = 10, 32

Colour = tuple[float, float, float]


def colour(code: str) -> Colour:
    """'#RRGGBB' (sRGB) as linear red, green, blue."""
    parts = (int(code[k : k + 2], 16) / 255 for k in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return red, green, blue


class Stage:
    """Use as a context manager: everything it made is removed at the end, also after an error."""

    def __init__(self) -> None:
        self._made: list[tuple[Any, Any]] = []  # (collection of bpy.data, datablock)
        self._inks: dict[Colour, bpy.types.Material] = {}
        self._had_result = "Render Result" in bpy.data.images

    def __enter__(self) -> Stage:
        try:
            self.scene = self._keep(bpy.data.scenes, bpy.data.scenes.new("amble picture"))
            self._solid = self._material("amble solid", "ShaderNodeBsdfPrincipled", "Base Color")
            self._plain = self._material("amble plain", "ShaderNodeEmission", "Color")
            self._camera_frame = Matrix.Rotation(math.pi / 2 - ELEVATION, 4, "X")
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._remove()

    def _keep(self, collection: Any, made: Any) -> Any:
        self._made.append((collection, made))
        return made

    def _remove(self) -> None:
        for collection, made in reversed(self._made):
            collection.remove(made)
        self._made.clear()
        result = bpy.data.images.get("Render Result")
        if result is not None and not self._had_result:
            bpy.data.images.remove(result)

    def _material(self, name: str, shader: str, socket: str) -> bpy.types.Material:
        material = self._keep(bpy.data.materials, bpy.data.materials.new(name))
        if not material.use_nodes:
            material.use_nodes = True
        nodes, links = material.node_tree.nodes, material.node_tree.links
        nodes.clear()
        output, node, attribute = (nodes.new(kind) for kind in ("ShaderNodeOutputMaterial", shader, "ShaderNodeAttribute"))
        attribute.attribute_name = ATTRIBUTE
        links.new(attribute.outputs["Color"], node.inputs[socket])
        links.new(node.outputs[0], output.inputs["Surface"])
        if "Roughness" in node.inputs:
            node.inputs["Roughness"].default_value = 0.62
            node.inputs["Specular IOR Level"].default_value = 0.25
        return material

    def _object(self, data: Any, matrix: Matrix | None = None) -> bpy.types.Object:
        made = self._keep(bpy.data.objects, bpy.data.objects.new("amble", data))
        self.scene.collection.objects.link(made)
        if matrix is not None:
            made.matrix_world = matrix
        return made

    # solids

    def add_surface(self, points: np.ndarray, normals: np.ndarray, faces: np.ndarray, colours: np.ndarray) -> Any:
        """Triangles int32 (m, 3) over points (n, 3) with unit normals (n, 3) and linear colours (n, 3)."""
        mesh = self._keep(bpy.data.meshes, bpy.data.meshes.new("amble"))
        mesh.from_pydata(points.tolist(), [], faces.tolist())
        mesh.normals_split_custom_set_from_vertices(normals.tolist())
        return self.add_mesh(mesh, colours)

    def add_mesh(self, mesh: bpy.types.Mesh, colours: np.ndarray, matrix: Matrix | None = None, solid: bool = True) -> Any:
        """Show a mesh with one linear colour (3,) per vertex, as a lit body or (solid=False) as plain ink."""
        attribute = mesh.color_attributes.new(ATTRIBUTE, "FLOAT_COLOR", "POINT")
        values = np.ones((len(mesh.vertices), 4), dtype=np.float32)
        values[:, :3] = colours
        attribute.data.foreach_set("color", values.ravel())
        mesh.materials.clear()
        mesh.materials.append(self._solid if solid else self._plain)
        mesh.polygons.foreach_set("material_index", np.zeros(len(mesh.polygons), dtype=np.int32))
        return self._object(mesh, matrix)

    def keep_mesh(self, mesh: bpy.types.Mesh) -> bpy.types.Mesh:
        """Have a mesh made elsewhere removed with the stage."""
        return self._keep(bpy.data.meshes, mesh)

    # ink: on the ground, or on the picture's own plane

    def add_ink(self, outline: np.ndarray, ink: Colour, height: float, lit: bool = True) -> None:
        """A filled polygon (n, 2) in x, y, lying `height` above the ground."""
        points = np.column_stack([outline, np.full(len(outline), height)])
        self._polygon(points, ink, None, solid=lit)

    def add_overlay(self, outline: np.ndarray, ink: Colour, layer: float = 0.0) -> None:
        """A filled polygon (n, 2) on the picture plane: x to the right, y up, as `project` gives them."""
        points = np.column_stack([outline, np.full(len(outline), layer)])
        self._hide_from_light(self._polygon(points, ink, self._overlay_matrix(), solid=False))

    def add_text(self, text: str, place: tuple[float, float], size: float, ink: Colour, align: str = "CENTER", layer: float = 0.01) -> None:
        """One line of text on the picture plane, its base line at `place`."""
        curve = self._keep(bpy.data.curves, bpy.data.curves.new("amble", "FONT"))
        curve.body, curve.size, curve.align_x = text, size, align
        curve.materials.append(self._lettering(ink))
        matrix = self._overlay_matrix() @ Matrix.Translation((place[0], place[1], layer))
        self._hide_from_light(self._object(curve, matrix))

    def _lettering(self, ink: Colour) -> bpy.types.Material:
        """Text has no vertex colours, so each ink is a material of its own."""
        if ink not in self._inks:
            material = self._material("amble lettering", "ShaderNodeEmission", "Color")
            emission = next(node for node in material.node_tree.nodes if node.type == "EMISSION")
            material.node_tree.links.remove(emission.inputs["Color"].links[0])
            emission.inputs["Color"].default_value = (*ink, 1.0)
            self._inks[ink] = material
        return self._inks[ink]

    def _overlay_matrix(self) -> Matrix:
        return self._camera_frame @ Matrix.Translation((0, 0, FAR * 0.5))

    def _polygon(self, points: np.ndarray, ink: Colour, matrix: Matrix | None, solid: bool) -> Any:
        mesh = self._keep(bpy.data.meshes, bpy.data.meshes.new("amble"))
        mesh.from_pydata(points.tolist(), [], [list(range(len(points)))])
        return self.add_mesh(mesh, np.asarray(ink), matrix, solid)

    @staticmethod
    def _hide_from_light(made: bpy.types.Object) -> None:
        made.visible_shadow = made.visible_diffuse = made.visible_glossy = False

    @staticmethod
    def project(points: np.ndarray) -> np.ndarray:
        """Stage points (..., 3) as picture-plane points (..., 2): x to the right, y up."""
        return np.stack(
            [points[..., 0], points[..., 2] * math.cos(ELEVATION) + points[..., 1] * math.sin(ELEVATION)], axis=-1
        )

    # the picture

    def render(self, path: Path, low: tuple[float, float], high: tuple[float, float], width: int, ground: Colour) -> None:
        """Render the part of the picture plane from `low` to `high` to a PNG file, `width` pixels wide."""
        scene = self.scene
        wide, tall = high[0] - low[0], high[1] - low[1]
        camera = self._keep(bpy.data.cameras, bpy.data.cameras.new("amble"))
        camera.type, camera.ortho_scale, camera.sensor_fit, camera.clip_end = "ORTHO", wide, "HORIZONTAL", 4 * FAR
        middle = Vector(((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, FAR))
        scene.camera = self._object(camera, self._camera_frame @ Matrix.Translation(middle))
        self._light()
        edge = 200.0
        floor = np.array([(-edge, -edge), (edge, -edge), (edge, edge), (-edge, edge)])
        self.add_ink(floor, ground, 0.0)

        render = scene.render
        render.resolution_x, render.resolution_percentage = width, 100
        render.resolution_y = max(2, round(width * tall / wide))
        render.image_settings.file_format, render.image_settings.color_mode = "PNG", "RGB"
        render.filepath, render.use_file_extension = str(path), False
        render.use_compositing = render.use_sequencer = False
        scene.view_settings.view_transform = "Standard"
        try:
            render.engine = "CYCLES"
        except TypeError as error:
            raise AmbleError("The picture is drawn with Cycles; enable the add-on 'Cycles Render Engine'.") from error
        cycles = scene.cycles
        cycles.device, cycles.max_bounces, cycles.diffuse_bounces = "CPU", 1, 1
        cycles.use_adaptive_sampling, cycles.adaptive_threshold = True, 0.03
        cycles.use_denoising = _can_denoise()
        if cycles.use_denoising:
            cycles.denoiser, cycles.denoising_prefilter = "OPENIMAGEDENOISE", "FAST"  # a third of the time
            if hasattr(cycles, "denoising_quality"):
                cycles.denoising_quality = "BALANCED"
        cycles.samples = SAMPLES_DENOISED if cycles.use_denoising else SAMPLES_RAW
        bpy.ops.render.render(write_still=True, scene=scene.name)

    def _light(self) -> None:
        world = self._keep(bpy.data.worlds, bpy.data.worlds.new("amble"))
        if not world.use_nodes:
            world.use_nodes = True
        background = next(node for node in world.node_tree.nodes if node.type == "BACKGROUND")
        background.inputs["Color"].default_value = (1.0, 1.0, 1.0, 1.0)
        background.inputs["Strength"].default_value = 0.62
        self.scene.world = world
        sun = self._keep(bpy.data.lights, bpy.data.lights.new("amble", "SUN"))
        sun.energy, sun.angle = 1.55, math.radians(14.0)
        toward = Vector((0.35, 0.55, -1.0)).to_track_quat("-Z", "Y")
        self._object(sun, toward.to_matrix().to_4x4())



def _can_denoise() -> bool:
    try:
        import _cycles
    except ImportError:
        return False
    return bool(getattr(_cycles, "with_openimagedenoise", False))
