"""Regions of a frame from the actors' boxes."""

import numpy as np
import pytest
from foveal.policy import Budget, Sight, TrackedActors, Wishes, choose
from foveal.projection import Camera, project_many
from foveal.region import Region, RegionSet
from foveal.scene.tick import CameraMount, Tick


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


def crowd(count: int) -> Sight:
    """A tick with so many vehicles that are all in the picture."""
    rng = np.random.default_rng(7)
    mount, ahead = CameraMount(), rng.uniform(8, 75, count)
    transform, box, actor = boxes(count)
    transform[:, 0], transform[:, 1] = ahead, rng.uniform(-0.8, 0.8, count) * ahead
    tick = Tick(1, 0.05, 0, np.zeros(6), mount.pose(), ("vehicle.any",), actor, np.zeros(count, np.int32), transform,
                rng.uniform(-10, 10, (count, 3)), box)  # fmt: skip
    return Sight.of(tick, mount)


def test_regions_of_200_actors_in_view(benchmark):
    """The whole choice of one tick: project, weigh, merge."""
    chosen = benchmark(choose, TrackedActors(), crowd(200))
    benchmark.extra_info["actors"] = len(chosen.actors)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_budget_of_200_rectangles(benchmark, share):
    """What a budget adds to that: how many fit, and how much of the next one."""
    sight = crowd(200)
    wishes = TrackedActors().wishes(sight)
    kept = benchmark(Budget(_Ready(wishes), share).wishes, sight)
    benchmark.extra_info["actors"] = len(kept.weight)


class _Ready:
    """A policy whose answer is there already."""

    def __init__(self, wishes: Wishes) -> None:
        self.answer = wishes

    def wishes(self, sight: Sight) -> Wishes:
        return self.answer
