"""From a static world and the actors of a drive to meshes, and from a tick to a draw list."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foveal.drawlist import DrawList, MeshSet, Zone
from foveal.scene import kind as kinds
from foveal.scene import labels
from foveal.scene.axes import carla_matrix, scene_matrix, scene_points
from foveal.scene.kind import Kind
from foveal.scene.materials import table
from foveal.scene.part import MeshBuilder, Part
from foveal.scene.roads import ground, roads
from foveal.scene.static import StaticScene
from foveal.scene.tick import CameraMount, Tick

__all__ = [
    "CHUNK_M",
    "SUN",
    "Scene",
    "StaticParts",
    "build_scene",
    "draw_list",
    "furnished",
    "projection",
    "static_parts",
    "view",
]

StaticParts = tuple[tuple[np.ndarray, Part], ...]
"""What does not move, in squares: the origin of each (3,) in the scene's axes, in metres, and what lies in it."""

CHUNK_M = 50.0
"""Side of the squares that static geometry is cut into, so that a device can leave out what is not in view."""

SUN: tuple[float, float, float] = (-0.478, 0.372, 0.796)
"""Default direction to the sun in the scene's axes."""

_SPARE: dict[Kind, tuple[float, float, float]] = {
    Kind.CAR: (2.35, 0.98, 0.75),
    Kind.VAN: (2.9, 1.0, 1.25),
    Kind.TRUCK: (4.2, 1.3, 1.8),
    Kind.BUS: (5.5, 1.4, 1.6),
    Kind.MOTORCYCLE: (1.1, 0.4, 0.8),
    Kind.BICYCLE: (0.85, 0.3, 0.85),
    Kind.PEDESTRIAN: (0.19, 0.19, 0.93),
    Kind.TRAFFIC_LIGHT: (0.3, 0.3, 0.5),
    Kind.TRAFFIC_SIGN: (0.1, 0.4, 1.2),
    Kind.BOX: (0.5, 0.5, 0.5),
}
_SPARE_COLOURS = 4
_GL_FROM_CAMERA = np.array([[0.0, -1, 0, 0], [0, 0, 1, 0], [-1, 0, 0, 0], [0, 0, 0, 1]])


@dataclass(frozen=True, slots=True)
class Scene:
    """Meshes of a drive and how to place them.

    meshes: static chunks first. static_origin: (S, 3) float64 world position of chunk 0..S-1, scene axes, metres.
    actor_mesh: mesh by actor id, made to that actor's box. spare: per kind, the meshes (one per colour) for actors
    that appear later, and the half sizes they were made with; instances are scaled to the box.
    """

    meshes: MeshSet
    static_origin: np.ndarray
    actor_mesh: dict[int, int]
    spare: dict[Kind, tuple[tuple[int, ...], tuple[float, float, float]]]


def build_scene(static: StaticScene, tick: Tick | None = None) -> Scene:
    """Meshes for a static world and for the actors of `tick` (a drive's first); deterministic in its arguments."""
    return furnished(static_parts(static), tick)


def static_parts(static: StaticScene) -> StaticParts:
    """The first half of :func:`build_scene`, which takes the longest and serves all scenes of one world."""
    lying = labels.surface(Part.joined([ground(static), *roads(static)]))
    return tuple(Part.joined([lying, *_objects(static)]).chunks(CHUNK_M))


def furnished(parts: StaticParts, tick: Tick | None = None) -> Scene:
    """The other half: these parts, and meshes for the actors of `tick` and for those that appear later."""
    builder = MeshBuilder()
    for _, part in parts:
        builder.add(part)
    actor_mesh: dict[int, int] = {}
    if tick is not None:
        for number, type_index, box in zip(tick.actor_id.tolist(), tick.actor_type.tolist(), tick.box, strict=True):
            shape = kinds.of_type(tick.types[type_index])
            if shape is not None and number != tick.ego_id:
                actor_mesh[number] = builder.add(labels.actor(kinds.mesh(shape, box[3:6], number), shape))
    spare = {
        shape: (tuple(builder.add(_spare_mesh(shape, size, k)) for k in range(_SPARE_COLOURS)), size)
        for shape, size in _SPARE.items()
    }
    origin = np.array([origin for origin, _ in parts]).reshape(-1, 3)
    return Scene(builder.build(table()), origin, actor_mesh, spare)


