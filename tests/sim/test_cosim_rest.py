"""Parts at rest get no clock in co-simulation (native/foveal_rest.vh). Nothing outside may tell, in any cycle."""

from __future__ import annotations

import numpy as np
import pytest
import soak
from kernel_rig import PORTS, Job, Rig
from random_scenes import random_scene

SEED = 3105


@pytest.fixture(scope="module")
def rigs() -> tuple[Rig, Rig]:
    """One whose parts may rest, one whose parts may not."""
    pair = Rig(SEED), Rig(SEED)
    pair[1].kernel.forbid_rest(True)
    return pair


def state(rig: Rig) -> tuple[object, ...]:
    """What the host and the memory can see of a kernel."""
    beats = [(port, rig.kernel.statistics(port).bursts, rig.kernel.statistics(port).beats) for port in PORTS]
    return rig.kernel.cycles, rig.read("STATUS"), rig.counters(), beats, rig.kernel.violations()


@pytest.mark.parametrize("scenario", soak.SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_each_cycle_is_that_of_a_kernel_that_never_rests(rigs: tuple[Rig, Rig], scenario: soak.Scenario) -> None:
    for n in range(2):
        for rig in rigs:
            soak.play(rig, scenario, np.random.default_rng([SEED, soak.SCENARIOS.index(scenario), n]))
        assert state(rigs[0]) == state(rigs[1])
        np.testing.assert_array_equal(rigs[0].memory, rigs[1].memory)


def test_a_frame_after_a_long_rest_is_like_any(rigs: tuple[Rig, Rig]) -> None:
    job = Job.of(random_scene(9, 70, 50))
    for idle in (0, 1, 9, 10, 11, 12, 5000):
        for rig in rigs:
            rig.prepare(job)
            rig.kernel.step(idle)
            rig.start()
            rig.kernel.step(idle)
            rig.finish(200_000)
            rig.compare(job)
        assert state(rigs[0]) == state(rigs[1])
