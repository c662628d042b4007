"""A short soak of the kernel: each scenario of soak.py a few times; `make soak` runs for minutes."""

from __future__ import annotations

import numpy as np
import pytest
import soak
from kernel_rig import Job, Rig, Timing, check_sums
from random_scenes import random_scene

SEED = 20_260


@pytest.fixture(scope="module")
def rig() -> Rig:
    return Rig(SEED)


@pytest.mark.parametrize("scenario", soak.SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_kernel_survives(rig: Rig, scenario: soak.Scenario) -> None:
    for n in range(3):
        soak.play(rig, scenario, np.random.default_rng([SEED, soak.SCENARIOS.index(scenario), n]))


def test_latency_shows_in_the_counter_that_is_for_it(rig: Rig) -> None:
    """The same frame with a slow port differs in cycles of waiting, and in none of work."""
    job = Job.of(random_scene(5, 90, 64))
    rows = []
    for latency in (2, 250):
        rig.timing(gmem0=Timing(latency), gmem1=Timing(latency), gmem2=Timing(latency))
        rows.append(rig.clean_frame(job, 200_000))
    fast, slow = rows
    for name in ("fetch_beats", "write_beats", "tri_fetched", "tri_culled", "blocks_covered", "tiles_walked"):
        assert fast[name] == slow[name], name
    assert slow["fetch_latency_cycles"] >= fast["fetch_latency_cycles"] + 248
    assert slow["write_latency_cycles"] >= fast["write_latency_cycles"] + 248
    assert slow["drain_cycles"] >= fast["drain_cycles"] + 240


@pytest.mark.parametrize("name", ["frame_cycles", "scan_idle_cycles", "write_beats", "fetch_stall_cycles"])
def test_a_cycle_that_is_lost_is_noticed(rig: Rig, name: str) -> None:
    counters = rig.clean_frame(Job.of(random_scene(6, 60, 40)), 200_000)
    with pytest.raises(AssertionError):
        check_sums(counters | {name: counters[name] + 1})