def draw_list(
    scene: Scene, tick: Tick, mount: CameraMount, sun: tuple[float, float, float] = SUN, zone: Zone | None = None
) -> DrawList:
    """What the camera of `tick` may see: every static chunk, and every actor with a body but the ego.

    sun: direction to the sun in the scene's axes. A stretched spare mesh is shaded as if it were not stretched.
    """
    mesh, model, turn, number = _actors(scene, tick)
    count = len(scene.static_origin)
    place = np.broadcast_to(np.eye(4), (count, 4, 4)).copy()
    place[:, :3, 3] = scene.static_origin
    camera = projection(mount) @ view(tick.camera)
    towards = np.asarray(sun, dtype=np.float64)
    towards = towards / np.linalg.norm(towards)
    local = np.concatenate([np.broadcast_to(towards, (count, 3)), np.einsum("nji,j->ni", turn, towards)])
    ego = scene_points(tick.ego[:3])
    return DrawList(
        frame=tick.frame,
        width=mount.width,
        height=mount.height,
        mesh=np.concatenate([np.arange(count, dtype=np.uint32), mesh]),
        mvp=(camera @ np.concatenate([place, model])).astype(np.float32),
        sun=local.astype(np.float32),
        ego=(float(ego[0]), float(ego[1])),
        zone=zone,
        instance=np.concatenate([np.zeros(count, np.uint16), number.astype(np.uint16)]),
    )


def view(camera: np.ndarray) -> np.ndarray:
    """(4, 4) OpenGL view matrix, from a world pose (6,) in CARLA's axes to eye space with -z forward."""
    world = scene_matrix(carla_matrix(camera))
    inverse = np.eye(4)
    inverse[:3, :3] = world[:3, :3].T
    inverse[:3, 3] = -world[:3, :3].T @ world[:3, 3]
    return _GL_FROM_CAMERA @ inverse


def projection(mount: CameraMount) -> np.ndarray:
    """(4, 4) OpenGL perspective matrix, depth -1..1, square pixels, horizontal field of view as CARLA's `fov`."""
    scale = 1.0 / np.tan(np.radians(mount.fov_deg) / 2)
    near, far = mount.near_m, mount.far_m
    matrix = np.zeros((4, 4))
    matrix[0, 0], matrix[1, 1] = scale, scale * mount.width / mount.height
    matrix[2, 2], matrix[2, 3] = (far + near) / (near - far), 2 * far * near / (near - far)
    matrix[3, 2] = -1.0
    return matrix


def _spare_mesh(shape: Kind, size: tuple[float, float, float], number: int) -> Part:
    return labels.actor(kinds.mesh(shape, np.array(size), number), shape)


def _actors(scene: Scene, tick: Tick) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Mesh (n,), world-from-mesh (n, 4, 4), its rotation (n, 3, 3) and the id (n,) of the drawn actors."""
    shape = [kinds.of_type(name) for name in tick.types]
    mesh, stretch, row = [], [], []
    for index, (number, type_index) in enumerate(zip(tick.actor_id.tolist(), tick.actor_type.tolist(), strict=True)):
        body = shape[type_index]
        if body is None or number == tick.ego_id:
            continue
        row.append(index)
        if number in scene.actor_mesh:
            mesh.append(scene.actor_mesh[number])
            stretch.append((1.0, 1.0, 1.0))
        else:
            choices, size = scene.spare[body]
            extent = np.maximum(np.abs(tick.box[index, 3:6]), kinds.MIN_EXTENT_M)
            mesh.append(choices[number % len(choices)])
            stretch.append(tuple(extent / size))
    box = tick.box[row]
    place = scene_matrix(carla_matrix(tick.transform[row]) @ carla_matrix(box[:, [0, 1, 2, 6, 7, 8]]))
    model = place.copy()
    model[:, :3, :3] *= np.array(stretch, dtype=np.float64).reshape(-1, 1, 3)
    return np.array(mesh, dtype=np.uint32), model, place[:, :3, :3], tick.actor_id[row]


def _objects(static: StaticScene) -> list[Part]:
    parts = []
    place = scene_matrix(carla_matrix(static.object_box[:, [0, 1, 2, 6, 7, 8]]))
    for number, label, box, matrix in zip(
        static.object_id.tolist(), static.object_label.tolist(), static.object_box, place, strict=True
    ):
        shape = kinds.LABEL_KIND.get(label)
        if shape is not None and np.abs(box[3:6]).max() > kinds.MIN_EXTENT_M:
            parts.append(labels.static_object(kinds.mesh(shape, box[3:6], number), number, label).moved(matrix))
    return parts
