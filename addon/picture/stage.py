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
from .body import Floats, Ints
from .inks import Colour, use_nodes

ATTRIBUTE = "amble_colour"
ELEVATION = math.radians(12.0)  # enough to see the prints on the ground, still a side view
FAR = 120.0  # half as far, the overlay is before the floor as far down as a strip goes
EDGE = 4  # pixels
# Without Open Image Denoise (some distributions leave it out) more samples have to do.
SAMPLES_DENOISED, SAMPLES_RAW = 10, 32


class Stage:
    """Use as a context manager: everything it made is removed at the end, also after an error.

    elevation: radians from which the viewer looks down.
    """

    def __init__(self, elevation: float = ELEVATION) -> None:
        self._elevation = elevation
        self._made: list[tuple[Any, Any]] = []  # (collection of bpy.data, datablock)
        self._inks: dict[Colour, bpy.types.Material] = {}
        self._fonts = set(bpy.data.fonts)  # the first text loads Blender's own font
        self._had_result = "Render Result" in bpy.data.images

    def __enter__(self) -> Stage:
        try:
            self.scene = self._keep(bpy.data.scenes, bpy.data.scenes.new("amble picture"))
            self._solid = self._material("amble solid", "ShaderNodeBsdfPrincipled", "Base Color")
            self._plain = self._material("amble plain", "ShaderNodeEmission", "Color")
            self._camera_frame = Matrix.Rotation(math.pi / 2 - self._elevation, 4, "X")
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
        for font in set(bpy.data.fonts) - self._fonts:
            bpy.data.fonts.remove(font)
        result = bpy.data.images.get("Render Result")
        if result is not None and not self._had_result:
            bpy.data.images.remove(result)

    def _material(self, name: str, shader: str, socket: str) -> bpy.types.Material:
        material: Any = self._keep(bpy.data.materials, bpy.data.materials.new(name))
        tree = use_nodes(material)
        nodes, links = tree.nodes, tree.links
        nodes.clear()
        output, node, attribute = (
            nodes.new(kind) for kind in ("ShaderNodeOutputMaterial", shader, "ShaderNodeAttribute")
        )
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

    def add_surface(self, points: Floats, normals: Floats, faces: Ints, colours: Floats) -> Any:
        """Triangles int32 (m, 3) over points (n, 3) with unit normals (n, 3) and linear colours (n, 3)."""
        mesh = self._keep(bpy.data.meshes, bpy.data.meshes.new("amble"))
        mesh.from_pydata(points.tolist(), [], faces.tolist())
        mesh.normals_split_custom_set_from_vertices(normals.tolist())
        return self.add_mesh(mesh, colours)

    def add_mesh(
        self, mesh: bpy.types.Mesh, colours: Floats, matrix: Matrix | None = None, solid: bool = True
    ) -> Any:
        """Show a mesh with one linear colour (3,) per vertex, as a lit body or (solid=False) as plain ink."""
        attribute: Any = mesh.color_attributes.new(ATTRIBUTE, "FLOAT_COLOR", "POINT")
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

    def add_ink(self, outline: Floats, ink: Colour, height: float, lit: bool = True) -> None:
        """A filled polygon (n, 2) in x, y, lying `height` above the ground."""
        points = np.column_stack([outline, np.full(len(outline), height)])
        self._polygon(points, ink, None, solid=lit)

    def add_overlay(self, outline: Floats, ink: Colour, layer: float = 0.0) -> None:
        """A filled polygon (n, 2) on the picture plane: x to the right, y up, as `project` gives them."""
        points = np.column_stack([outline, np.full(len(outline), layer)])
        self._hide_from_light(self._polygon(points, ink, self._overlay_matrix(), solid=False))

    def add_overlay_mesh(self, mesh: bpy.types.Mesh, colours: Floats) -> None:
        """A mesh on the picture plane, one linear colour (n, 3) per vertex."""
        self._hide_from_light(self.add_mesh(mesh, colours, self._overlay_matrix(), solid=False))

    def add_text(
        self,
        text: str,
        place: tuple[float, float],
        size: float,
        ink: Colour,
        align: str = "CENTER",
        layer: float = 0.01,
    ) -> None:
        """One line of text on the picture plane, its base line at `place`."""
        curve = self._keep(bpy.data.curves, bpy.data.curves.new("amble", "FONT"))
        curve.body, curve.size, curve.align_x = text, size, align
        curve.materials.append(self._lettering(ink))
        matrix = self._overlay_matrix() @ Matrix.Translation((place[0], place[1], layer))
        self._hide_from_light(self._object(curve, matrix))

    def _lettering(self, ink: Colour) -> bpy.types.Material:
        """Text has no vertex colours, so each ink is a material of its own."""
        if ink not in self._inks:
            material: Any = self._material("amble lettering", "ShaderNodeEmission", "Color")
            emission = next(node for node in material.node_tree.nodes if node.type == "EMISSION")
            material.node_tree.links.remove(emission.inputs["Color"].links[0])
            emission.inputs["Color"].default_value = (*ink, 1.0)
            self._inks[ink] = material
        return self._inks[ink]

    def _overlay_matrix(self) -> Matrix:
        return self._camera_frame @ Matrix.Translation((0, 0, FAR * 0.5))

    def _polygon(self, points: Floats, ink: Colour, matrix: Matrix | None, solid: bool) -> Any:
        mesh = self._keep(bpy.data.meshes, bpy.data.meshes.new("amble"))
        mesh.from_pydata(points.tolist(), [], [list(range(len(points)))])
        return self.add_mesh(mesh, np.asarray(ink), matrix, solid)

    @staticmethod
    def _hide_from_light(made: bpy.types.Object) -> None:
        made.visible_shadow = made.visible_diffuse = made.visible_glossy = False

    @staticmethod
    def project(points: Floats, elevation: float = ELEVATION) -> Floats:
        """Stage points (..., 3) as picture-plane points (..., 2): x to the right, y up."""
        up = points[..., 2] * math.cos(elevation) + points[..., 1] * math.sin(elevation)
        return np.stack([points[..., 0], up], axis=-1)

    # the picture

    def render(
        self,
        path: Path,
        low: tuple[float, float],
        high: tuple[float, float],
        width: int,
        ground: Colour,
        floor: float = 0.0,
    ) -> None:
        """Render the part of the picture plane from `low` to `high` to a PNG file, `width` pixels wide.

        ground, floor: colour and height of the floor that is under everything.
        """
        scene = self.scene
        height = max(2, round(width * (high[1] - low[1]) / (high[0] - low[0])))
        # The denoiser blotches the outermost pixels: draw some more than asked for and cut them off.
        scale = (high[0] - low[0]) / width
        camera = self._keep(bpy.data.cameras, bpy.data.cameras.new("amble"))
        camera.type, camera.sensor_fit, camera.clip_end = "ORTHO", "HORIZONTAL", 4 * FAR
        camera.ortho_scale = scale * (width + 2 * EDGE)
        middle = Vector(((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, FAR))
        scene.camera = self._object(camera, self._camera_frame @ Matrix.Translation(middle))
        self._light()
        edge = 200.0
        corners = np.array([(-edge, -edge), (edge, -edge), (edge, edge), (-edge, edge)])
        self.add_ink(corners, ground, floor)

        render = scene.render
        render.resolution_x, render.resolution_y = width + 2 * EDGE, height + 2 * EDGE
        render.resolution_percentage = 100
        render.image_settings.file_format, render.image_settings.color_mode = "PNG", "RGB"
        render.filepath, render.use_file_extension = str(path), False
        render.use_compositing = render.use_sequencer = False
        render.dither_intensity = 0.0  # its grain would be all there is on the background
        scene.view_settings.view_transform = "Standard"
        try:
            render.engine = "CYCLES"
        except TypeError as error:
            raise AmbleError(
                "The picture is drawn with Cycles; enable the add-on 'Cycles Render Engine'."
            ) from error
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
        self._cut(path, EDGE)

    def _cut(self, path: Path, edge: int) -> None:
        """Take `edge` pixels off every side of a picture file."""
        whole: Any = self._keep(bpy.data.images, bpy.data.images.load(str(path), check_existing=False))
        wide, tall = whole.size
        pixels = np.empty(wide * tall * 4, dtype=np.float32)
        whole.pixels.foreach_get(pixels)
        pixels = pixels.reshape(tall, wide, 4)[edge:-edge, edge:-edge]
        kept: Any = bpy.data.images.new("amble", wide - 2 * edge, tall - 2 * edge, alpha=False)
        self._keep(bpy.data.images, kept)
        kept.pixels.foreach_set(pixels.ravel())
        kept.filepath_raw, kept.file_format = str(path), "PNG"
        kept.save()

    def _light(self) -> None:
        world = self._keep(bpy.data.worlds, bpy.data.worlds.new("amble"))
        background = next(node for node in use_nodes(world).nodes if node.type == "BACKGROUND")
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
