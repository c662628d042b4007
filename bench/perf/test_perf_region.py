"""Regions of a frame from the actors' boxes."""

import numpy as np
from foveal.projection import Camera, project_many
from foveal.region import Region, RegionSet


def boxes(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    transform = np.zeros((count, 6))
    transform[:, :3] = rng.uniform((-40, -40, 0), (80, 40, 1), (count, 3))
    transform[:, 4] = rng.uniform(-180, 180, count)
    box = np.zeros((count, 9))
    box[:, 2], box[:, 3:6] = 0.8, rng.uniform((0.3, 0.3, 0.8), (3.0, 1.2, 1.8), (count, 3))
    return transform, box, np.arange(1, count + 1, dtype=np.uint32)


def test_project_200_boxes(benchmark):
    camera = Camera(np.array([0, 0, 1.6, 0, 0, 0], float), 1920, 1080, 90.0)
    transform, box, actor = boxes(200)
    projected = benchmark(project_many, camera, transform, box, actor)
    benchmark.extra_info["visible"] = int(projected.visible.sum())


def test_merge_200_regions(benchmark):
    rng = np.random.default_rng(5)
    corner, size = rng.integers(0, (1800, 1000), (200, 2)), rng.integers(4, 200, (200, 2))
    regions = [Region(int(x), int(y), int(x + w), int(y + h)) for (x, y), (w, h) in zip(corner, size, strict=True)]
    merged = benchmark(RegionSet.of, regions, 1920, 1080)
    benchmark.extra_info["regions"] = len(merged)
