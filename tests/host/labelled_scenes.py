"""Random scenes whose triangles and instances have labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from random_scenes import Scene, random_scene

__all__ = ["labelled_scene"]


def labelled_scene(seed: int, *size: int, full: bool = False) -> Scene:
    """`random_scene` with any instance and tag a triangle, and an instance of its own for most of those drawn."""
    scene = random_scene(seed, *size, full=full)
    rng = np.random.default_rng(seed + 1000)
    label = rng.integers(0, 1 << 24, len(scene.meshes.triangle)).astype(np.uint32)
    count = len(scene.draw.mesh)
    instance = (rng.integers(1, 1 << 16, count) * (rng.random(count) < 0.7)).astype(np.uint16)
    return replace(scene, meshes=replace(scene.meshes, label=label), draw=replace(scene.draw, instance=instance))
