"""The state of traffic lights: junctions give green to their phases in turn."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from foveal.jit import compiled

from foveal_sim.world.signals import Crossroad

__all__ = ["GREEN", "OFF", "RED", "UNKNOWN", "YELLOW", "TrafficLights"]

RED, YELLOW, GREEN, OFF, UNKNOWN = range(5)
"""As `carla.TrafficLightState` numbers them."""

_STAGES = (GREEN, YELLOW, RED)
_DEFAULT_S = (10.0, 3.0, 2.0)
# Sums of steps miss a round time by less than this.
_ROUNDING_S = 1e-6


class TrafficLights:
    """Lights 0..n-1 in groups. One phase of a group is green, then yellow, then red; then comes the next phase.

    The time of red is that of all lights of the group together; what is not in turn is red all the while.
    state: (n,) uint8. elapsed_s: (n,) float64 seconds since a light's state began. times_s: (n, 3) float64 green,
    yellow, red. frozen: (n,) bool. group: (n,) index. place: (n,) index of a light in its group. version grows whenever
    something other than time changes.
    """

    def __init__(self, ids: Sequence[str], crossroads: Sequence[Crossroad]) -> None:
        """ids: of the lights, by index. crossroads: groups, in which each id occurs once."""
        index = {name: number for number, name in enumerate(ids)}
        count = len(index)
        self.state = np.full(count, RED, dtype=np.uint8)
        self.elapsed_s = np.zeros(count)
        self.times_s = np.tile(_DEFAULT_S, (count, 1))
        self.frozen = np.zeros(count, dtype=bool)
        self.group = np.zeros(count, dtype=np.int64)
        self.place = np.zeros(count, dtype=np.int64)
        self.version = 0
        self._phases = [
            [np.array([index[name] for name in phase], dtype=np.int64) for phase in crossroad.phases]
            for crossroad in crossroads
        ]
        for number, phases in enumerate(self._phases):
            members = np.concatenate(phases)
            self.group[members], self.place[members] = number, np.arange(len(members))
        self._turn = [0] * len(self._phases)
        self._stage = [0] * len(self._phases)
        self._timer_s = np.zeros(len(self._phases))
        self._left_s = np.zeros(len(self._phases))
        self._cycle_s = np.full(len(self._phases), math.inf)
        self._standing = np.zeros(len(self._phases), dtype=bool)
        self.reset()

    def __len__(self) -> int:
        return len(self.state)

    def reset(self, group: int | None = None) -> None:
        """Begin the cycle of one group, or of all, anew. Times and what is frozen are kept."""
        for number in range(len(self._phases)) if group is None else (group,):
            self._turn[number], self._stage[number], self._timer_s[number] = 0, 0, 0.0
            members = np.concatenate(self._phases[number])
            self.state[members], self.elapsed_s[members] = RED, 0.0
            self.state[self._phases[number][0]] = GREEN
        self._changed()

    def step(self, delta_s: float) -> None:
        """Advance by `delta_s` seconds; frozen groups stand still."""
        if pass_time(self.elapsed_s, self.frozen, self._timer_s, self._standing, self._left_s, delta_s):
            for number in np.flatnonzero(~self._standing & (self._timer_s >= self._left_s)).tolist():
                if self._timer_s[number] > self._cycle_s[number]:  # whole cycles change nothing
                    self._timer_s[number] = math.fmod(self._timer_s[number], self._cycle_s[number])
                while self._timer_s[number] >= self._left_s[number]:
                    self._advance(number)

    def set_state(self, light: int, state: int) -> None:
        """Show `state` until the light's turn changes it. Raises ValueError for what is no state."""
        if state not in range(5):
            raise ValueError(f"a traffic light's state is 0 to 4, got {state}")
        self.state[light], self.elapsed_s[light] = state, 0.0
        self._changed()

    def set_time(self, light: int, stage: int, seconds: float) -> None:
        """Duration of GREEN, YELLOW or RED, for all lights of the same phase. Raises ValueError for what is none."""
        if not (math.isfinite(seconds) and seconds >= 0):
            raise ValueError(f"a traffic light's time is a number of seconds >= 0, got {seconds}")
        phases = self._phases[self.group[light]]
        phase = next(phase for phase in phases if light in phase)
        self.times_s[phase, _STAGES.index(stage)] = seconds
        self._changed()

    def freeze(self, frozen: bool, group: int | None = None) -> None:
        """Stop or go on with the time of one group, or of all."""
        self.frozen[slice(None) if group is None else self.group == group] = frozen
        self._changed()

    def members(self, group: int) -> np.ndarray:
        """(k,) lights of a group, by their place in it."""
        return np.concatenate(self._phases[group])

    def _changed(self) -> None:
        self.version += 1
        for number, phases in enumerate(self._phases):
            self._standing[number] = self.frozen[phases[0][0]]
            # A cycle that takes no time has nowhere to go on to.
            cycle = sum(float(self.times_s[phase[0]].sum()) for phase in phases)
            self._cycle_s[number] = cycle if cycle > _ROUNDING_S else math.inf
            self._left_s[number] = self._duration_s(number) - _ROUNDING_S

    def _duration_s(self, number: int) -> float:
        """How long the group's state lasts."""
        phases = self._phases[number]
        if not math.isfinite(self._cycle_s[number]):
            return math.inf
        return float(self.times_s[phases[self._turn[number]][0], self._stage[number]])

    def _advance(self, number: int) -> None:
        phases = self._phases[number]
        over = self._timer_s[number] = max(self._timer_s[number] - self._duration_s(number), 0.0)
        self._stage[number] = (self._stage[number] + 1) % len(_STAGES)
        if self._stage[number] == 0:
            self._turn[number] = (self._turn[number] + 1) % len(phases)
        phase = phases[self._turn[number]]
        new = _STAGES[self._stage[number]]
        changed = phase[self.state[phase] != new]
        self.state[changed], self.elapsed_s[changed] = new, over
        self._changed()


@compiled
def pass_time(
    elapsed_s: np.ndarray,
    frozen: np.ndarray,
    timer_s: np.ndarray,
    standing: np.ndarray,
    left_s: np.ndarray,
    delta_s: float,
) -> bool:
    """Let lights and groups grow older by `delta_s`; returns whether the time of a group is over.

    elapsed_s: (n,), of lights that are not frozen: (n,). timer_s, left_s: (g,), of groups that are not standing: (g,).
    """
    for k in range(len(elapsed_s)):
        if not frozen[k]:
            elapsed_s[k] += delta_s
    over = False
    for k in range(len(timer_s)):
        if not standing[k]:
            timer_s[k] += delta_s
            over = over or timer_s[k] >= left_s[k]
    return over
