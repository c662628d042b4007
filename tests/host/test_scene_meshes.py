"""Generated meshes: they fill their box, look outward and do not change from run to run."""

from __future__ import annotations

import numpy as np
import pytest
from foveal.errors import SceneError
from foveal.scene.kind import Kind, mesh, of_type
from foveal.scene.part import MeshBuilder, Part
from foveal.scene.solids import box, cylinder, ellipsoid, inset, loft, quad, section

SIZES = {
    Kind.CAR: [(2.4, 1.0, 0.75), (1.9, 0.8, 0.8)],
    Kind.VAN: [(2.9, 1.0, 1.25)],
    Kind.TRUCK: [(4.2, 1.3, 1.8)],
    Kind.BUS: [(5.5, 1.4, 1.6)],
    Kind.MOTORCYCLE: [(1.1, 0.4, 0.8)],
    Kind.BICYCLE: [(0.85, 0.3, 0.85)],
    Kind.PEDESTRIAN: [(0.19, 0.19, 0.93), (0.3, 0.4, 0.6)],
    Kind.TRAFFIC_LIGHT: [(0.3, 0.3, 0.5), (0.3, 0.4, 2.4)],
    Kind.TRAFFIC_SIGN: [(0.1, 0.4, 0.4), (0.1, 0.4, 1.3)],
    Kind.POLE: [(0.1, 0.1, 3.0), (1.2, 0.1, 3.5), (0.1, 1.2, 3.5)],
    Kind.TREE: [(2.0, 2.0, 3.5), (1.0, 1.0, 0.5)],
    Kind.BUILDING: [(10.0, 8.0, 9.0), (2.0, 2.0, 1.5)],
    Kind.BOX: [(1.0, 0.5, 0.25)],
}
CASES = [(kind, size) for kind, sizes in SIZES.items() for size in sizes]


@pytest.mark.parametrize(("kind", "size"), CASES)
@pytest.mark.parametrize("number", [0, 5])
def test_a_mesh_fills_its_box_exactly(kind: Kind, size: tuple[float, ...], number: int) -> None:
    part = mesh(kind, np.array(size), number)
    np.testing.assert_allclose(part.position.min(axis=0), -np.array(size), atol=1e-9)
    np.testing.assert_allclose(part.position.max(axis=0), np.array(size), atol=1e-9)


@pytest.mark.parametrize(("kind", "size"), CASES)
def test_every_closed_piece_of_a_mesh_looks_outward(kind: Kind, size: tuple[float, ...]) -> None:
    part = mesh(kind, np.array(size), 3)
    pieces = _connected(part)
    closed = [piece for piece in pieces if _is_closed(piece)]
    assert closed
    for piece in closed:
        middle = piece.position[np.unique(piece.triangle)].mean(axis=0)
        assert Part(piece.position - middle, piece.triangle, piece.colour, piece.material).volume() > 0


@pytest.mark.parametrize(("kind", "size"), CASES)
def test_panels_look_away_from_the_middle(kind: Kind, size: tuple[float, ...]) -> None:
    part = mesh(kind, np.array(size), 3)
    for piece in _connected(part):
        if _is_closed(piece):
            continue
        corner = piece.position[piece.triangle]
        outward = (piece.normals() * corner.mean(axis=1) / np.array(size)).sum(axis=1)
        assert (outward > 0).all()


def test_the_same_number_gives_the_same_mesh_and_another_colour_for_others() -> None:
    size = np.array((2.4, 1.0, 0.75))
    first, again = mesh(Kind.CAR, size, 12), mesh(Kind.CAR, size, 12)
    np.testing.assert_array_equal(first.position, again.position)
    np.testing.assert_array_equal(first.colour, again.colour)
    paints = {tuple(mesh(Kind.CAR, size, number).colour[0].tolist()) for number in range(40)}
    assert len(paints) >= 6


def test_a_box_without_width_is_drawn_with_the_smallest_width() -> None:
    part = mesh(Kind.BICYCLE, np.array((0.9, 0.0, 0.8)), 1)
    np.testing.assert_allclose(np.ptp(part.position, axis=0), (1.8, 0.1, 1.6))


def test_a_negative_half_size_counts_as_its_absolute_value() -> None:
    part = mesh(Kind.CAR, np.array((2.4, -1.0, 0.75)), 1)
    assert _connected(part)[0].volume() > 0


@pytest.mark.parametrize(
    ("solid", "volume"),
    [
        (box((1, 2, 3), (1, 2, 3), (0, 0, 0)), 48.0),
        (cylinder((0, 0, 0), (0, 0, 2), (1, 1), 4, (0, 0, 0)), 4.0),
        (cylinder((1, 0, 0), (1, 3, 0), (1, 1), 4, (0, 0, 0)), 6.0),
        (ellipsoid((5, 5, 5), (1, 2, 3), (0, 0, 0), sides=64, rings=64), 8 * np.pi),
        (loft(np.stack([section(x, 1.0, 0.0, 2.0, 1.0) for x in (0.0, 3.0)]), (0, 0, 0)), 12.0),
    ],
)
def test_solids_have_the_volume_of_their_formula(solid: Part, volume: float) -> None:
    assert solid.volume() == pytest.approx(volume, rel=5e-3)


