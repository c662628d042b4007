"""Ackermann control: a target speed and steering angle, reached by the client's two PID controllers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from foveal_sim.world.arguments import number
from foveal_sim.world.bicycle import MAX_ACCELERATION, MAX_BRAKING

__all__ = ["DEFAULT_GAINS", "Ackermann", "Pid"]

DEFAULT_GAINS = (0.15, 0.0, 0.25, 0.01, 0.0, 0.01)
"""speed_kp, speed_ki, speed_kd, accel_kp, accel_ki, accel_kd: the defaults of `carla.AckermannControllerSettings`."""

_RATE_HZ = 20.0
_STANDSTILL_MPS = 0.1


@dataclass
class Pid:
    """A PID controller with output proportional + integral + derivative of the error."""

    kp: float
    ki: float
    kd: float
    _sum: float = 0.0
    _before: float | None = None

    def output(self, error: float, delta_s: float) -> float:
        self._sum += error * delta_s
        change = 0.0 if self._before is None else (error - self._before) / delta_s
        self._before = error
        return self.kp * error + self.ki * self._sum + self.kd * change


class Ackermann:
    """Turns one vehicle's targets into pedals, tick by tick.

    The speed controller moves the wanted acceleration, the acceleration controller moves the pedal, each 20 times a
    second by its output. The wanted acceleration keeps within `acceleration`, or what the vehicle can do where that is
    0, and changes by no more than `jerk` where that is not 0. The wheels turn to `steer` at `steer_speed` (0: at once).
    Against the direction of travel the vehicle brakes first.
    """

    def __init__(self, gains: Sequence[float] = DEFAULT_GAINS) -> None:
        self.gains: tuple[float, ...] = DEFAULT_GAINS
        self._target = (0.0, 0.0, 0.0, 0.0, 0.0)
        self._steer_rad = self._pedal = self._wanted = 0.0
        self._speed: float | None = None
        self.set_gains(gains)

    def set_gains(self, gains: Sequence[float]) -> None:
        """Six gains in the order of DEFAULT_GAINS. Raises ValueError when they are not six finite numbers."""
        values = tuple(number(gain) for gain in gains)
        if len(values) != len(DEFAULT_GAINS):
            raise ValueError(f"ackermann controller settings have {len(values)} numbers, expected six")
        self.gains = values
        self._speed_pid, self._acceleration_pid = Pid(*values[:3]), Pid(*values[3:])

    def aim(self, target: Sequence[float]) -> None:
        """steer (rad, right is positive), steer_speed (rad/s), speed (m/s), acceleration (m/s2), jerk (m/s3).

        Raises ValueError when they are not five finite numbers.
        """
        values = tuple(number(value) for value in target)
        if len(values) != 5:
            raise ValueError(f"ackermann control has {len(values)} numbers, expected five")
        self._target = values

    def pedals(self, speed: float, max_steer_rad: float, delta_s: float) -> tuple[float, float, float, bool]:
        """Throttle, steer, brake and reverse for the next `delta_s` seconds. speed: m/s along the vehicle.

        Call it once a tick: the acceleration is the change of speed since the call before.
        """
        acceleration = 0.0 if self._speed is None else (speed - self._speed) / delta_s
        self._speed = speed
        steer, steer_speed, wanted_speed, limit, jerk = self._target
        turn = steer - self._steer_rad
        if steer_speed:
            turn = min(max(turn, -abs(steer_speed) * delta_s), abs(steer_speed) * delta_s)
        self._steer_rad = min(max(self._steer_rad + turn, -max_steer_rad), max_steer_rad)
        share = self._steer_rad / max_steer_rad if max_steer_rad else 0.0
        way = -1.0 if (wanted_speed < 0.0 if abs(speed) <= _STANDSTILL_MPS else speed < 0.0) else 1.0
        if abs(speed) <= _STANDSTILL_MPS and wanted_speed == 0.0:
            self._pedal = self._wanted = 0.0
            return 0.0, share, 1.0, False
        # In the direction of travel from here on; a target the other way is a standstill first.
        goal = max(wanted_speed * way, 0.0)
        wanted = self._wanted + self._speed_pid.output(goal - abs(speed), delta_s) * delta_s * _RATE_HZ
        wanted = min(max(wanted, -(abs(limit) or MAX_BRAKING)), abs(limit) or MAX_ACCELERATION)
        if jerk:
            wanted = min(max(wanted, self._wanted - abs(jerk) * delta_s), self._wanted + abs(jerk) * delta_s)
        self._wanted = wanted
        push = self._acceleration_pid.output(wanted - acceleration * way, delta_s)
        self._pedal = min(max(self._pedal + push * delta_s * _RATE_HZ, -1.0), 1.0)
        return max(self._pedal, 0.0), share, max(-self._pedal, 0.0), way < 0.0
