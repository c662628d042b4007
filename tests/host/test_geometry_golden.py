"""The HLS geometry kernel against the golden model: records and band tables equal bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from foveal.geometry import Geometry
from foveal.golden.record import records
from labelled_scenes import labelled_scene
from random_scenes import random_scene


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_random_scenes_give_the_same_bytes(first: int) -> None:
    drawn = 0
    for seed in range(first, first + 20):
        scene = random_scene(seed)
        golden = records(scene.meshes, scene.draw, scene.regions)
        kernel = Geometry(scene.meshes).setup(scene.draw, scene.regions)
        np.testing.assert_array_equal(kernel.records, golden.record, err_msg=scene.name)
        np.testing.assert_array_equal(kernel.bands, golden.table, err_msg=scene.name)
        drawn += len(golden.record)
    assert drawn > 100


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_records_with_labels_differ_in_their_surfaces_alone(first: int) -> None:
    drawn = 0
    for seed in range(first, first + 20):
        scene = labelled_scene(seed)
        plain = records(scene.meshes, scene.draw, scene.regions)
        golden = records(scene.meshes, scene.draw, scene.regions, labels=True)
        kernel = Geometry(scene.meshes, capacity=64).setup(scene.draw, scene.regions, labels=True)
        np.testing.assert_array_equal(kernel.records, plain.record, err_msg=scene.name)
        np.testing.assert_array_equal(kernel.labels, golden.record, err_msg=scene.name)
        np.testing.assert_array_equal(kernel.bands, golden.table, err_msg=scene.name)
        drawn += len(golden.record)
    assert drawn > 100