def test_an_inset_is_lifted_along_the_normal() -> None:
    face = np.array([(0, 0, 0), (4, 0, 0), (4, 2, 0), (0, 2, 0)])
    np.testing.assert_allclose(
        inset(face, (0.25, 0.75), (0.0, 0.5), 0.1), [(1, 0, 0.1), (3, 0, 0.1), (3, 1, 0.1), (1, 1, 0.1)]
    )


@pytest.mark.parametrize(
    ("type_id", "kind"),
    [
        ("vehicle.tesla.model3", Kind.CAR),
        ("vehicle.tesla.cybertruck", Kind.CAR),
        ("vehicle.carlamotors.carlacola", Kind.TRUCK),
        ("vehicle.carlamotors.firetruck", Kind.TRUCK),
        ("vehicle.mitsubishi.fusorosa", Kind.BUS),
        ("vehicle.mercedes.sprinter", Kind.VAN),
        ("vehicle.volkswagen.t2", Kind.VAN),
        ("vehicle.bh.crossbike", Kind.BICYCLE),
        ("vehicle.harley-davidson.low_rider", Kind.MOTORCYCLE),
        ("walker.pedestrian.0042", Kind.PEDESTRIAN),
        ("traffic.traffic_light", Kind.TRAFFIC_LIGHT),
        ("traffic.speed_limit.30", Kind.TRAFFIC_SIGN),
        ("static.prop.streetbarrier", Kind.BOX),
        ("sensor.camera.rgb", None),
        ("spectator", None),
        ("controller.ai.walker", None),
    ],
)
def test_blueprints_have_a_shape(type_id: str, kind: Kind | None) -> None:
    assert of_type(type_id) is kind


def test_a_builder_makes_ranges_bounds_and_normals() -> None:
    builder = MeshBuilder()
    first = builder.add(box((0, 0, 0), (1, 1, 1), (10, 20, 30), 4))
    flat = quad(np.array([(0, 0, 5), (1, 0, 5), (1, 1, 5), (0, 1, 5)]), (1, 2, 3), 9)
    second = builder.add(flat)
    meshes = builder.build(np.full((256, 4), 128, dtype=np.uint8))
    assert (first, second) == (0, 1)
    np.testing.assert_array_equal(meshes.triangle_range, [(0, 12), (12, 2)])
    np.testing.assert_array_equal(meshes.vertex_range, [(0, 8), (8, 4)])
    np.testing.assert_array_equal(meshes.bounds[1], [(0, 0, 5), (1, 1, 5)])
    np.testing.assert_array_equal(meshes.normal[12:], [(0, 0, 1)] * 2)
    np.testing.assert_array_equal(meshes.surface[13], (1, 2, 3, 9))


def test_triangles_without_area_are_left_out_and_nan_is_refused() -> None:
    builder = MeshBuilder()
    line = Part.of(np.array([(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, 0)]), [(0, 1, 2), (0, 1, 3)], (0, 0, 0), 0)
    builder.add(line)
    assert builder.build(np.zeros((256, 4), np.uint8)).triangle_range.tolist() == [[0, 1]]
    with pytest.raises(SceneError, match="not finite"):
        builder.add(Part.of(np.full((3, 3), np.nan), [(0, 1, 2)], (0, 0, 0), 0))


def test_chunks_hold_every_triangle_once_near_their_origin() -> None:
    part = Part.joined([box((x, y, 0), (1, 1, 1), (0, 0, 0)) for x in (-70, -1, 20, 70) for y in (0.5, 55)])
    pieces = part.chunks(50.0)
    assert sum(len(piece.triangle) for _, piece in pieces) == len(part.triangle)
    assert len(pieces) >= 8
    for _, piece in pieces:
        centre = piece.position[piece.triangle].mean(axis=1)
        assert (np.abs(centre[:, :2]) <= 25.0 + 1e-9).all()
    assert sum(Part(p.position + o, p.triangle, p.colour, p.material).volume() for o, p in pieces) == pytest.approx(
        part.volume()
    )


def _connected(part: Part) -> list[Part]:
    """Pieces that share vertices, in vertex order."""
    label = np.arange(len(part.position))
    while True:
        lowest = label[part.triangle].min(axis=1)
        new = label.copy()
        np.minimum.at(new, part.triangle.ravel(), np.repeat(lowest, 3))
        if (new == label).all():
            break
        label = new
    of = label[part.triangle[:, 0]]
    return [
        Part(part.position, part.triangle[of == k], part.colour[of == k], part.material[of == k]) for k in np.unique(of)
    ]


def _is_closed(piece: Part) -> bool:
    """Each directed edge has its opposite."""
    t = piece.triangle
    edges = set(map(tuple, np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]]).tolist()))
    return all((b, a) in edges for a, b in edges)
