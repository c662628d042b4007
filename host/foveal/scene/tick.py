"""The state of the world at one simulation step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foveal.errors import SceneError

__all__ = ["CameraMount", "Tick"]


@dataclass(frozen=True, slots=True)
class CameraMount:
    """A pinhole camera on the ego vehicle, in CARLA's axes.

    width, height: pixels. fov_deg: horizontal field of view. x, y, z: metres; pitch, yaw, roll: degrees, from the ego.
    near_m, far_m: depth range. Raises ValueError for values that are no camera.
    """

    width: int = 1920
    height: int = 1080
    fov_deg: float = 90.0
    x: float = 1.5
    y: float = 0.0
    z: float = 1.7
    pitch: float = 0.0
    yaw: float = 0.0
    roll: float = 0.0
    near_m: float = 0.1
    far_m: float = 400.0

    def __post_init__(self) -> None:
        if not (1 <= self.width <= 4096 and 1 <= self.height <= 4096):
            raise ValueError(f"camera must be 1..4096 pixels a side, got {self.width}x{self.height}")
        if not 0.0 < self.fov_deg < 180.0:
            raise ValueError(f"horizontal field of view must be between 0 and 180 degrees, got {self.fov_deg}")
        if not 0.0 < self.near_m < self.far_m:
            raise ValueError(f"camera needs 0 < near_m < far_m, got {self.near_m} and {self.far_m}")
        if not np.isfinite(self.pose()).all():
            raise ValueError(f"camera mount is not finite: {self.pose().tolist()}")

    def pose(self) -> np.ndarray:
        """(6,) float64 x, y, z, pitch, yaw, roll relative to the ego."""
        return np.array([self.x, self.y, self.z, self.pitch, self.yaw, self.roll], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Tick:
    """What one snapshot of the server says, in CARLA's axes, metres, seconds and degrees.

    frame: the server's frame number. time_s: simulated time. ego_id: the ego's actor id (0: no ego).
    ego, camera: (6,) float64 x, y, z, pitch, yaw, roll in the world. types: blueprint ids that `actor_type` indexes.
    actor_id: (N,) uint32; actor_type: (N,) int32; transform: (N, 6) float64; velocity: (N, 3) float64 m/s.
    box: (N, 9) float64 in the actor's frame: location 3, extent (half sizes) 3, rotation pitch, yaw, roll.
    skipped: actors of this snapshot that are left out, with the reason.
    Raises SceneError when a shape is wrong or a value is not finite.
    """

    frame: int
    time_s: float
    ego_id: int
    ego: np.ndarray
    camera: np.ndarray
    types: tuple[str, ...]
    actor_id: np.ndarray
    actor_type: np.ndarray
    transform: np.ndarray
    velocity: np.ndarray
    box: np.ndarray
    skipped: tuple[tuple[int, str], ...] = ()

    def __post_init__(self) -> None:
        n = len(self.actor_id)
        expected = {
            "ego": ((6,), np.float64),
            "camera": ((6,), np.float64),
            "actor_id": ((n,), np.uint32),
            "actor_type": ((n,), np.int32),
            "transform": ((n, 6), np.float64),
            "velocity": ((n, 3), np.float64),
            "box": ((n, 9), np.float64),
        }
        for name, (shape, dtype) in expected.items():
            array = getattr(self, name)
            if array.shape != shape or array.dtype != dtype:
                raise SceneError(
                    f"frame {self.frame}: Tick.{name} is {array.dtype}{array.shape}, expected {np.dtype(dtype)}{shape}"
                )
            if np.dtype(dtype).kind == "f" and not np.isfinite(array).all():
                raise SceneError(f"frame {self.frame}: {name} is not finite (NaN or infinity); {self._culprit(array)}")
        if n and not (int(self.actor_type.min()) >= 0 and int(self.actor_type.max()) < len(self.types)):
            raise SceneError(
                f"frame {self.frame}: an actor's type is outside the table of {len(self.types)} blueprints"
            )

    def _culprit(self, array: np.ndarray) -> str:
        if array.ndim == 1:
            return "check the ego and its camera mount"
        bad = self.actor_id[~np.isfinite(array).all(axis=1)]
        return f"remove or reset actor {', '.join(str(number) for number in bad[:5].tolist())}"
